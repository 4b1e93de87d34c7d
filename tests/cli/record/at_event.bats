#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep run --dump-from ... without a profiler: snapshots at events, and seep report --at-event.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	seep=$SEEP_BUILD/bin/seep
	hits=$SEEP_BUILD/examples/hits
	dump=$SEEP_SOURCE/tests/cli/trace_dump.py
}

# truth EVENTS: the objects that each of its sites has lost by then
truth() {
	"$hits" --events "$1" | awk '/^truth site/ { print $5; exit }'
}

@test "survivors at the ends of chosen events, as the program itself has them there" {
	"$seep" run -q -o t.seep --dump-from 49 --dump-until 99 --dump-period 10 -- \
		"$hits" --events 120 >out.txt
	for event in 49 59 99; do
		"$seep" report --json --at-event $event t.seep >report.json
		jq -e --argjson objects "$(truth $event)" --argjson event $event '
			.run.events == $event and .verdict.kind == "leak" and
			([.sites[] | select(.verdict == "leak") | .live_objects] ==
			 [$objects, $objects, $objects, $objects])' report.json
	done
	"$seep" report --json t.seep | jq -e '.run.events == 120'
	"$seep" report --at-event 59 t.seep | grep -q '^LEAK  2\.'
}

@test "the snapshots are where they were asked for" {
	"$seep" run -q -o t.seep --dump-from 5 --dump-until 23 --dump-period 9 -- \
		"$hits" --events 30 --hits 10 >out.txt
	"$seep" run -q -o u.seep -- "$hits" --events 30 --hits 10 >out.txt
	for event in 5 14 23; do
		"$seep" report --at-event $event t.seep >out.txt
	done
	[ "$(/usr/bin/python3 "$dump" t.seep | grep -c '^[^ ]* *SNAPSHOT ')" -gt \
		"$(/usr/bin/python3 "$dump" u.seep | grep -c '^[^ ]* *SNAPSHOT ')" ]
}

@test "a program that frees everything at the end: before that, and at the very end" {
	"$seep" run -q -o t.seep -- "$SEEP_BUILD/tests/truth/cleaned" >out.txt
	kept='[.sites[] | select(any(.stack[]; .function == "remember_event")) | .live_objects]'
	"$seep" report --json --all t.seep >report.json
	jq -e ".sites_as_of.cleaned_up and (.sites_as_of.end | not) and
		$kept == [.sites_as_of.event]" report.json
	"$seep" report --json --all --at-event end t.seep >report.json
	jq -e ".sites_as_of == {event: 299, end: true, cleaned_up: false} and $kept == [0]" \
		report.json
}

@test "time slices are events as well" {
	"$seep" run -q -o t.seep --event time:20ms --dump-from 3 --dump-until 3 -- \
		"$hits" --events 10000 --hits 1 --sleep-us 10 >out.txt
	"$seep" report --json --at-event 3 t.seep | jq -e '.run.events == 3'
}

@test "an event without a snapshot is refused, with those that there are" {
	"$seep" run -q -o t.seep --dump-from 2 --dump-until 3 --dump-period 1 -- \
		"$hits" --events 5 >out.txt
	run "$seep" report --at-event 77 t.seep
	[ "$status" -eq 125 ]
	[[ $output == *"'t.seep' has no snapshot in event 77; there are snapshots in "*"2, 3"* ]]
	run "$seep" report --at-event 0 t.seep
	[ "$status" -eq 125 ]
	run "$seep" report --at-event x t.seep
	[ "$status" -eq 125 ]
}
