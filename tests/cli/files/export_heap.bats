#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep export to the formats of heap profiles: each is read by the program that it is made
# for, and what that shows is held against the report of the same trace.

bats_require_minimum_version 1.5.0

FORMATS="pprof heap_v2 gperftools folded speedscope massif callgrind"

setup_file() {
	export PATH="$SEEP_BUILD/bin:$PATH"
	export PPROF_TMPDIR="$BATS_FILE_TMPDIR"
	export HITS="$SEEP_BUILD/examples/hits"
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE
	make_programs
	seep run -q -o hits.seep -- "$HITS" --events 40 >hits.txt
	seep run -q -e api -o odd.seep -- ./odd
	seep run -q -e api -o even.seep -- ./even
	seep run -q -e api -o deep.seep -- "$SEEP_BUILD/tests/truth/deep" >/dev/null
	seep run -q -e api -o maps.seep -- "$SEEP_BUILD/tests/truth/maps" >/dev/null
	for trace in hits odd even deep maps; do
		seep report --json $trace.seep >$trace.json
		for format in $FORMATS; do
			seep export --to "$format" -o "$trace.$format" $trace.seep
		done
	done
}

# A program with names that a format could stumble over: of a stamp, and of a
# function; and the same without the latter.
make_programs() {
	cat >odd.c <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		void *kept[40][101];
		__attribute__((noinline)) void renamed(int i)
		{
			kept[i][100] = malloc(1000);
		}
		__attribute__((noinline)) void tiny(int i, int j)
		{
			kept[i][j] = malloc(1);
		}
		int main(void)
		{
			for (int i = 0; i < 40; i++) {
				seep_event_begin(i);
				seep_stamp("a;b\n\033[31m\"(1)#\xff");
				for (int j = 0; j < 100; j++)
					tiny(i, j);
				renamed(i);
				seep_event_end();
			}
			return 0;
		}
	END
	gcc -O1 -fno-optimize-sibling-calls -I"$SEEP_SOURCE/include" -c odd.c -o odd.o
	objcopy --redefine-sym renamed=$'(1) k;e\np#1\e' odd.o
	gcc odd.o -o odd
	gcc -g -I"$SEEP_SOURCE/include" odd.c -o even
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE
}

# need COMMAND PACKAGE: skips where the reader is missing, unless tests are required
need() {
	command -v "$1" >/dev/null && return
	[ "$SEEP_REQUIRE_TESTS" != ON ] || {
		echo "$1 is missing; tools/setup --test installs $2"
		return 1
	}
	skip "no $1"
}

# jeprof and google-pprof take the program for one of Windows where there is no file(1).
need_perl() {
	need "$1" "$2"
	need file file
}

# holds WHAT TRACE [FILE]: what the reader printed against the report
holds() {
	"$SEEP_SOURCE/tests/cli/profile_check.py" "$1" "$2.json" ${3:+"$3"}
}

pprof() {
	go tool pprof -symbolize=none "$@" 2>stderr.txt
}

@test "pprof: every number of every site, labels and stacks" {
	need go golang-go
	gzip -t <hits.pprof
	for trace in hits odd deep maps; do
		pprof -raw $trace.pprof >raw.txt
		holds pprof $trace raw.txt
	done
}

@test "pprof: a leak of four lines, as the program knows it" {
	need go golang-go
	rate=$(awk '$2 == "rate_bytes_per_event" { print $3 + 0 }' hits.txt)
	pprof -top -lines -sample_index=leak_rate hits.pprof >top.txt
	grep -q "nodes accounting for ${rate}bytes/event, 100% of ${rate}bytes/event" top.txt
	sed 1,/flat%/d top.txt | awk '$1 != 0 { print $6, $7 }' | sort >lines.txt
	awk '$2 == "site" { print $3, "hits.cc:" $9 }' hits.txt | sort >truth.txt
	[ "$(wc -l <truth.txt)" -eq 4 ]
	sed 's| /.*/| |' lines.txt | diff - truth.txt
}

