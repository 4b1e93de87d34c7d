#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep run --profiler: the heap profilers of jemalloc and tcmalloc, dumped at events.
#
# shellcheck disable=SC2030,SC2031 # what a test exports is for this test
# shellcheck disable=SC2016 # what stands in quotes is for another shell

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	seep=$SEEP_BUILD/bin/seep
	hits=$SEEP_BUILD/examples/hits
	truth=$SEEP_BUILD/tests/truth
	unset SEEP_DISABLE MALLOC_CONF HEAPPROFILE JEMALLOCLIB TCMALLOCLIB LD_PRELOAD
}

# profile NAME OPTION... -- COMMAND: all dumps and traces are new
profile() {
	rm -rf t.seep t.dumps
	"$seep" run -q --profiler "$1" -o t.seep "${@:2}"
}

note=(--dump-from 49 --dump-until 99 --dump-period 10)

# dumps PATTERN: the names of the dumps in order, with # for the pid
dumps() {
	find t.dumps -type f -name "$1" -printf '%f\n' | sort -V | sed 's/^jeprof\.[0-9]*/jeprof.#/'
}

is() {
	jq -e "$1" runinfo.json >/dev/null
}

@test "jemalloc: the example of the note makes its seven dumps, and the last at the end" {
	profile jemalloc "${note[@]}" --run-info runinfo.json -- "$hits" --events 120 >out.txt
	[ "$(dumps '*.m?.*')" = "jeprof.#.0.m0.event49.heap
jeprof.#.1.m1.event59.heap
jeprof.#.2.m2.event69.heap
jeprof.#.3.m3.event79.heap
jeprof.#.4.m4.event89.heap
jeprof.#.5.m5.event99.heap
jeprof.#.6.m6.event99.heap" ]
	[ "$(dumps '*.f.heap')" = jeprof.#.0.f.heap ]
	is '[.dumps[].event] == [49, 59, 69, 79, 89, 99, 99, 120]'
	is '[.dumps[].final] == [false, false, false, false, false, false, false, true]'
	for file in $(jq -r '.dumps[].file' runinfo.json); do
		[ "$(head -n 1 "$file")" = heap_v2/524288 ]
	done
}

@test "jemalloc: dumps that it makes by itself stand in no way" {
	export MALLOC_CONF=lg_prof_interval:16
	profile jemalloc --dump-from 9 --dump-until 69 --dump-period 30 --run-info runinfo.json -- \
		"$hits" --events 80 >out.txt
	[ "$(find t.dumps -name '*.i*.heap' | wc -l)" -gt 50 ]
	[ "$(dumps '*.event*')" = "jeprof.#.0.m0.event9.heap
jeprof.#.1.m1.event39.heap
jeprof.#.2.m2.event69.heap
jeprof.#.3.m3.event69.heap" ]
	is '[.dumps[].event | values] == [9, 39, 69, 69, 80]'
	[ "$("$seep" report --json t.seep | jq '.run.notes | length')" -eq 0 ]
}

@test "tcmalloc: likewise, with the numbers that it counts by" {
	profile tcmalloc "${note[@]}" --run-info runinfo.json -- "$hits" --events 120 --hits 50 \
		>out.txt
	[ "$(dumps '*')" = "tcmalloc.0001.event49.heap
tcmalloc.0002.event59.heap
tcmalloc.0003.event69.heap
tcmalloc.0004.event79.heap
tcmalloc.0005.event89.heap
tcmalloc.0006.event99.heap
tcmalloc.0007.event99.heap
tcmalloc.0008.heap" ]
	is '[.dumps[].event] == [49, 59, 69, 79, 89, 99, 99, 120]'
	is '.dumps[7].final and (.dumps[6].final | not)'
	for file in $(jq -r '.dumps[].file' runinfo.json); do
		head -n 1 "$file" | grep -q '^heap profile: '
	done
}

# With a sample as fine as this the figures are nearly exact: 1216 bytes of each hit live.
@test "the dumps are of the ends of their events, as jeprof and google-pprof read them" {
	export MALLOC_CONF=lg_prof_sample:10
	profile jemalloc --dump-from 10 --dump-until 20 --dump-period 10 -- \
		"$hits" --events 20 >out.txt
	"$hits" --events 10 >ten.txt
	for events in 10 20; do
		[ $events = 10 ] && from=ten.txt || from=out.txt
		bytes=$(awk '/^truth site/ { sum += $(NF - 2) } END { print sum }' "$from")
		file=$(find t.dumps -name "*.m[01].event$events.heap")
		jeprof --text --show_bytes "$hits" "$file" >profile.txt 2>err.txt
		grep -q 'sframe::prepare' profile.txt
		awk -v want="$bytes" '$1 == "Total:" { ok = $2 > want && $2 < 1.1 * want }
			END { exit !ok }' profile.txt
	done
	unset MALLOC_CONF
	profile tcmalloc --dump-from 10 --dump-until 10 -- "$hits" --events 20 >out.txt
	bytes=$(awk '/^truth site/ { sum += $(NF - 2) } END { print sum }' ten.txt)
	google-pprof --text --show_bytes "$hits" t.dumps/*.0001.event10.heap 2>err.txt |
		head -n 1 >profile.txt
	awk -v want="$bytes" '{ ok = $2 > want && $2 < 1.1 * want } END { exit !ok }' profile.txt
}

@test "without a schedule: events 1, 101, ... and the end" {
	profile jemalloc --run-info runinfo.json -- "$hits" --events 150 --hits 10 >out.txt
	is '[.dumps[].event] == [1, 101, 150]'
}

@test "output and status are the program's own" {
	"$hits" --events 60 --hits 50 >plain.txt
	for name in jemalloc tcmalloc; do
		profile $name --dump-period 20 -- "$hits" --events 60 --hits 50 >out.txt
		cmp plain.txt out.txt
		run profile $name -- sh -c 'echo out; exit 3'
		[ "$status" -eq 3 ]
		[ "${lines[0]}" = out ] || [ "${lines[1]}" = out ]
	done
}

@test "what seep says names the dumps and their events" {
	"$seep" run --profiler jemalloc --dump-from 5 --dump-until 9 --dump-period 4 -o t.seep -- \
		"$hits" --events 12 >out.txt 2>err.txt
	grep -q 'heap by jemalloc' err.txt
	grep -q '^seep: 4 dumps in t.dumps, from events 5, 9, 9 and the end$' err.txt
	[ "$(grep -c '^next: ' err.txt)" -eq 1 ]
}

# The rate per event is the true one but for the sample, whose error is some 2 %; and the
# four sites are named.
report_is_true() {
	"$seep" report --json --all t.dumps >report.json
	rate=$(awk '$2 == "rate_bytes_per_event" { print $3 }' out.txt)
	jq -e --argjson rate "$rate" '.verdict.kind == "leak" and
		(.verdict.rate.bytes_per_event | . > .9 * $rate and . < 1.1 * $rate) and
		.verdict.rate.high < 1.2 * .verdict.rate.low' report.json
	jq -e '[.sites[] | select(.verdict == "leak") | [.stack[].function |
		select(test("^(sframe::prepare|Tran<double>::(Invert|ConvertFrom))$"))][0]] |
		sort == ["Tran<double>::ConvertFrom", "Tran<double>::Invert",
			 "sframe::prepare", "sframe::prepare"]' report.json
}

@test "the dumps are reported as one series, per event, with the four sites of the leak" {
	export MALLOC_CONF=lg_prof_sample:12
	"$seep" run --profiler jemalloc "${note[@]}" -o t.seep -- "$hits" --events 120 \
		>out.txt 2>err.txt
	grep -q '^LEAK  2\.[0-9]* MB/event' err.txt
	grep -q 'sframe::prepare  *hits.cc:230 ' err.txt
	grep -q "^next: .*seep report --site 1 t.dumps$" err.txt
	report_is_true
	profile tcmalloc "${note[@]}" -- "$hits" --events 120 --hits 300 >out.txt
	report_is_true
}

@test "runinfo.json is there when the program starts, and tells its end" {
	cat >look.sh <<-'END'
		#!/bin/sh
		cp runinfo.json seen.json
		exit 7
	END
	chmod +x look.sh
	run profile jemalloc --run-info runinfo.json -- ./look.sh
	[ "$status" -eq 7 ]
	jq -e '.pid > 0 and .retcode == null and .dumps == [] and (keys | index("exe"))' seen.json
	is '.retcode == 7 and .signal == null'
	[ "$(jq .pid seen.json)" = "$(jq .pid runinfo.json)" ]
	[ "$(jq -r .exe runinfo.json)" = "$(readlink -f /bin/sh)" ]
	[ "$(jq -r .trace runinfo.json)" = "$PWD/t.seep" ]
}

@test "runinfo.json works with the tracker as well" {
	"$seep" run -q --run-info runinfo.json -o t.seep -- "$hits" --events 5 >out.txt
	is '.retcode == 0 and .dumps == []'
	[ "$(jq -r .exe runinfo.json)" = "$(readlink -f "$hits")" ]
}

# The program stops after its eleventh event, with one dump written.
start_endless() {
	"$seep" run -q --profiler jemalloc --dump-from 11 --dump-period 1000000 \
		--run-info runinfo.json -o t.seep -- "$hits" --events 1000000 --hits 10 \
		>out.txt 2>err.txt 3>&- &
	until find t.dumps -name '*.event11.heap' 2>/dev/null | grep -q .; do
		sleep 0.05
	done
}

@test "a program that is killed leaves its dumps and what is known" {
	start_endless
	kill -9 "$(jq .pid runinfo.json)"
	status=0
	wait $! || status=$?
	[ "$status" -eq 137 ]
	is '.retcode == 137 and .signal == 9 and [.dumps[].event] == [11]'
}

@test "a seep that is killed leaves what was known at the start" {
	start_endless
	kill -9 $!
	wait $! || true
	is '.pid > 0 and .retcode == null'
	kill -9 "$(jq .pid runinfo.json)"
	[ "$(find t.dumps -name '*.event11.heap' | wc -l)" -eq 1 ]
	[ -z "$(find . -name 'runinfo.json.*')" ]
}

@test "MALLOC_CONF of the user is kept, and wins" {
	export MALLOC_CONF=lg_prof_sample:14,prof_final:false,prof_prefix:mine
	profile jemalloc --dump-from 2 --dump-until 2 --run-info runinfo.json -- sh -c \
		"echo \$MALLOC_CONF; exec $hits --events 3" >out.txt
	[ "$(head -n 1 out.txt)" = \
		"prof:true,prof_leak:true,prof_final:true,prof_prefix:$PWD/mine,$MALLOC_CONF" ]
	[ "$(find . -name '*.heap' | sed 's/mine\.[0-9]*/mine.#/' | sort)" = \
		"./mine.#.0.m0.event2.heap
./mine.#.1.m1.event2.heap" ]
	[ "$(head -qn 1 ./*.heap | uniq)" = heap_v2/16384 ]
	is '[.dumps[].event] == [2, 2]'
	[ ! -e t.dumps ]
}

@test "HEAPPROFILE of the user is kept" {
	mkdir place
	export HEAPPROFILE=place/tc
	profile tcmalloc --dump-from 2 --dump-until 2 -- "$hits" --events 3 >out.txt
	[ "$(cd place && echo ./*)" = "./tc.0001.event2.heap ./tc.0002.event2.heap ./tc.0003.heap" ]
}

@test "libraries that others preload are kept" {
	export LD_PRELOAD=$truth/lib_meddler.so
	profile jemalloc -- sh -c 'echo "$LD_PRELOAD"' >out.txt
	[ "$(tr ':' '\n' <out.txt | tail -n 1)" = "$LD_PRELOAD" ]
	[ "$(tr ':' '\n' <out.txt | sed 's|.*/||; s/\.so.*//')" = "libseep
libjemalloc
lib_meddler" ]
}

@test "JEMALLOCLIB names the library, by its path or its name" {
	ln -s "$(ldconfig -p | awk '/libjemalloc.so.2/ { print $NF; exit }')" libmine.so
	JEMALLOCLIB=$PWD/libmine.so profile jemalloc -- "$hits" --events 2 >out.txt
	[ "$(dumps '*.event1.heap' | wc -l)" -eq 1 ]
	JEMALLOCLIB=libjemalloc.so.2 profile jemalloc -- "$hits" --events 2 >out.txt
	[ "$(dumps '*.event1.heap' | wc -l)" -eq 1 ]
}

# fails STATUS TEXT COMMAND...
fails() {
	run "${@:3}"
	[ "$status" -eq "$1" ]
	[[ $output == *"$2"* ]]
}

@test "libraries that cannot do it" {
	export JEMALLOCLIB=/no/such/libjemalloc.so
	fails 125 "JEMALLOCLIB is set to '/no/such/libjemalloc.so'" profile jemalloc -- true
	export JEMALLOCLIB=libnosuch.so
	fails 125 "JEMALLOCLIB is set to 'libnosuch.so'" profile jemalloc -- true
	export JEMALLOCLIB=$truth/lib_meddler.so
	fails 125 "has no heap profiler (no mallctl); the one in Debian's libjemalloc2 package" \
		profile jemalloc -- true
	export JEMALLOCLIB=$truth/lib_no_prof.so
	fails 125 "built with --enable-prof, like the one in Debian's libjemalloc2 package" \
		profile jemalloc -- true
	export TCMALLOCLIB=libtcmalloc_minimal.so.4
	fails 125 "no HeapProfilerStart" profile tcmalloc -- true
	unset JEMALLOCLIB
	export MALLOC_CONF=prof:true,prof:false
	fails 125 "MALLOC_CONF contains prof:false" profile jemalloc -- true
	[ ! -e t.seep ]
	[ ! -e t.dumps ]
}

@test "options that are wrong" {
	fails 125 "--dump-until 40 is before --dump-from 49" \
		profile jemalloc --dump-from 49 --dump-until 40 -- true
	fails 125 "is before --dump-from 49" "$seep" run --dump-from 49 --dump-until 40 -- true
	fails 125 "'0' is not a valid number of events; it must be 1 or more" \
		profile jemalloc --dump-period 0 -- true
	fails 125 "'-1' is not a valid event number" profile jemalloc --dump-from -1 -- true
	fails 125 "--profiler: there is no 'malloc'; choose jemalloc or tcmalloc" \
		profile malloc -- true
	fails 125 "--sample needs seep's own tracker" profile jemalloc --sample 1K -- true
	fails 125 "--follow needs seep's own tracker" profile jemalloc --follow -- true
	fails 125 "'no/where.json' could not be written" \
		"$seep" run --run-info no/where.json -- true
	mkdir 'a,b'
	fails 125 "does not accept a path with a comma" \
		"$seep" run --profiler jemalloc -o 'a,b/t.seep' -- true
	[ ! -e t.seep ]
	[ -z "$(ls a,b)" ]
}

@test "a folder of dumps is replaced with -f only, and only the dumps in it" {
	profile jemalloc -- "$hits" --events 2 >out.txt
	touch t.dumps/mine.txt t.dumps/jeprof.1.0.m0.heap
	rm t.seep
	fails 125 "reuse it with -f" "$seep" run --profiler jemalloc -o t.seep -- true
	[ ! -e t.seep ]
	"$seep" run -q -f --profiler jemalloc -o t.seep -- "$hits" --events 3 >out.txt
	[ "$(dumps '*.heap' | wc -l)" -eq 2 ]
	[ -e t.dumps/mine.txt ]
	[ ! -e t.dumps/jeprof.1.0.m0.heap ]
}

@test "a program without events has the dump of its end" {
	profile jemalloc --run-info runinfo.json -- /usr/bin/python3 -c 'x = "y" * 10000000'
	is '[.dumps[].final] == [true] and .dumps[0].event == null'
	profile jemalloc --run-info runinfo.json -- sh -c 'kill -9 $$' || true
	is '.dumps == [] and .signal == 9'
	[ ! -e t.dumps ]
}

# Dumping there could wait for ever for the allocator that the handler has interrupted.
@test "events that end in a signal handler are not dumped, but the next one that does not" {
	for name in jemalloc tcmalloc; do
		rm -rf t.seep t.dumps
		timeout 600 "$seep" run -q --profiler $name --dump-from 3 --dump-until 300 \
			--dump-period 1 --run-info runinfo.json -o t.seep -- \
			"$truth/handler_events" 400 >out.txt
		[ "$(cat out.txt)" = "truth events 401" ]
		is '[.dumps[].event] == [400, 401]'
	done
}

@test "handlers that come and go do not keep the program's own events from being dumped" {
	for size in large small small small; do
		profile jemalloc --dump-from 10 --dump-until 60 --dump-period 10 \
			--run-info runinfo.json -- "$truth/handler_events" 100 main $size >out.txt
		is '[.dumps[].event] == [10, 20, 30, 40, 50, 60, 60, 101]'
	done
}

@test "a process that the program forks does not dump" {
	profile jemalloc --dump-period 1 --run-info runinfo.json -- "$truth/forks" >out.txt
	pid=$(jq .pid runinfo.json)
	[ "$(find t.dumps -name '*event*' ! -name "jeprof.$pid.*" | wc -l)" -eq 0 ]
}

@test "the class for event frameworks makes the same seven dumps, and seep finds the leak" {
	g++ -std=c++11 -O2 -g -Wall -Wextra -Wpedantic -Werror -I"$SEEP_SOURCE/include" \
		"$SEEP_SOURCE/examples/event_loop.cc" -o event_loop
	note=(--StartFromEventN 49 --StopAtEventN 99 --DumpPeriod 10)
	jemalloc=$(ldconfig -p | awk '/libjemalloc.so.2/ { print $NF; exit }')
	LD_PRELOAD=$jemalloc MALLOC_CONF=prof:true ./event_loop "${note[@]}" >out.txt 2>err.txt
	grep -q '^truth dumps 7$' out.txt
	[ "$(find . -name 'jeprof.*' | wc -l)" -eq 7 ]
	[ "$(awk '/^Dumping/ { print $NF }' err.txt | xargs)" = "49 59 69 79 89 99 99" ]
	LD_PRELOAD=$jemalloc MALLOC_CONF=prof:true ./event_loop --events 60 "${note[@]}" 2>err.txt
	[ "$(awk '/^Dumping/ { print $NF }' err.txt | xargs)" = "49 59 60" ]
	fails 1 "jemalloc is not there" ./event_loop "${note[@]}"
	fails 1 "does not profile" env LD_PRELOAD="$jemalloc" ./event_loop "${note[@]}"
	"$seep" run -q -o t.seep -- ./event_loop >out.txt
	"$seep" report --json t.seep | jq -e '.verdict.kind == "leak" and .run.events == 150 and
		.sites[0].objects_per_event == 1 and .sites[0].object_bytes == 512 and
		any(.sites[0].stack[]; .function == "Fitter::invert")'
}
