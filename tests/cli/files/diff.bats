#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What changed from one run to another, and from one heap profile to the next.

bats_require_minimum_version 1.5.0

SEEP=$SEEP_BUILD/bin/seep
HITS=$SEEP_BUILD/examples/hits
JEMALLOC=$(ldconfig -p | awk '$1 == "libjemalloc.so.2" { print $NF; exit }')

# A program that keeps memory in ways that are different at its two dumps.
write_grower() {
	cat >grower.c <<-'END'
		#include <stdlib.h>
		#include <string.h>

		#define NOINLINE __attribute__((noinline))

		int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));
		static void *volatile kept[100000];
		static int n;

		NOINLINE static void *grab(size_t size)
		{
			char *p = malloc(size);

			memset(p, 1, size);
			return p;
		}
		NOINLINE void keep_small(int k)
		{
			while (k--)
				kept[n++] = grab(100);
		}
		NOINLINE void keep_large(int k)
		{
			while (k--)
				kept[n++] = malloc(5000);
		}
		NOINLINE void replace(int k)
		{
			static void *volatile old[5000];

			for (int i = 0; i < 5000; i++) {
				free(old[i]);
				old[i] = i < k ? malloc(1000) : NULL;
			}
		}
		NOINLINE void descend(int depth)
		{
			if (depth) {
				descend(depth - 1);
				return;
			}
			keep_large(10);
			kept[n++] = malloc(777);
		}
		static void dump(const char *file)
		{
			mallctl("prof.dump", NULL, NULL, &file, sizeof(file));
		}
		int main(int argc, char **argv)
		{
			(void)argc;
			keep_small(3000);
			keep_large(500);
			replace(3000);
			descend(3);
			dump(argv[1]);
			keep_small(2000);
			keep_large(1500);
			replace(500);
			descend(5);
			descend(2);
			dump(argv[2]);
			return 0;
		}
	END
	gcc -g -O1 -fno-optimize-sibling-calls grower.c -o grower
}

