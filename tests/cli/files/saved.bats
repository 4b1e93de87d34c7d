#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Reports that were saved as JSON and are read back: what they show is what the trace showed.

bats_require_minimum_version 1.5.0

setup_file() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
	seep run -q -o a.seep -- "$SEEP_BUILD/examples/hits" --events 40 >/dev/null
	seep run -q -o b.seep -- "$SEEP_BUILD/examples/hits" --events 40 --fix 2 >/dev/null
	for name in a b; do
		seep report --json $name.seep >$name.json
	done
}

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	note='  note    this is a saved report and not a trace: nothing was judged again'
}

# Pages differ by the name of the file, the note, and the bytes that the JSON does not have.
same_but_for_note() {
	sed -E 's/\.json/.seep/; /note .*this is a saved report/d' |
		diff "$1" -
}

@test "the report is the same, and a note says what it is" {
	seep report a.seep >page
	seep report a.json >saved
	grep -qxF "$note" saved
	same_but_for_note page <saved
	seep report --json a.json | cmp - a.json
}

@test "the page of a site has its stack, its frees and its survivors" {
	seep report --site 2 --no-source a.seep | sed -E '/allocated/d' >page
	seep report --site 2 --no-source a.json | sed -E '/allocated/d' >saved
	same_but_for_note page <saved
}

@test "diff: of two saved reports, and of a report and a trace" {
	run -0 seep diff a.seep b.seep
	traces=$(grep -E '^leaks|  sites|^ +(same|gone)' <<<"$output")
	for pair in 'a.json b.json' 'a.json b.seep' 'a.seep b.json'; do
		# shellcheck disable=SC2086 # two files
		run -0 seep diff $pair
		[ "$(grep -E '^leaks|  sites|^ +(same|gone)' <<<"$output")" = "$traces" ]
	done
	seep diff --json a.json b.json |
		jq -e '[.sites[] | select(.change == "gone")] | length == 1'
}

@test "what needs the trace says so" {
	for options in plot 'export --to csv' 'check --budget 1kB/event'; do
		# shellcheck disable=SC2086 # words
		run -125 seep $options a.json
		[[ "$output" == *"a.json: a saved report or other JSON, and not a trace"* ]]
	done
	for option in --stamps --explain '--json --site 1'; do
		# shellcheck disable=SC2086 # words
		run -125 seep report $option a.json
		[[ "$output" == *"a.json: a saved report and not a trace; --"*" needs the trace" ]]
	done
	run -125 seep report --at-event 3 a.json
	[[ "$output" == *"a.json: a saved report has no snapshots"* ]]
}

@test "JSON that is none, of something else, or of no sense" {
	printf '{"schema": "seep-report/1", "verdict": {"kind": ' >cut.json
	run -125 seep report cut.json
	[[ "$output" == *"cut.json: not valid JSON: "*"(line 1)" ]]
	echo '{"traceEvents": []}' >other.json
	run -125 seep report other.json
	[[ "$output" == *"other.json: JSON, but not the output of seep report --json"* ]]
	jq '.verdict.kind = "awful"' a.json >kind.json
	run -125 seep report kind.json
	[[ "$output" == *"kind.json: a saved report whose verdict is missing or unknown" ]]
	echo '{"schema":"seep-report/1","verdict":{"kind":"leak"},"sites":[{},{"stack":[{}]}],' \
		'"phases":[{}],"drivers":[{}],"run":{"events":1e300,"notes":[3],' \
		'"started":"9999-01-01T00:00:00Z"}}' >odd.json
	run -0 seep report --all odd.json
	[[ "${lines[0]}" == "LEAK  there is not enough data to decide"* ]]
	run -0 seep report --site 2 odd.json
	run -0 seep diff odd.json a.seep
}

@test "names in a saved report are escaped" {
	jq '.sites[0].stack[].function = "\u001b[1mx" | .run.notes = ["\u001b[2m"]' a.json >esc.json
	seep report esc.json >page
	grep -qF '\x1b[1mx' page
	run ! grep -q $'\x1b' page
}

@test "a report with fields that are missing anywhere is read, or refused with a reason" {
	jq -c '[paths(scalars) | map(select(type == "string"))] | unique | .[]' a.json >paths
	[ "$(wc -l <paths)" -gt 80 ]
	awk 'NR % 7 == 0' paths >some
	while read -r path; do
		jq --argjson path "$path" 'walk(if type == "object"
			then del(.[$path[-1]]) else . end)' a.json >less.json
		status=0
		seep report --all less.json >page 2>&1 || status=$?
		[ "$status" -eq 0 ] || [[ "$status" -eq 125 && "$(<page)" == *less.json:* ]]
	done <some
}
