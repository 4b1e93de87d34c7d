#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# seep calibrate: a leak on purpose is read back as large as it is, in any program.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	seep=$SEEP_BUILD/bin/seep
	ballast=$SEEP_BUILD/tests/truth/ballast
	dump=$SEEP_SOURCE/tests/cli/trace_dump.py
}

# calibrate OPTIONS... -- COMMAND...: leaves out.json, and status
calibrate() {
	status=0
	"$seep" calibrate --json -f -o t.seep "$@" > out.json 2> err.txt || status=$?
}

@test "without noise, and without growth of its own" {
	calibrate -- "$ballast" 130 0 0
	[ "$status" = 0 ]
	[ "$(jq -r .schema out.json)" = seep-calibrate/1 ]
	[ "$(jq -r .outcome out.json)" = right ]
	jq -e '.heap.gain | .low <= 1 and .high >= 1 and .high - .low < 1e-6' out.json
	jq -e '.rss.gain | .low <= 1 and .high >= 1
		and .high - .low < .02' out.json
	jq -e '.heap.own_bytes_per_event | .low <= 0 and .high >= 0' out.json
	jq -e '.level_bytes >= 65536 and .events == 130' out.json
}

@test "growth of its own is told apart, under megabytes of noise in RSS" {
	calibrate --block 5 -- "$ballast" 80 20000 3000000
	[ "$status" = 0 ]
	jq -e '.level_bytes >= 5e6' out.json
	jq -e '.heap.own_bytes_per_event | .low <= 20000 and .high >= 20000' out.json
	jq -e '.heap.own_bytes_per_event.value | . > 19999 and . < 20001' out.json
	# a block of 20000 bytes is one of 20016 in RSS
	jq -e '.rss.own_bytes_per_event | .low <= 20016 and .high >= 20016' out.json
	jq -e '.rss.gain | .low <= 1 and .high >= 1 and .high - .low < .05' out.json
}

@test "ten megabytes per event are read as ten, not 9.77" {
	status=0
	"$seep" calibrate -o t.seep --level 10MB --block 4 -- "$ballast" 40 1419270 300000 \
		2> err.txt > out.txt || status=$?
	cat err.txt
	[ "$status" = 0 ]
	grep -q '^own 1419270$' out.txt
	sed -n 2p err.txt > first.txt
	grep -q '^RIGHT  the heap shows 1.0000 \[1.0000, 1.0000\] of a leak of 10.0 MB/event, ' \
		first.txt
	grep -Eq ', RSS [01]\.[0-9]* \[0\.99[0-9]*, 1\.00[0-9]*\]$' first.txt
	grep -Eq '^  heap +10\.0 MB/event measured as 10\.0* MB ' err.txt
	grep -Eq '^ +RSS +10\.0 MB/event measured as (9\.99[0-9]*|10\.0[0-9]*) MB ' err.txt
	[ "$("$seep" report --json t.seep | jq -r .verdict.kind)" = leak ]
}

@test "the leak has a site of its own, and its bytes are in the trace" {
	calibrate --level 100000 --block 3 -- "$ballast" 46 0 0
	"$dump" t.seep > dump.txt
	# 36 events behind the first 10: two rows of 0 L 2L 2L L 0, forth and back
	total=$(jq .injected_bytes out.json)
	[ "$total" = $((100000 * 3 * 12)) ]
	"$seep" report --json --all t.seep > report.json
	jq -e "[.sites[] | select([.stack[].function] | index(\"seep_calibration_leak\")) |
		.live_bytes] | add == $total" report.json
}

@test "blocks come as 0 L 2L 2L L 0, then the other way round" {
	calibrate --level 65536 --block 2 -- "$ballast" 58 0 0
	"$dump" t.seep > dump.txt
	id=$(sed -n 's/.* NAME .*id=\([0-9]*\) .*seep\.injected.*/\1/p' dump.txt)
	seen=$(sed -n "s/.* COUNT .*value=\([0-9.]*\) .*name=$id$/\1/p" dump.txt |
		awk '{ printf "%d", $1 / 65536 }')
	[ "$seen" = 001122221100221100001122221100001122001122221100 ]
}

@test "time slices serve as events" {
	for _ in 1 2 3; do # a machine may be too busy for so short slices
		calibrate --event time:10ms --block 4 -- "$ballast" 300 0 0 0
		[ "$status" = 0 ] && break
	done
	[ "$status" = 0 ]
	jq -e '.events > 60' out.json
	jq -e '.heap.gain | .low <= 1 and .high >= 1' out.json
}

@test "a run too short, or too noisy, is not told" {
	calibrate -- "$ballast" 15 0 0
	[ "$status" = 125 ]
	[ "$(jq -r .outcome out.json)" = unknown ]
	jq -e '.heap.gain.value == null and .level_bytes == null' out.json
	grep -q 'has only 15 events' out.json
	calibrate --level 64KiB -- "$ballast" 60 0 20000000
	[ "$status" = 125 ]
	jq -e '.rss.events_needed > 60' out.json
}