# A leak of 1000 bytes and one of 500, and a third that is repaired by -DREPAIRED.
write_mover() {
	cat >mover.c <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		MOVED
		__attribute__((noinline)) static void *volatile *one(void)
		{
			static void *volatile p;

			p = malloc(1000);
			return &p;
		}
		MOVED
		__attribute__((noinline)) static void two(void)
		{
			static void *volatile p;

			p = malloc(500);
			MOVED
			p = malloc(200);
		#ifdef REPAIRED
			free(p);
		#endif
		}
		int main(void)
		{
			for (int i = 0; i < 30; i++) {
				seep_event_begin(i);
				one();
				two();
				MOVED
				seep_event_end();
			}
			return 0;
		}
	END
	sed '/MOVED/d' mover.c >mover1.c
	sed 's/MOVED/\/* more\n\n\nand more *\//' mover.c >mover2.c
	gcc -g -O2 -I"$SEEP_SOURCE/include" mover1.c -o mover1
	gcc -g -O2 -DREPAIRED -I"$SEEP_SOURCE/include" mover2.c -o mover2
	"$SEEP" run -o mover1.seep -- ./mover1 >/dev/null 2>&1
	"$SEEP" run -o mover2.seep -- ./mover2 >/dev/null 2>&1
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	"$SEEP" run -o none.seep -- "$HITS" --events 60 >none.truth 2>/dev/null
	"$SEEP" run -o fix2.seep -- "$HITS" --events 60 --fix 2 >/dev/null 2>&1
	"$SEEP" run -o seed.seep -- "$HITS" --events 60 --seed 7 >/dev/null 2>&1
	"$SEEP" run -o more.seep -- "$HITS" --events 60 --hits 3500 >/dev/null 2>&1
	"$SEEP" run -o fixed.seep -- "$HITS" --events 60 --fix 1 --fix 2 --fix 3 --fix 4 \
		>/dev/null 2>&1
	write_grower
	export MALLOC_CONF=prof:true,lg_prof_sample:0
	LD_PRELOAD=$JEMALLOC ./grower exact1.heap exact2.heap
	export MALLOC_CONF=prof:true,lg_prof_sample:13
	LD_PRELOAD=$JEMALLOC ./grower sample1.heap sample2.heap
	unset MALLOC_CONF
	write_mover
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

# changed FILE FILE: "FUNCTION CHANGE" of each site
changed() {
	"$SEEP" diff --json "$1" "$2" |
		jq -r '.sites[] | .stack[.own_frame].function + " " + .change' | sort
}

@test "diff: one of four leaks is gone, by as much as the example says" {
	hits=$(awk '$2 == "hits_mean" { print $3 }' none.truth)
	run -0 "$SEEP" diff none.seep fix2.seep
	[[ "${lines[0]}" == "leaks "*" kB less per event, 64 B less per numHit; three sites left" ]]
	[[ "${lines[-1]}" == "next: "*" report --site "*" fix2.seep" ]]
	diff - <(changed none.seep fix2.seep) <<-'END'
		Tran<double>::ConvertFrom gone
		Tran<double>::Invert same
		sframe::prepare same
		sframe::prepare same
	END
	"$SEEP" diff --json none.seep fix2.seep | jq -e --argjson hits "$hits" '
		.schema == "seep-diff/1" and .outcome == "less" and .confidence == 0.95 and
		.difference.low < -64 * $hits and .difference.high > -64 * $hits and
		.difference.high < 0 and
		(.unit.difference.bytes + 64 | fabs) < 0.1 and (.unit.same | not) and
		([.sites[] | select(.change == "gone")][0].difference.bytes + 64 | fabs) < 0.1'
}

@test "diff: the other way round it is new" {
	run -0 "$SEEP" diff fix2.seep none.seep
	[[ "${lines[0]}" == "leaks "*" more per event, 64 B more per numHit; one site is new" ]]
	grep -q '^  sites   new .*ConvertFrom' <<<"$output"
}

@test "diff: another seed changes nothing" {
	run -0 "$SEEP" diff none.seep seed.seep
	[[ "${lines[0]}" == "no difference was detected: "* ]]
	[ "$(changed none.seep seed.seep | grep -c ' same$')" -eq 4 ]
	"$SEEP" diff --json none.seep seed.seep | jq -e '
		.unit.same and .difference.low < 0 and .difference.high > 0'
}

@test "diff: twice the hits are more per event and the same per hit" {
	run -0 "$SEEP" diff none.seep more.seep
	[[ "$output" == *" more per event, but the same per numHit: 1216 B; "* ]]
	[ "$(changed none.seep more.seep | grep -c ' same$')" -eq 4 ]
}

@test "diff: a leak that is gone, and one that is new" {
	run -0 "$SEEP" diff none.seep fixed.seep
	[[ "${lines[0]}" == "the leak is gone: "* ]]
	[ "$(changed none.seep fixed.seep | grep -c ' gone$')" -eq 4 ]
	run -0 "$SEEP" diff fixed.seep none.seep
	[[ "${lines[0]}" == "the leak is new: "* ]]
	run -0 "$SEEP" diff fixed.seep fixed.seep
	[[ "${lines[0]}" == "neither run has a leak: "* ]]
}

@test "diff: peaks, the end and moves stand beside the rates" {
	run -0 "$SEEP" diff none.seep fix2.seep
	[[ "$output" == *$'\n  peak    live heap '*" MB -> "*"; RSS "* ]]
	[[ "$output" == *$'\n  end     RSS '* ]]
	"$SEEP" diff --json none.seep fix2.seep | jq -e '.series == "heap" and
		.footprint.moves_per == "event" and
		.footprint.peak_heap_bytes.before > .footprint.peak_heap_bytes.after and
		.footprint.peak_rss_bytes.before >= .footprint.end_rss_bytes.before and
		.footprint.moves.before >= 0 and .footprint.copied_bytes.after >= 0'
}

# A heap that leaks, or mappings that nobody unmaps, or memory that grows over time.
write_others() {
	cat >others.c <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			for (int i = 0; i < 60 * argc; i++) {
				if (*argv[1] != 't')
					seep_event_begin(i);
				if (*argv[1] == 'm')
					memset(mmap(NULL, 65536, 3, 34, -1, 0), 1, 65536);
				else
					*(void *volatile *)malloc(1000 * argc) = 0;
				if (*argv[1] == 't')
					usleep(10000);
				else
					seep_event_end();
			}
			return 0;
		}
	END
	gcc -g -O1 -I"$SEEP_SOURCE/include" others.c -o others
}

