#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Heap profiles that the real tools make of a program that knows what it keeps: the totals are
# those which the tools' own readers print, and the planted site is named.
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

EVENTS=12
KEPT=48640     # bytes per event, in blocks of 1216
CACHE=150000

setup_file() {
	export PATH="$SEEP_BUILD/bin:$PATH"
	export PROFILED="$SEEP_BUILD/tests/truth/profiled"
	unset SEEP_DISABLE MALLOC_CONF HEAPPROFILE LD_PRELOAD
	cd "$BATS_FILE_TMPDIR" || return
	mkdir jemalloc sampled gperftools
	every=prof:true,lg_prof_sample:0
	PROFILED_DUMPS=1 PROFILED_LOG=1 LD_PRELOAD=libjemalloc.so.2 \
		MALLOC_CONF="$every,prof_final:true,prof_prefix:$PWD/jemalloc/jeprof" \
		"$PROFILED" $EVENTS >gaudi.log
	PROFILED_DUMPS=1 LD_PRELOAD=libjemalloc.so.2 \
		MALLOC_CONF="prof:true,lg_prof_sample:12,prof_prefix:$PWD/sampled/jeprof" \
		"$PROFILED" 30 >/dev/null
	PROFILED_DUMPS=1 LD_PRELOAD=libtcmalloc.so.4 HEAPPROFILE="$PWD/gperftools/hits" \
		HEAP_PROFILE_ALLOCATION_INTERVAL=0 HEAP_PROFILE_INUSE_INTERVAL=0 \
		"$PROFILED" $EVENTS >/dev/null 2>&1
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	MADE="$BATS_FILE_TMPDIR"
}

# live_of REPORT FUNCTION: what all sites with that innermost own function hold at the last dump
live_of() {
	jq --arg f "$2" '[.sites[] | select(.stack[.own_frame // 0].function == $f)
		| .live_bytes] | add' "$1"
}

total_of() {
	jq '[.sites[].live_bytes] | add' "$1"
}

# near A B TENTHS_OF_A_PERCENT
near() {
	awk -v a="$1" -v b="$2" -v p="$3" \
		'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= b * p / 1000) }'
}

