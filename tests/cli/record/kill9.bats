#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A process that is killed leaves a trace that can be read and says so.

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE
}

# start TRACE: a run without end in the background; sets seep and child
start() {
	rm -f "$1"
	seep run -q -f -o "$1" -- "$SEEP_BUILD/examples/hits" --events 100000000 \
		--hits 200 --sleep-us 100 >/dev/null 2>&1 3>&- &
	seep=$!
	# The program is recorded from its second page on.
	until child=$(pgrep -P $seep) && [ -s "$1" ] && [ "$(stat -c %s "$1")" -gt 8192 ]; do
		kill -0 $seep || return 1
		sleep 0.01
	done
}

@test "twenty random moments" {
	for i in $(seq 20); do
		start out.seep
		sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
		kill -KILL "$child"
		status=0
		wait $seep || status=$?
		[ "$status" -eq 137 ]
		run seep report out.seep
		[ "$status" -eq 0 ]
		[[ "$output" == *"killed by signal 9"* ]]
		run seep report --json out.seep
		jq -e '.run.exit.signal == 9 and .run.killed and (.run.complete | not)' <<<"$output"
		jq -e '.run.damaged == 0' <<<"$output"
		echo "moment $i: $(jq -c '[.run.events, .verdict.kind]' <<<"$output")"
	done
}

@test "no stamp is lost that was made before the end" {
	for _ in $(seq 5); do
		rm -f out.seep
		: >said.txt
		seep run -q -f -o out.seep --event api -- "$SEEP_BUILD/tests/truth/stamper" \
			>said.txt 2>/dev/null 3>&- &
		runner=$!
		until [ "$(wc -l <said.txt)" -gt 100 ]; do
			sleep 0.01
		done
		sleep "0.$((RANDOM % 4))"
		kill -KILL "$(pgrep -P $runner)"
		wait $runner || true
		said=$(tail -n 1 said.txt)
		kept=$("$SEEP_SOURCE/tests/cli/trace_dump.py" out.seep | grep -c ' STAMP ')
		echo "said $said kept $kept"
		[ "$said" -gt 100 ]
		[ "$kept" -ge "$said" ]
	done
}

@test "killed together with seep" {
	for _ in 1 2 3; do
		start out.seep
		sleep "0.$((RANDOM % 5))"
		kill -KILL "$seep" "$child"
		wait $seep || true
		run seep report out.seep
		[ "$status" -eq 0 ]
		[[ "$output" == *"killed, or is still running"* ]]
	done
}

# kind: the verdict so far
kind() {
	seep report --json out.seep | jq -r .verdict.kind
}

@test "a run is judged while it lasts, and the same after it was killed" {
	start out.seep
	until [ "$(kind)" = leak ]; do
		sleep 0.1
	done
	kill -KILL "$child"
	wait $seep || true
	[ "$(kind)" = leak ]
	[ "$(seep report --json out.seep |
		jq '[.sites[] | select(.verdict == "leak")] | length')" -eq 4 ]
}
