#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Arrays that grow: what seep counts is what the programs count, and the advice is right.

setup() {
	bats_require_minimum_version 1.5.0
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE
}

# check PROGRAM: what it says of itself against the report
check() {
	seep run -q -f -o t.seep -- "$SEEP_BUILD/tests/truth/$1" > truth.txt
	seep report --json --all t.seep > report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare_moves.py" report.json truth.txt
}

# trace PROGRAM [ARGUMENT...]: leaves t.seep and report.json
trace() {
	seep run -q -f -o t.seep -- "$@" > out.txt
	seep report --json --all t.seep > report.json
}

# of FUNCTION FILTER: from the moves of the site that has this function first
of() {
	jq -r --arg f "$1" "[.sites[] | select(.stack[.own_frame].function == \$f)][0].moves | $2" \
		report.json
}

@test "by realloc, by hand, item by item, in place, remapped, shrunk, across threads" {
	check growers
}

@test "vectors and strings of the C++ library" {
	check vectors
}

@test "with another allocator" {
	for allocator in libjemalloc.so.2 libtcmalloc.so.4 libmimalloc.so.2; do
		library=$(find /usr/lib -name "$allocator" | head -n 1)
		[ -n "$library" ] || continue
		LD_PRELOAD=$library check vectors
	done
}

@test "thousands of sites that grow once, and a queue of all sizes, are not in the way" {
	check throng
	[ "$(jq '[.sites[] | select(.moves)] | length' report.json)" -gt 2000 ]
	# The queue is no array: seen after some hundred blocks, and never taken for one.
	of enqueue '.growths < 2000 and .growths < 2.5 * .chains' | grep -qx true
	of enqueue .advice | grep -qx null
}

@test "first and final sizes, and the largest by event" {
	check growers
	# an item of 24 bytes at first; one of two arrays ends at 4096 of them, the other at 512
	of replace '[.sizes[] | select(.first > 0) | [.from_bytes, .first]]' |
		jq -ce '. == [[16, 20]]'
	of replace '[.sizes[] | select(.final > 0) | [.from_bytes, .final, .final_bytes]]' |
		jq -ce '. == [[8192, 10, 122880], [65536, 10, 983040]]'
	of replace .unit_bytes | grep -qx 24
	of append .unit_bytes | grep -qx 40
	# nothing before the first event, then 98304 in each of the ten
	of replace '.largest_by_event | [.first_event, .events_per_bin, .bytes]' |
		jq -ce '.[0] < 0 and . == [.[0], 1, [range(-.[0]) | 0] + [range(10) | 98304]]'
	of replace .last_event | grep -qx 9
}

@test "a block that another of the same size replaces has not grown" {
	cat >renew.c <<-'END'
		#include <stdlib.h>
		#include <string.h>
		static char *blocks[10];
		__attribute__((noinline)) static void renew(int i, size_t bytes)
		{
			char *next = malloc(bytes);
			memset(next, 1, bytes);
			free(blocks[i]);
			blocks[i] = next;
		}
		/* Each is renewed all the time, and the first grows now and then. */
		int main(void)
		{
			for (int i = 0; i < 2000; i++)
				renew(i % 10, i % 10 ? 100 : 100 + i / 100 * 50);
			return blocks[0][0] - 1;
		}
	END
	gcc -g -O1 -fno-builtin renew.c -o renew
	trace ./renew
	of renew '[.chains, .growths, .live_chains]' | jq -ce '. == [19, 19, 0]'
}

