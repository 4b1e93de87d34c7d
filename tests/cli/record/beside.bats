#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Gauges, descriptors, threads, and RSS that rises beside a heap that does not.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	PATH="$SEEP_BUILD/bin:$PATH"
}

# beside MODE EVENTS
beside() {
	rm -f t.seep*
	seep run -q -o t.seep -- "$SEEP_BUILD/tests/truth/beside" "$@"
	seep report --json t.seep > report.json
	run seep report t.seep
}

is() {
	jq -e "$1" report.json > /dev/null || {
		jq -c '.verdict.kind, .gauges' report.json
		return 1
	}
}

@test "a gauge that rises has its rate, and the headline says so" {
	beside gauge 200
	is '.verdict.kind == "flat"'
	is '.gauges[0] | .name == "pool" and .unit == "bytes" and .rises'
	is '.gauges[0].per_event | .low <= 14336.1 and .high >= 14335.9 and .high - .low < 1'
	is '.gauges[0] | .first == 1200000 and .last == 1200000 + 199 * 14336 and .per_s > 0'
	[[ "${lines[0]}" == "FLAT  no growth of the heap; gauge pool rises by 14.3 kB/event "* ]]
	[[ "$output" == *"  gauge   pool   14.3 kB/event   [14.3, 14.3]   from 1.20 MB to "* ]]
}

@test "a gauge that goes up and down is shown, and does not rise" {
	beside level 200
	is '.gauges | map(.rises) | any | not'
	[[ "${lines[0]}" == "FLAT  no growth at all "* ]]
	[[ "$output" == *"  gauge   pool "*" from 1.20 MB to 1.20 MB"* ]]
	[[ "$output" != *descriptors* ]]
	run seep report --all t.seep
	[[ "$output" == *"  files   descriptors show no lasting rise (from "* ]]
	[[ "$output" == *"  threads show no lasting rise (from 1 to 1)"* ]]
}

@test "one descriptor lost per event" {
	beside files 300
	is '.gauges[] | select(.unit == "descriptors") | .rises and .per_event.value == 1'
	is '.gauges[] | select(.unit == "threads") | .rises | not'
	[[ "${lines[0]}" == "FLAT  no growth of the heap; descriptors rise by 1.00/event "* ]]
	[[ "$output" == *"  files   descriptors rise by 1.00 per event (from "* ]]
	[[ "$output" != *"  threads "* ]]
}

@test "one thread more per event" {
	beside threads 100
	is '.gauges[] | select(.unit == "threads") | .rises and (.per_event.value - 1 | fabs) < .01'
	[[ "$output" == *"  threads rise by 1.00 per event (from "* ]]
}

@test "descriptors of a pool, and those that come and go, do not rise" {
	for mode in pool churn; do
		for events in 20 60 300 1000; do
			beside $mode $events
			[ $mode = pool ] && [ $events = 20 ] && continue
			is '.gauges | map(.rises) | any | not'
			[[ "${lines[0]}" != *rise* ]]
		done
	done
}

# Ten events may or may not be enough to call it retention; plainly flat it is not.
@test "a heap that is flat and RSS that rises: the headline says both" {
	seep run -q -o t.seep -- "$SEEP_BUILD/tests/truth/slack" 10
	run seep report t.seep
	if [[ "${lines[0]}" == FLAT* ]]; then
		[[ "${lines[0]}" == "FLAT  no growth of the heap, but RSS rose by "*" MB: "* ]]
		[[ "${lines[0]}" == *" MB/event free in the allocator  over "* ]]
		seep report --json t.seep | jq -e '.verdict.sentence | test("but RSS rose by")'
	else
		[[ "${lines[0]}" == "RETENTION  rose by "* ]]
		[[ "${lines[0]}" == *" MB, freed but still held by the allocator "* ]]
	fi
}