@test "pprof: what is asked of some events and of a phase alone" {
	need go golang-go
	pprof -top -unit=b -tagfocus=event=10:19 hits.pprof >top.txt
	bytes=$(jq '[.sites[] | .cohorts | (.first_event == 0 and .events_per_bin == 1),
		(.live_bytes[10:20] | add)] | if [.[] | booleans] | all then [.[] | numbers] | add
		else error("not one event per bin") end' hits.json)
	pprof -raw -tagfocus=event=10:19 hits.pprof |
		awk '/^Samples/ { on = 1 } /^Locations/ { on = 0 } on && /: / { sum += $4 }
			END { print sum }' >sum.txt
	[ "$(cat sum.txt)" = "$bytes" ]
	pprof -tags hits.pprof | grep -q '100%): QSim__simulate_TAIL'
}

@test "pprof: program, build ids, times, verdict; the difference to itself is nothing" {
	need go golang-go
	pprof -raw hits.pprof >raw.txt
	id=$(readelf -n "$HITS" | awk '/Build ID/ { print $3 }')
	grep -qE "^1: 0x[0-9a-f]+/0x[0-9a-f]+/0x[0-9a-f]+ $HITS $id \[FN\]" raw.txt
	grep -q "^Comment: LEAK: live heap grows by" raw.txt
	grep -q "^Comment: command: $HITS --events 40" raw.txt
	started=$(jq -r .run.started hits.json)
	grep -q "^Time: ${started%T*} " raw.txt
	pprof -top -base=hits.pprof hits.pprof | grep -q 'accounting for 0, 0% of'
	grep -q '^Period: 0$' raw.txt
	seep run -q -f -o sampled.seep --sample 64kB -- "$HITS" --events 20 >/dev/null
	seep report --json sampled.seep >sampled.json
	seep export --to pprof sampled.seep >sampled.pprof
	pprof -raw sampled.pprof >raw.txt
	grep -q '^Period: 64000$' raw.txt
	holds pprof sampled raw.txt
}

@test "pprof: a program that is gone, without stored names, keeps its addresses" {
	need go golang-go
	cp "$HITS" gone
	seep run -q -o gone.seep -- ./gone --events 10 >/dev/null
	"$SEEP_SOURCE/tests/cli/without_names.py" gone.seep
	rm gone
	for format in $FORMATS; do
		seep export --to "$format" gone.seep >"gone.$format"
	done
	pprof -raw gone.pprof >raw.txt
	seep report --json gone.seep >gone.json
	holds pprof gone raw.txt
	grep -qE "^1: 0x[0-9a-f]+/0x[0-9a-f]+/0x0 $PWD/gone [0-9a-f]+ *$" raw.txt
}

@test "heap_v2: jeprof finds the names and the exact numbers, of single bytes as well" {
	need_perl jeprof libjemalloc-dev
	jeprof --text --show_bytes "$HITS" hits.heap_v2 >text.txt
	holds perl hits text.txt
	jeprof --text --show_bytes ./even even.heap_v2 >text.txt
	holds perl even text.txt
	[ "$(awk '$6 == "tiny" { print $1 }' text.txt)" = 4000 ]
	jeprof --text --inuse_objects ./even even.heap_v2 >text.txt
	[ "$(awk '$6 == "tiny" { print $1 }' text.txt)" = 4000 ]
}

@test "heap_v2: jeprof shows the lines that allocate, and what was freed" {
	need_perl jeprof libjemalloc-dev
	jeprof --text --show_bytes --lines "$HITS" hits.heap_v2 >lines.txt
	awk '$2 == "site" { sub(/<.*>/, "", $3); print $3, $7, "hits.cc:" $9 }' hits.txt |
	while read -r name bytes place; do
		awk -v name="$name" -v place="/$place" '$6 == name &&
			substr($0, length - length(place) + 1) == place { print $4 }' \
			lines.txt >found.txt
		echo "$name $place: $bytes, $(cat found.txt)"
		awk -v bytes="$bytes" '$1 >= bytes { ok++ } END { exit ok != 1 }' found.txt
	done
	jeprof --text --alloc_objects "$HITS" hits.heap_v2 | head -n 1 >total.txt
	[ "$(cat total.txt)" = "Total: $(jq '[.sites[] | select(.kind == "heap").born] | add' \
		hits.json) objects" ]
}