@test "diff: the live heap of one run is not compared with RSS of the other" {
	write_others
	"$SEEP" run -o heap.seep -- ./others h >/dev/null 2>&1
	"$SEEP" run -o maps.seep -- ./others m >/dev/null 2>&1
	[ "$("$SEEP" report --json heap.seep | jq -r .verdict.series)" = heap ]
	[ "$("$SEEP" report --json maps.seep | jq -r .verdict.series)" = rss ]
	"$SEEP" diff --json heap.seep maps.seep | jq -e '.series == "heap" and
		(.before.bytes > 1900 and .before.bytes < 2100) and .after.bytes < 100'
	run -0 "$SEEP" diff maps.seep heap.seep
	[[ "$(tr -s '\n ' ' ' <<<"$output")" == *"the rates compared are those of the live heap"* ]]
}

@test "diff: runs without events are compared per second" {
	write_others
	"$SEEP" run -o slow.seep -- ./others t >/dev/null 2>&1
	"$SEEP" run -o fast.seep -- ./others t more more >/dev/null 2>&1
	for form in text json; do
		run -0 "$SEEP" diff --to "$form" slow.seep fast.seep
		[[ "$output" != *"per event"* && "$output" != */event* && "$output" != *slice* ]]
	done
	[ "$("$SEEP" diff --json slow.seep fast.seep | jq -r .per,.footprint.moves_per)" = \
		$'s\ns' ]
}

@test "diff: sites are matched by symbol in a rebuilt program" {
	diff - <(changed mover1.seep mover2.seep) <<-'END'
		one same
		two gone
		two same
	END
	run -0 "$SEEP" diff mover1.seep mover2.seep
	[[ "${lines[0]}" == "leaks 200"*" B less per event; two sites left" ]]
	[ "$("$SEEP" report --json mover1.seep | jq '.sites[0].stack[1].line')" != \
		"$("$SEEP" report --json mover2.seep | jq '.sites[0].stack[1].line')" ]
}

@test "diff: a program that is gone and whose names are not stored: no site is called new" {
	cp mover2 "$BATS_TEST_TMPDIR/program"
	cd "$BATS_TEST_TMPDIR"
	"$SEEP" run -o before.seep -- ./program >/dev/null 2>&1
	cp "$BATS_FILE_TMPDIR/mover1" program
	"$SEEP" run -o after.seep -- ./program >/dev/null 2>&1
	run -0 "$SEEP" diff before.seep after.seep
	[[ "$output" != *"has no function names here"* ]]
	"$SEEP_SOURCE/tests/cli/without_names.py" before.seep
	run -0 "$SEEP" diff before.seep after.seep
	[[ "${lines[0]}" == "leaks 200"*" B more per event; no site is new" ]]
	[[ "$output" == *"note    one of the programs has no function names here"* ]]
	[ "$(changed before.seep after.seep | grep -vc ' perhaps$')" -eq 0 ]
}

# by_jeprof FIRST SECOND: "FUNCTION FLAT CUM" as jeprof has it
by_jeprof() {
	jeprof --text --show_bytes --base="$1" ./grower "$2" 2>/dev/null |
		awk 'NF == 6 { print $6, $1, $4 }' | sort
}

by_seep() {
	"$SEEP" diff --json "$1" "$2" | jq -r '.functions[] |
		select(.flat.difference != 0 or .cum.difference != 0) |
		"\(.function) \(.flat.difference | round) \(.cum.difference | round)"' | sort
}

# alike FILE FILE: the same functions, and numbers that differ by rounding alone
alike() {
	paste -d ' ' "$1" "$2" | awk '
		function off(a, b) { return a > b ? a - b : b - a }
		$1 != $4 || off($2, $5) > 3 || off($3, $6) > 3 { print; bad = 1 }
		END { exit bad || !NR }'
}

@test "diff: two heap profiles differ as jeprof --base says, function by function" {
	for command in jeprof file; do # without file(1) jeprof finds no names
		command -v $command >/dev/null || skip "no $command"
	done
	for kind in exact sample; do
		by_jeprof ${kind}1.heap ${kind}2.heap >jeprof.$kind
		by_seep ${kind}1.heap ${kind}2.heap >seep.$kind
		[ "$(wc -l <seep.$kind)" -gt 5 ]
		alike jeprof.$kind seep.$kind
	done
	by_jeprof exact2.heap exact1.heap >jeprof.back
	by_seep exact2.heap exact1.heap >seep.back
	alike jeprof.back seep.back
}