@test "what was not lost is not told" {
	run "$seep" calibrate --level 1MB --block 10 -f -o short.seep -- "$ballast" 26 0 0
	[ "$status" = 125 ]
	[[ $output == *" were leaked on purpose before the program ended"* ]]
	[[ $output != *"2 x "* ]]
}

@test "a quarter of the memory, and no more" {
	calibrate --limit 200MB --level 500kB -- "$ballast" 300 0 0
	[ "$status" = 0 ]
	jq -e '.injected_bytes <= 5e7 and .injected_bytes > 4.8e7' out.json
	grep -q 'has used a quarter of the available memory' out.json
	run "$seep" calibrate --limit 8MB -- "$ballast"
	[ "$status" = 125 ]
	[[ $output == *"which is not enough"* ]]
	run "$seep" calibrate --limit 200MB --level 10MB -- "$ballast"
	[ "$status" = 125 ]
	[[ $output == *"not enough for this --level"* ]]
}

@test "a long run: blocks grow with it" {
	calibrate --level 16KiB -- "$ballast" 12000 0 0
	[ "$status" = 0 ]
	jq -e '.events == 12000 and .heap.gain.low <= 1 and .heap.gain.high >= 1' out.json
}

@test "children are left alone, and so are results" {
	"$ballast" 60 5000 100000 > plain.txt
	"$seep" calibrate -o t.seep -- "$ballast" 60 5000 100000 > calibrated.txt 2> err.txt || true
	cmp plain.txt calibrated.txt
	for child in t.seep.*; do
		[ "$("$dump" "$child" | grep -c 'seep\.injected')" = 0 ]
		[ "$("$dump" "$child" | grep -c ' STAMP ')" -ge 100 ]
	done
}

@test "seep run and its children know nothing of it" {
	SEEP_CALIBRATE=100000000 "$seep" run -q -f -o t.seep -- "$ballast" 60 0 0
	[ "$("$dump" t.seep | grep -c 'seep\.injected')" = 0 ]
}

@test "under other allocators" {
	for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
		LD_PRELOAD=$allocator calibrate -- "$ballast" 130 20000 0
		# huge pages come and go by chance, and then RSS takes more events
		[ "$status" = 0 ] || [ "$(jq -r .rss.outcome out.json)" = unknown ]
		jq -e '.heap.outcome == "right"' out.json
		jq -e '.heap.own_bytes_per_event | .low <= 20000 and .high >= 20000' out.json
	done
}

@test "events that begin in a signal handler, in the middle of malloc" {
	gcc -O1 -x c -I"$SEEP_SOURCE/include" - -o handled <<-'END'
		#include <seep.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <sys/time.h>
		static volatile sig_atomic_t events;
		static void handle(int number)
		{
			(void)number;
			seep_event_begin(events++);
		}
		int main(void)
		{
			struct itimerval timer = {{0, 2000}, {0, 2000}};
			void *volatile block;
			signal(SIGALRM, handle);
			setitimer(ITIMER_REAL, &timer, NULL);
			while (events < 300) {
				block = malloc(2000);
				free(block);
				block = malloc(70000);
				free(block);
				for (volatile int i = 0; i < 3000; i++)
					;
			}
			return 0;
		}
	END
	calibrate --level 64KiB -- ./handled
	# nothing is allocated there, so nothing is told; but the program ends as it does alone
	[ "$status" = 125 ]
	jq -e '.heap.outcome == "unknown" and .events > 60' out.json
}

@test "what is wrong with a call is said" {
	run "$seep" calibrate
	[ "$status" = 125 ]
	[[ $output == *"name the program to run"* ]]
	calibrate -- ./nothing-here
	[ "$status" = 127 ]
	run "$seep" calibrate --level 12 -- "$ballast"
	[ "$status" = 125 ]
	[[ $output == *"less than a page"* ]]
	run "$seep" calibrate --block 0 -- "$ballast"
	[ "$status" = 125 ]
	SEEP_DISABLE=1 run "$seep" calibrate -- "$ballast"
	[ "$status" = 125 ]
	[[ $output == *SEEP_DISABLE* ]]
	run "$seep" help calibrate
	[ "$status" = 0 ]
	[[ $output == "usage: seep calibrate "* ]]
}

# What others use is not there to be lost: the budget is a quarter of what they leave.
@test "no more than a quarter of the memory that is left" {
	left() {
		awk '/^(MemAvailable|SwapFree):/ {n += $2} END {printf "%.0f\n", n * 1024}' \
			/proc/meminfo
	}
	before=$(left)
	"$seep" calibrate -f -o t.seep -- printenv SEEP_CALIBRATE > budget.txt 2> err.txt || true
	after=$(left)
	most=$((before > after ? before : after))
	[ "$(cat budget.txt)" -gt 0 ]
	[ $(($(cat budget.txt) * 4)) -le $((most + (64 << 20))) ]
}