@test "gperftools: google-pprof and pprof read the same" {
	need_perl google-pprof google-perftools
	google-pprof --text --show_bytes "$HITS" hits.gperftools >text.txt
	holds perl hits text.txt
	need go golang-go
	bytes=$(jq '[.sites[] | select(.kind == "heap").live_bytes] | add' hits.json)
	pprof -raw hits.gperftools |
		awk '/^Samples/ { on = 1 } /^Locations/ { on = 0 } on && /: / { sum += $4 }
			END { print sum }' >sum.txt
	[ "$(cat sum.txt)" = "$bytes" ]
}

@test "heap_v2 and gperftools: seep reads back what it wrote" {
	for format in heap_v2 gperftools; do
		seep report --json hits.$format >back.json
		for report in hits.json back.json; do
			jq -c '[.sites[] | select(any(.stack[]; .function == "main")) |
				[.live_bytes, .live_objects, .born, [.stack[].function]]] |
				sort | .[]' $report >$report.sites
		done
		diff hits.json.sites back.json.sites
		[ "$(wc -l <back.json.sites)" -gt 8 ]
	done
}

@test "pprof: a dump of jemalloc becomes one that pprof can read" {
	need go golang-go
	seep report --json hits.heap_v2 >converted.json
	seep export --to pprof hits.heap_v2 >converted.pprof
	pprof -raw converted.pprof >raw.txt
	holds pprof converted raw.txt
}

@test "folded: every stack with its live bytes" {
	for trace in hits deep maps; do
		holds folded $trace $trace.folded
	done
	stacks=$(jq '[.sites[] | select(.live_bytes > 0)] | length' odd.json)
	[ "$(grep -c . odd.folded)" -eq "$stacks" ]
	grep -qF ';main;(1) k:e\x0ap#1\x1b 40000' odd.folded
}

@test "speedscope: keeps to the schema, with live bytes, blocks and growth" {
	for trace in hits deep maps; do
		holds speedscope $trace $trace.speedscope
	done
	jq -r '.profiles[].name' hits.speedscope | tr '\n' , >names.txt
	[ "$(cat names.txt)" = \
		"live bytes,growth in bytes per event,live blocks,allocated bytes," ]
}

@test "massif: ms_print shows the series and the tree" {
	need ms_print valgrind
	for trace in hits deep maps; do
		ms_print $trace.massif >print.txt 2>stderr.txt
		[ ! -s stderr.txt ]
		[ $trace = maps ] || holds massif $trace print.txt
	done
	ms_print hits.massif >print.txt
	grep -q '^Number of snapshots: 100$' print.txt
	# The heap of the stamps, which grows up to the total.
	awk '$1 == "0" && NF == 6 { gsub(/,/, ""); first = $3 }
		$1 == "50" && NF == 6 { gsub(/,/, ""); middle = $3 }
		$1 == "99" && NF == 6 { gsub(/,/, ""); last = $3 }
		END { exit !(first < middle && middle * 1.5 < last) }' print.txt
	ms_print odd.massif | grep -q ': (1) k;e\\x0ap_1\\x1b (in odd)$'
}

@test "massif: dumps without a clock are at their events" {
	{
		printf 'desc: x\ncmd: job\ntime_unit: i\n'
		for i in 1 2 3 4 5 6 7 8 9; do
			printf 'snapshot=%d\ntime=%d\nmem_heap_B=%d000\n' $i $i $i
			printf 'heap_tree=detailed\n'
			printf 'n1: %d000 (heap)\n n0: %d000 0x10: keep (a.c:3)\n' $i $i
		done
	} >"$BATS_TEST_TMPDIR/in.out"
	seep export --to massif -o "$BATS_TEST_TMPDIR/again.out" "$BATS_TEST_TMPDIR/in.out"
	grep '^time' "$BATS_TEST_TMPDIR/again.out" |
		cmp - <(printf 'time_unit: i\n' && printf 'time=%d\n' 0 1 2 3 4 5 6 7 8 8)
	ms_print "$BATS_TEST_TMPDIR/again.out" | grep -q keep
}