@test "diff: what is alive is told by site, with the error of the sample" {
	run -0 "$SEEP" diff exact1.heap exact2.heap
	[[ "${lines[0]}" == *" MB more alive: "*" after; four sites grew, one shrank" ]]
	[[ "${lines[0]}" != *"+-"* ]]
	[[ "${lines[-1]}" == "next: "*" diff --to svg -o diff.svg exact1.heap exact2.heap" ]]
	grep -q '^  sites   more .*keep_large' <<<"$output"
	grep -q ' less .*replace ' <<<"$output"
	run -0 "$SEEP" diff sample1.heap sample2.heap
	[[ "${lines[0]}" == *" +- "*" MB more alive: "* ]]
	truth=$("$SEEP" diff --json exact1.heap exact2.heap | jq .difference.bytes)
	# three times the interval: six standard errors
	"$SEEP" diff --json sample1.heap sample2.heap | jq -e --argjson truth "$truth" '
		.compared == "live" and .difference.low < .difference.bytes and
		(.difference.bytes - $truth | fabs) < 1.5 * (.difference.high - .difference.low)'
}

@test "diff: a profile against itself has no change, sampled or not" {
	for file in exact1.heap sample1.heap; do
		run -0 "$SEEP" diff $file $file
		[[ "${lines[0]}" == "the same amount is live in both: "* ]]
		"$SEEP" diff --json $file $file | jq -e '
			.outcome == "same" and all(.sites[]; .change == "same")'
	done
}

@test "diff: a run against a heap profile is compared by what is alive, with a note" {
	run -0 "$SEEP" diff exact1.heap none.seep
	[[ "$output" == *"note    one is a heap profile and the other a run"* ]]
}

@test "diff: a run written as pprof has the same sites" {
	"$SEEP" export --to pprof -o none.pb.gz none.seep
	run -0 "$SEEP" diff none.seep none.pb.gz
	[[ "${lines[0]}" == "the same amount is live in both: "* ]]
	"$SEEP" diff --json none.seep none.pb.gz | jq -e '
		(.sites | length) > 3 and all(.sites[]; .change == "same")'
}

@test "diff: the call graph is one that dot draws" {
	command -v dot >/dev/null || skip "no graphviz"
	"$SEEP" diff --to dot exact1.heap exact2.heap >graph.dot
	dot -Tplain graph.dot >graph.plain
	grep -q '^node .*keep_large' graph.plain
	grep -q 'not shown: functions that changed by .* or less' graph.dot
	run -0 "$SEEP" diff --to svg -o graph.svg exact1.heap exact2.heap
	[ -z "$output" ]
	grep -q '</svg>' graph.svg
	grep -q '>keep_large<' graph.svg
}

@test "diff: without dot nothing is written, and the package is named" {
	mkdir -p "$BATS_TEST_TMPDIR/empty"
	run -125 env PATH="$BATS_TEST_TMPDIR/empty" "$SEEP" diff --to svg \
		-o "$BATS_TEST_TMPDIR/x.svg" exact1.heap exact2.heap
	[[ "$output" == *graphviz* ]]
	[ ! -e "$BATS_TEST_TMPDIR/x.svg" ]
}

@test "diff: a dot that fails is an error, and the old file stays" {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho half a picture\nexit 3\n' >"$BATS_TEST_TMPDIR/bin/dot"
	chmod +x "$BATS_TEST_TMPDIR/bin/dot"
	echo old >"$BATS_TEST_TMPDIR/x.svg"
	PATH="$BATS_TEST_TMPDIR/bin:$PATH" run -125 "$SEEP" diff --to svg \
		-o "$BATS_TEST_TMPDIR/x.svg" exact1.heap exact2.heap
	[[ "$output" == *"Graphviz's dot failed (status 3)"* ]]
	[ "$(cat "$BATS_TEST_TMPDIR/x.svg")" = old ]
}

@test "diff: wrong usage and files that are not there" {
	run -125 "$SEEP" diff none.seep
	[[ "$output" == *"takes two files, but 1 was given"* ]]
	run -125 "$SEEP" diff none.seep fix2.seep seed.seep
	run -125 "$SEEP" diff --to pdf none.seep fix2.seep
	run -125 "$SEEP" diff none.seep missing.seep
	[[ "$output" == *missing.seep* ]]
	head -c 3000 exact1.heap | sed 's/0x/zz/' >broken.heap
	run -125 "$SEEP" diff exact1.heap broken.heap
	[[ "$output" == *"broken.heap"* ]]
	run -0 "$SEEP" diff --help
}
