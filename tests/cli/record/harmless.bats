#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What happens to the trace or to the process does not harm the program: it runs as it does alone.
#
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	PATH="$SEEP_BUILD/bin:$SEEP_BUILD/tests/truth:$PATH"
	unset SEEP_DISABLE
}

# damaged HOW COMMAND...: damages the trace in mid run; output and status are those of vandal alone
damaged() {
	local how=$1
	shift
	vandal nothing t.seep > bare.txt || true
	rm -f t.seep
	run -7 --separate-stderr timeout 120 "$@" -- vandal "$how" "$PWD/t.seep"
	echo "$how: $stderr"
	[ "$output" = "$(cat bare.txt)" ]
}

@test "a trace that is emptied while the program runs" {
	damaged empty seep run -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, moved or removed"* ]]
	[ "$(grep -c 'was truncated' <<<"$stderr")" -eq 1 ]
	[ "$(stat -c %s t.seep)" -lt 1000000 ]
}

@test "a trace that loses its end while the program runs: what is left is judged" {
	damaged half seep run -o t.seep
	seep report --json t.seep > report.json
	jq -r '.run.notes[]' report.json | grep -q 'somebody truncated the trace'
	jq -e '(.run.complete | not) and .run.damaged == 0 and .run.exit.code == 7' report.json
}

@test "a trace that is removed or replaced while the program runs" {
	damaged remove seep run -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, moved or removed"* ]]
	[ ! -e t.seep ]
	damaged replace seep run -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, moved or removed"* ]]
	[ "$(cat t.seep)" = "something else" ]
}

@test "a trace that is emptied while seep watch writes it" {
	damaged empty seep watch -i 5ms -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, moved or removed"* ]]
	damaged half seep watch -i 1ms -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, moved or removed"* ]]
}