@test "callgrind: callgrind_annotate shows what each function has and leads to" {
	need callgrind_annotate valgrind
	for trace in hits deep maps; do
		callgrind_annotate --threshold=100 --auto=no $trace.callgrind >text.txt 2>stderr.txt
		holds callgrind $trace text.txt
		callgrind_annotate --threshold=100 --auto=no --inclusive=yes $trace.callgrind \
			>text.txt 2>>stderr.txt
		holds callgrind_inclusive $trace text.txt
		[ ! -s stderr.txt ]
	done
	callgrind_annotate odd.callgrind >text.txt
	grep -qF '???:(1) k;e\x0ap#1\x1b [odd]' text.txt
}

@test "callgrind: costs stand beside the source" {
	need callgrind_annotate valgrind
	callgrind_annotate hits.callgrind "$SEEP_SOURCE/examples/hits.cc" >text.txt 2>stderr.txt
	[ ! -s stderr.txt ]
	awk '$2 == "site" { print $7, $5 }' hits.txt | sort >truth.txt
	sed -n '/^-- .*annotated source: .*hits.cc/,$p' text.txt |
		sed 's/([^)]*%)//g; s/,//g; /=>/d' |
		awk '$1 > 4e6 && /new/ { print $1, $2 }' | sort | diff - truth.txt
}

@test "no name out of a trace ends a line or reaches a terminal" {
	for format in heap_v2 gperftools folded speedscope massif callgrind; do
		run ! grep -q $'\e' "odd.$format"
	done
	holds speedscope hits hits.speedscope
	jq -e '[.shared.frames[].name] | any(. == "(1) k;e\\x0ap#1\\x1b")' odd.speedscope
	need go golang-go
	pprof -raw odd.pprof >raw.txt
	run ! grep -q $'\e' raw.txt
	grep -qF 'phase:[a;b__[31m"(1)#\xff]' raw.txt
}

@test "what was not recorded is not made up" {
	cat >inside.c <<-'END'
		#include <seep.h>
		int main(void)
		{
			for (int i = 0; i < 10; i++) {
				seep_event_begin(i);
				seep_event_end();
			}
		}
	END
	gcc -DSEEP_LINK -I"$SEEP_SOURCE/include" inside.c -o inside "$SEEP_BUILD/lib/libseep.a" \
		-pthread
	rm -f seep.inside.*.seep
	./inside
	for format in $FORMATS; do
		run -125 seep export --to "$format" -o none seep.inside.*.seep
		[[ "$output" == *"has no call sites"*"$format"* ]]
		[ ! -e none ]
	done
}

@test "a full disk leaves nothing, neither the file nor a draft of it" {
	for format in $FORMATS; do
		status=0
		seep export --to "$format" deep.seep >/dev/full 2>full.txt || status=$?
		[ "$status" -eq 125 ]
		grep -q 'No space left' full.txt
	done
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	mkdir small
	mount -t tmpfs -o size=64k tmpfs small || skip "cannot mount"
	dd if=/dev/zero of=small/filler bs=4096 count=16 status=none || true
	for format in $FORMATS; do
		if seep export --to "$format" -o small/x deep.seep 2>>small.txt; then
			echo "$format" >>small.txt
		fi
		ls -A small >>small.txt
	done
	umount small
	[ "$(grep -c 'No space left' small.txt)" -eq 7 ]
	[ "$(grep -vc 'No space left' small.txt)" -eq 7 ]
	[ "$(grep -v 'No space left' small.txt | sort -u)" = filler ]
}

@test "a compressed file is not for a terminal" {
	script -qec true /dev/null || skip "no pseudo-terminal here"
	run script -qec "seep export --to pprof hits.seep" /dev/null
	[[ "$output" == *"cannot be shown in a terminal"*"-o FILE"* ]]
}