@test "the first note gets its advice" {
	NEVT=100 trace "$SEEP_BUILD/examples/gensteps"
	advice=$(of renew .advice)
	jq -e '.reserve_bytes == 4096 * 96 and .item_bytes == 96 and .moves == 12' <<<"$advice"
	jq -e '.copied_bytes_per_event == 4095 * 96 and .peak_bytes == 2048 * 96' <<<"$advice"
	# as many renewals as the program counts, but for the first of each event
	[ "$(of renew .growths)" = $(($(sed -n 's/truth growths //p' out.txt) - 100)) ]
	seep report t.seep > report.txt
	cat report.txt
	tr -s ' \n' ' ' < report.txt > line.txt
	grep -q 'advice reserve 4096 items of 96 B in renew gensteps.c:[0-9]* (site [0-9]*): ' \
		line.txt
	grep -q 'saves 12 moves, 393 kB of copying and 197 kB of peak per event' line.txt
	rank=$(sed 's/.*(site \([0-9]*\)).*/\1/' line.txt)
	seep report --site "$rank" t.seep | tee site.txt
	grep -q '^  growth    100 blocks grew 1200 times, 1200 by moving; 39.3 MB copied;' site.txt
	grep -q '^  advice    reserve 4096 items of 96 B: saves 12 moves' site.txt
}

@test "who has followed the advice gets none" {
	RESERVATION=4096 NEVT=100 trace "$SEEP_BUILD/examples/gensteps"
	jq -e '[.sites[].moves | select(. != null) | .advice | select(. != null)] == []' report.json
	run -0 seep report t.seep
	[[ $output != *advice* ]]
}

@test "a leak comes first: no advice beside it" {
	trace "$SEEP_BUILD/examples/hits" --events 30
	[ "$(jq -r .verdict.kind report.json)" = leak ]
	run -0 seep report t.seep
	[[ $output != *advice* ]]
}

@test "an array that grows for ever is the growth, whichever way it grows" {
	for way in realloc replace; do
		trace "$SEEP_BUILD/tests/truth/swelling" "$way"
		of get .is_growth | grep -qx true
		of get .advice | grep -qx null
		of get '[.chains, .growths, .live_chains, .live_bytes, .last_event]' |
			jq -ce '. == [1, 199, 1, 200000, 199]'
	done
}

@test "a vector that is filled for ever is found by the sizes that it has outgrown" {
	for events in 300 1000; do
		trace "$SEEP_BUILD/tests/truth/doubling" grows "$events"
		jq -e '.verdict.kind == "leak"' report.json
		jq -e '.sites[0].verdict == "realloc-growth"' report.json
		truth=$(sed -n 's/truth bytes_per_event //p' out.txt)
		jq -e --argjson truth "$truth" \
			'.verdict.rate | .low <= $truth and $truth <= .high' report.json
		run -1 seep check --budget 0 t.seep
	done
}

@test "... one that was filled at first is none, nor is the table of a cache" {
	for events in 450 1000 3000; do
		trace "$SEEP_BUILD/tests/truth/doubling" stops "$events"
		jq -e '.verdict.kind | IN("flat", "step", "saturating")' report.json
	done
	for events in 100 300 450 1000; do
		trace "$SEEP_BUILD/tests/truth/doubling" cache "$events"
		jq -e '.verdict.kind | IN("cache", "saturating", "flat")' report.json
	done
}

@test "... but not if as much is kept beside it" {
	trace "$SEEP_BUILD/tests/truth/swelling" both
	of get .is_growth | grep -qx false
	of get '[.chains, .live_bytes]' | jq -ce '. == [1, 200000]'
}

@test "a sample says nothing about growth" {
	NEVT=100 seep run -q -f --sample 4K -o t.seep -- "$SEEP_BUILD/examples/gensteps" > out.txt
	seep report --json --all t.seep | jq -e '.sites | length > 0 and all(.moves == null)'
}

@test "the trace says the same to a reader that has only its description" {
	check growers
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep > dump.txt
	values=$(of append '[.chains, .growths, .moves, .replaced, .copied_bytes] | join(" ")')
	read -r chains growths moves replaced copied <<<"$values"
	site="chains=$chains growths=$growths moves=$moves replaced=$replaced copied_bytes=$copied"
	# Slices that passed before the first event are in its number.
	first=$(sed -n 's/.* STAMP .* event=\([0-9]*\) .*/\1/p' dump.txt | head -n 1)
	site+=" unit_bytes=40 first_bytes=400 grown_bytes=19600 last_event=$((first + 9))"
	site+=" live_chains=0"
	grep ' SITE_MOVES ' dump.txt > moves.txt
	grep -q "$site" moves.txt
}