leaks_from() {
	jq -e --arg f "$2" '.verdict.kind == "leak" and .sites[0].verdict == "leak" and
		(.sites[0].stack[.sites[0].own_frame // 0].function == $f)' "$1"
}

has_note() {
	jq -e --arg words "$1" '.run.notes | map(select(contains($words))) | length == 1' "$2"
}

@test "jemalloc: every block counted, what jeprof says, and the end left out" {
	seep report --json --all "$MADE/jemalloc" >report.json
	leaks_from report.json keep_hit
	has_note "end of the program was left out" report.json
	has_note "rates are per dump" report.json
	run -0 seep report "$MADE"/jemalloc/*.heap
	[[ "${lines[-1]}" == "next: seep report --site 1 $MADE/jemalloc/jeprof."*".heap ..." ]]
	last=$(ls "$MADE"/jemalloc/*.m11.heap)
	jeprof --text --show_bytes "$PROFILED" "$last" >text 2>/dev/null
	[ "$(total_of report.json)" -eq "$(sed -n 's/^Total: \([0-9]*\) B$/\1/p' text)" ]
	[ "$(live_of report.json keep_hit)" -eq "$(awk '$NF == "keep_hit" { print $1 }' text)" ]
}

@test "jemalloc, sampled: scaled as jeprof does it" {
	seep report --json --all "$MADE/sampled" >report.json
	leaks_from report.json keep_hit
	last=$(ls "$MADE"/sampled/*.m29.heap)
	jeprof --text --show_bytes "$PROFILED" "$last" >text 2>/dev/null
	near "$(total_of report.json)" "$(sed -n 's/^Total: \([0-9]*\) B$/\1/p' text)" 1
	# Nothing is odd about it, though the total of a sampled dump is not the sum of its stacks.
	awk 'FNR == 1 { stacks = 0 } /^@/ { stacks = 1 }
		/t\*/ { if (stacks) sum += $3; else total = $3 } END { exit sum == total }' "$last"
	jq -e '.run.notes | length == 1' report.json
}

@test "jemalloc, sampled: the rates of sixteen samples are unbiased, and intervals hold" {
	# jemalloc draws a new sample in every run.  A correct interval misses one in twenty, so
	# eight misses of sixteen have a chance of 5 in 10 million.  The mean of the rates has a
	# standard error of 1.7 %.
	for n in $(seq 16); do
		mkdir "$n"
		PROFILED_DUMPS=1 LD_PRELOAD=libjemalloc.so.2 \
			MALLOC_CONF="prof:true,lg_prof_sample:12,prof_prefix:$PWD/$n/jeprof" \
			"$PROFILED" 30 >/dev/null
		seep report --json --all "$n" | jq -c '.sites[0]'
	done >sites.json
	jq -s -e 'map(select(.low < 51200 and .high > 51200)) | length > 8' sites.json
	jq -s -e '(map(.bytes_per_event) | add) / 16 / 51200 | . > 0.9 and . < 1.1' sites.json
	jq -s -e 'all(.low > 20000 and .high < 102400)' sites.json
}

@test "the events are told by the log of Gaudi, by runinfo.json, and by names" {
	cp -r "$MADE/jemalloc" dumps
	cp "$MADE/gaudi.log" dumps/
	seep report --json dumps >log.json
	jq -e '.sites[0].bytes_per_event == 5120 and .sites[0].levels[-1].event == 110' log.json
	cp -r "$MADE/jemalloc" named
	(cd named && for f in *.m*.heap; do
		n=${f##*.m}
		n=${n%.heap}
		mv "$f" "${f%.heap}.event$((n * 20 + 3)).heap"
	done)
	seep report --json named >names.json
	jq -e '.sites[0].bytes_per_event == 2560 and .sites[0].levels[-1].event == 220' names.json
	{
		echo '{"pid": 77, "retcode": 3, "exe": "/opt/bin/job", "dumps": ['
		for f in dumps/*.m*.heap; do
			n=${f##*.m}
		n=${n%.heap}
			printf '{"file": "/far/%s", "event": %d},\n' "$(basename "$f")" \
				$((49 + 5 * n))
		done
		echo '{"file": "gone.heap", "event": null}]}'
	} >runinfo.json
	seep report --json dumps >info.json
	jq -e '.sites[0] | .bytes_per_event == 10240 and .levels[-1].event == 55' info.json
	jq -e '.run | .pid == 77 and .exe == "/opt/bin/job" and .exit.code == 3' info.json
}

@test "a runinfo.json of another run is not believed" {
	cp -r "$MADE/jemalloc" dumps
	echo '{"pid": 77, "retcode": 3, "exe": "/opt/bin/other"}' >runinfo.json
	seep report --json dumps >report.json
	jq -e '.run | .pid != 77 and .exit.code != 3 and (.exe | contains("other") | not)' \
		report.json
	has_note "runinfo.json belongs to a different run" report.json
	pid=$(basename dumps/*.m0.heap | cut -d. -f2)
	echo "{\"pid\": $pid, \"retcode\": 3, \"exe\": \"/opt/bin/job\"}" >runinfo.json
	seep report --json dumps >report.json
	jq -e '.run | .exe == "/opt/bin/job" and .exit.code == 3' report.json
}

@test "of two dumps of one event the last is kept" {
	mkdir dumps
	for n in 0 1 2 3 4 5 6; do
		cp "$MADE"/jemalloc/*.$n.m$n.heap "dumps/jeprof.5.$n.m$n.heap"
	done
	for n in 49 59 69 79 89 99; do
		echo "JemallocProfile INFO Jemalloc Dumping heap at event $n"
	done >dumps/job.log
	echo "JemallocProfile INFO Stopping Jemalloc profile at event 99" >>dumps/job.log
	seep report --json dumps >report.json
	jq -e '[.sites[0].levels[].event] == [0, 10, 20, 30, 40, 50]' report.json
	jq -e '.sites[0].levels[-1].objects == 280' report.json
}

@test "dumps of several processes: those of one, or a question" {
	cp -r "$MADE/jemalloc" dumps
	cp dumps/*.3.m3.heap dumps/jeprof.9.0.m0.heap
	seep report --json dumps >report.json
	jq -e '.sites[0].levels | length == 12' report.json
	has_note "of 2 processes" report.json
	cp dumps/*.4.m4.heap dumps/jeprof.9.1.m1.heap
	run -125 --separate-stderr seep report dumps
	[[ "$stderr" == *"dumps of 2 processes"*"jeprof.9 (2)"*"name the files of one"* ]]
}

@test "a program that was killed while it dumped: the last one is left out, no other" {
	cp -r "$MADE/jemalloc" dumps
	rm dumps/*.f.heap
	last=$(ls dumps/*.m11.heap)
	head -c 700 "$last" >part
	cp part "$last"
	seep report --json dumps >report.json
	jq -e '.sites[0].levels | length == 11' report.json
	has_note "is truncated and was left out" report.json
	: >"$last"
	seep report --json dumps >report.json
	jq -e '.sites[0].levels | length == 11' report.json
	cp part "$(ls dumps/*.m5.heap)"
	run -125 --separate-stderr seep report dumps
	[[ "$stderr" == *".m5.heap:"*"was it truncated"* ]]
	: >"$(ls dumps/*.m5.heap)"
	run -125 --separate-stderr seep report dumps
	[[ "$stderr" == *".m5.heap: the file is empty"* ]]
}

@test "gperftools: every block counted, and what google-pprof says" {
	seep report --json --all "$MADE/gperftools" >report.json
	leaks_from report.json keep_hit
	[ "$(live_of report.json keep_hit)" -eq $((EVENTS * KEPT)) ]
	[ "$(live_of report.json fill_cache)" -eq $CACHE ]
	google-pprof --text --show_bytes "$PROFILED" "$MADE/gperftools/hits.0013.heap" \
		>text 2>/dev/null
	[ "$(total_of report.json)" -eq "$(sed -n 's/^Total: \([0-9]*\) B$/\1/p' text)" ]
}

@test "pprof: with names and without, ordered by their times, and no profile of time" {
	mkdir bare named
	for n in 01 02 03 04 05 06 07 08 09 10 11 12; do
		go tool pprof -symbolize=none -proto -output=bare/p$n.pb.gz \
			"$MADE/gperftools/hits.00$n.heap"
		go tool pprof -proto -output=named/p$n.pb.gz "$PROFILED" \
			"$MADE/gperftools/hits.00$n.heap"
	done >/dev/null 2>&1
	for kind in bare named; do
		seep report --json --all $kind >report.json
		leaks_from report.json keep_hit
		[ "$(live_of report.json keep_hit)" -eq $((EVENTS * KEPT)) ]
		[ "$(live_of report.json fill_cache)" -eq $CACHE ]
	done
	gunzip -c named/p12.pb.gz >p12.pb
	seep report --json --all p12.pb >one.json
	[ "$(total_of one.json)" -eq "$(total_of report.json)" ]
	head -c 400 p12.pb >cut.pb
	run -125 --separate-stderr seep report cut.pb
	[[ "$stderr" == *"cut.pb: byte "*"was it truncated?"* ]]
	head -c 300 named/p12.pb.gz >cut.pb.gz
	run -125 --separate-stderr seep report cut.pb.gz
	[[ "$stderr" == *"cut.pb.gz: byte 300: the compressed data ends too early"* ]]
	{ head -c 10 named/p12.pb.gz; tail -c +40 named/p12.pb.gz; } >bad.pb.gz
	run -125 --separate-stderr seep report bad.pb.gz
	[[ "$stderr" == *"bad.pb.gz: byte "*": the compressed data is damaged"* ]]
	# cpu in nanoseconds: two types, one string table
	printf '\012\004\010\001\020\002\062\000\062\003cpu\062\013nanoseconds' >cpu.pb
	run -125 --separate-stderr seep report cpu.pb
	[[ "$stderr" == *"cpu in nanoseconds"*"inuse_space"* ]]
}

@test "heaptrack: raw and interpreted agree with heaptrack_print, also when cut" {
	heaptrack --raw -o run "$PROFILED" 40 15 >/dev/null 2>&1
	zstd -dcq run.raw.zst | /usr/lib/heaptrack/libexec/heaptrack_interpret >run.txt 2>/dev/null
	gzip -k run.txt
	heaptrack_print run.txt.gz >print
	leaked=$(sed -n 's/^total memory leaked: \([0-9.]*\)M$/\1/p' print)
	for file in run.raw.zst run.txt run.txt.gz; do
		seep report --json --all $file >report.json
		jq -e '.sites | max_by(.live_bytes)
			| .stack[.own_frame // 0].function == "keep_hit"' report.json
		[ "$(live_of report.json keep_hit)" -eq $((40 * KEPT)) ]
		[ "$(live_of report.json fill_cache)" -eq $CACHE ]
		near "$(total_of report.json)" "$(awk -v m="$leaked" 'BEGIN { print m * 1e6 }')" 5
		jq -e '.run.command | contains(["40", "15"])' report.json
	done
	bytes=$(stat -c %s run.raw.zst)
	head -c $((bytes - 2)) run.raw.zst >cut.zst # in its checksum: a block is all or nothing
	bytes=$(stat -c %s run.txt.gz)
	head -c $((bytes * 3 / 4)) run.txt.gz >cut.gz
	head -c -3 run.txt >cut.txt
	for file in cut.zst cut.gz cut.txt; do
		seep report --json $file >report.json
		has_note "read up to there" report.json
	done
	sed '200s/.*/+ fffffff/' run.txt >bad.txt
	run -125 --separate-stderr seep report bad.txt
	[[ "$stderr" == *"bad.txt:200: "* ]]
}

@test "massif: what ms_print says, in instructions and in milliseconds" {
	valgrind -q --tool=massif --massif-out-file=i.out --detailed-freq=1 \
		"$PROFILED" 30 >/dev/null
	valgrind -q --tool=massif --massif-out-file=ms.out --time-unit=ms --detailed-freq=1 \
		"$PROFILED" 30 2 >/dev/null
	for file in i.out ms.out; do
		seep report --json --all $file >report.json
		ms_print $file |
			awk '/^->.*keep_hit/ { n = $2 }
				END { gsub(/[(,B)]/, "", n); print n }' >kept
		[ "$(live_of report.json keep_hit)" -eq "$(cat kept)" ]
		[ "$(live_of report.json keep_hit)" -eq $((30 * KEPT)) ]
		jq -e '.run.command[-1] | test("^(30|2)$")' report.json
	done
	seep report --json i.out >report.json # most of the other's time is valgrind's own start
	leaks_from report.json keep_hit
	seep report --all i.out >report.txt # no number of blocks, for massif does not count them
	grep -q 'fill_cache .* 150 kB live' report.txt
	run ! grep -E ' 0 live| x 0' report.txt
	seep report --site 1 i.out >site.txt
	grep -q '^  live  *1[.]46 MB$' site.txt
	run ! grep '^  blocks' site.txt
}

@test "many dumps are one series in every command" {
	seep export --to csv "$MADE"/jemalloc/*.m*.heap >files.csv
	rm -rf dumps
	mkdir dumps
	cp -p "$MADE"/jemalloc/*.m*.heap dumps/
	seep export --to csv dumps >folder.csv
	cmp files.csv folder.csv
	[ "$(tail -n +2 files.csv | cut -d, -f2 | sort -un | wc -l)" -eq $EVENTS ]
}

@test "pprof: stacks that a few kilobytes unpack to do not fill the memory" {
	/usr/bin/python3 - bomb.pb.gz <<-'END'
		import gzip, sys

		def number(n):
		    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])

		def message(field, data):
		    return number(field << 3 | 2) + number(len(data)) + data

		data = message(1, bytes([8, 1, 16, 2]))
		for i in range(20):  # 65000 frames deep, each from another root
		    data += message(2, message(1, bytes([1]) * 65000 + bytes([2 + i])) +
		                    message(2, bytes([100])))
		for i in range(1, 24):
		    data += message(4, bytes([8, i, 24]) + number(4096 * i))
		for text in (b"", b"inuse_space", b"bytes"):
		    data += message(6, text)
		with gzip.open(sys.argv[1], "wb") as file:
		    file.write(data)
	END
	[ "$(stat -c %s bomb.pb.gz)" -lt 10000 ]
	run -125 --separate-stderr seep report bomb.pb.gz
	[[ "$stderr" == *"bomb.pb.gz: byte "*"too many stack frames to fit in memory"* ]]
}
