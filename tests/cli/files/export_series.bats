#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep export, the formats that are series: each read by its own reader, or by one that keeps
# its rules (read_series.py), and compared with the CSV.
#
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

FILES="csv sprof opticks-profile prmon prom openmetrics chrome"

setup_file() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE
	seep run -q -e api -o hits.seep -- "$SEEP_BUILD/examples/hits" --events 40 >/dev/null
	seep run -q -e api -o odd.seep -- "$SEEP_BUILD/tests/truth/odd_names" >odd.txt
	seep run -q -e api -o many.seep -- "$SEEP_BUILD/tests/truth/many_stamps" >/dev/null
	seep run -q --event time:10ms -o slices.seep -- "$SEEP_BUILD/examples/hits" \
		--events 60 >/dev/null
	for run in hits odd many slices; do
		seep export --to csv -o $run.csv $run.seep
		seep export --to sprof -o $run.sprof $run.seep
	done
}

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	OUT="$BATS_TEST_TMPDIR"
	unset SEEP_DISABLE
}

teardown() {
	if mountpoint -q "$BATS_TEST_TMPDIR/small"; then
		umount "$BATS_TEST_TMPDIR/small"
	fi
}

# series FORMAT RUN PATH...: what is in the paths is what is in the run's CSV
series() {
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/read_series.py" "$1" "$2.csv" "${@:3}"
}

@test "all formats are listed, and the manual page tells of them" {
	run -0 seep export --to list
	for format in $FILES npy; do
		grep -q "^$format  *[A-Za-z]" <<<"$output"
		grep -q "^\*$format\*$" "$SEEP_SOURCE/man/seep-export.1.scd"
	done
}

@test "csv: every stamp, with the program's own index and counters" {
	run -0 series csv odd
	jq -e '.rows == 520 and .counters[0] == "hits" and (.counters | length) == 5' <<<"$output"
	jq -e '.names | index("gr\u00fc\u00dfe \u6ce2 \ud83d\udca7") != null' <<<"$output"
	/usr/bin/python3 - odd.csv odd.txt <<-'END'
		import csv, sys
		with open(sys.argv[1], encoding="utf-8", newline="") as data:
		    rows = [row for row in csv.DictReader(data) if row["stamp"] == "begin"]
		with open(sys.argv[2], encoding="utf-8") as data:
		    said = [line.split() for line in data if line.startswith("event ")]
		assert [(row["index"], row["hits"]) for row in rows] == [(w[1], w[3]) for w in said]
		assert len(rows) == 40
	END
}

@test "csv: no name is a formula for a spreadsheet" {
	local name time=1700000000000000
	for name in =1+1 +2 -3+4 @SUM'(A1)' ' =5' '＝6' plain a=b; do
		time=$((time + 1000))
		echo "A000_$name:$time,1000,500"
	done >"$OUT/names.txt"
	seep export --to csv "$OUT/names.txt" | cut -d, -f4 >"$OUT/cells"
	diff "$OUT/cells" - <<-'END'
		stamp
		"begin"
		"'=1+1"
		"'+2"
		"'-3+4"
		"'@SUM(A1)"
		"' =5"
		"'＝6"
		"plain"
		"a=b"
	END
	[[ "$(head -n 1 odd.csv)" == *",\"'=1+1,x;y # "* ]] # a counter
}

@test "sprof: the lines that Opticks writes, whatever the names are" {
	run -0 series sprof hits hits.sprof
	[ "$output" = "360 stamps; 40 with counters" ]
	grep -qE '^A007_QSim__simulate_POST:[0-9]{16},[0-9]+,[0-9]+$' hits.sprof
	grep -qE '^A039_SEvt__endIndex:[0-9]{16},[0-9]+,[0-9]+ # numHit=[0-9]+$' hits.sprof
	run -0 series sprof odd odd.sprof
	[ "$output" = "520 stamps; 40 with counters" ]
	grep -q '^before_ the first event:' odd.sprof
	grep -q '^A1076_' odd.sprof
	run -0 series sprof many many.sprof
}

@test "sprof: what was read comes out as it was, however often" {
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/series_make.py" sprof_seven "$OUT/seven.txt"
	seep export --to sprof -o "$OUT/again.txt" "$OUT/seven.txt"
	cmp "$OUT/seven.txt" "$OUT/again.txt"
	seep export --to npy -o "$OUT/fold" "$OUT/seven.txt"
	cut -d: -f1 "$OUT/seven.txt" | cmp - "$OUT/fold/SProf_txt_names.txt"
}

@test "npy: NumPy reads the folder, and its rows are those of SProf.txt" {
	for run in hits odd; do
		seep export --to npy -o "$OUT/$run" $run.seep
		run -0 series npy $run "$OUT/$run" $run.sprof
		[ "$output" = "40 events" ]
	done
	# Of a long run most events are not there, and of short events not all were measured.
	seep export --to npy -o "$OUT/many" many.seep
	run -0 series npy many "$OUT/many" many.sprof
	run -125 seep export --to npy hits.seep
	[[ "$output" == *"-o FOLDER"* ]]
}

@test "opticks-profile: NumPy reads it, by the clock on the wall" {
	for zone in XYZ-8 ABC+3:30 UTC; do
		TZ=$zone seep export --to opticks-profile -o "$OUT/g.npy" hits.seep
		TZ=$zone run -0 series opticks hits "$OUT/g.npy" hits.sprof
	done
	slope=${output%% *}
	echo "RSS grows by $slope"
	[ "$slope" -gt 2000000 ]
	[ "$slope" -lt 3500000 ]
	seep export --to opticks-profile -o "$OUT/g.npy" odd.seep
	run -0 series opticks odd "$OUT/g.npy" odd.sprof
}

@test "prmon: read by column name, whole numbers, seconds that rise" {
	for run in hits odd many; do
		seep export --to prmon $run.seep >"$OUT/prmon.txt"
		run -0 series prmon $run "$OUT/prmon.txt"
	done
}

@test "prom: promtool has nothing to say against it" {
	for run in hits odd many; do
		seep export --to prom -o "$OUT/$run.prom" $run.seep
		run -0 promtool check metrics <"$OUT/$run.prom"
		[ -z "$output" ]
		# The node exporter takes no file with time stamps.
		run -1 grep -Ev '^#|^[a-z_]+\{[^{}]*(\{brace\}[^{}]*)*\} [^ ]+$' "$OUT/$run.prom"
	done
	grep -qx 'seep_verdict{program="hits",verdict="leak"} 1' "$OUT/hits.prom"
	[ "$(grep -c '^seep_verdict{.* 1$' "$OUT/hits.prom")" -eq 1 ]
	seep report --json hits.seep >"$OUT/report.json"
	for pair in growth_bytes_per_event:rate.bytes_per_event \
		growth_low_bytes_per_event:rate.low growth_high_bytes_per_event:rate.high \
		growth_floor_bytes_per_event:floor_bytes_per_event \
		warmup_events:warmup_events oom_seconds:oom.seconds; do
		value=$(awk -v name="seep_${pair%:*}{" 'index($1, name) == 1 { print $2 }' \
			"$OUT/hits.prom")
		jq -e --argjson value "${value:-null}" ".verdict.${pair#*:} == \$value" \
			"$OUT/report.json"
	done
	[ "$(grep -c '^seep_site_growth_bytes_per_event{.*function="sframe::prepare"' \
		"$OUT/hits.prom")" -eq 2 ]
	[ "$(grep -c '^seep_site_live_bytes{' "$OUT/hits.prom")" -le 10 ]
	# The next run of the program goes on with the same series.
	seep run -q -e api -o again.seep -- "$SEEP_BUILD/examples/hits" --events 40 >/dev/null
	seep export --to prom -o "$OUT/again.prom" again.seep
	diff <(grep -o '^seep_site_growth.*}' "$OUT/hits.prom" | head -4 | sort) \
		<(grep -o '^seep_site_growth.*}' "$OUT/again.prom" | head -4 | sort)
}

@test "openmetrics: Prometheus takes the run in, and has its numbers" {
	for run in hits odd many; do
		seep export --to openmetrics -o "$OUT/$run.om" $run.seep
		run -0 promtool tsdb create-blocks-from openmetrics "$OUT/$run.om" "$OUT/$run"
		mkdir -p "$OUT/$run/wal"
		promtool tsdb dump "$OUT/$run" >"$OUT/$run.dump"
		run -0 series openmetrics $run "$OUT/$run.om" "$OUT/$run.dump" $run.sprof
	done
}

@test "chrome: JSON whose slices nest, with the memory as curves" {
	for run in hits odd many; do
		seep export --to chrome -o "$OUT/$run.json" $run.seep
		run -0 series chrome $run "$OUT/$run.json"
	done
	jq -e '.otherData.verdict == "leak"' "$OUT/hits.json"
	jq -e '[.traceEvents[] | select(.name == "QSim__simulate_POST" and .ph == "X")]
		| length == 40' "$OUT/hits.json"
}

@test "slices of time are events, too" {
	run -0 series sprof slices slices.sprof
	seep export --to npy -o "$OUT/npy" slices.seep
	run -0 series npy slices "$OUT/npy" slices.sprof
	seep export --to prmon -o "$OUT/prmon.txt" slices.seep
	run -0 series prmon slices "$OUT/prmon.txt"
	seep export --to chrome -o "$OUT/chrome.json" slices.seep
	run -0 series chrome slices "$OUT/chrome.json"
	seep export --to prom slices.seep | promtool check metrics
}

@test "a program that ends at once: an empty table, or a word on what is missing" {
	seep run -q -o "$OUT/true.seep" -- /bin/true
	for format in $FILES npy; do
		run seep export --to "$format" -o "$OUT/$format" "$OUT/true.seep"
		[ "$status" -eq 0 ] || [[ "$output" == *"no stamp or time slice"* ]]
		[ "$status" -eq 0 ] || [ ! -e "$OUT/$format" ]
	done
	promtool check metrics <"$OUT/prom"
}

@test "a full disk leaves nothing behind, under any name" {
	for format in $FILES; do
		[ -w /dev/full ] || continue
		run -125 seep export --to "$format" -o /dev/full hits.seep
		run -125 bash -c "seep export --to $format hits.seep >/dev/full"
	done
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	mkdir "$OUT/small"
	mount -t tmpfs -o size=16k tmpfs "$OUT/small" || skip "cannot mount"
	head -c 20000 /dev/zero >"$OUT/small/filler" || true
	for format in $FILES npy; do
		run -125 seep export --to "$format" -o "$OUT/small/x" hits.seep
		[[ "$output" == *"No space left on device"* ]]
		[ "$(ls -A "$OUT/small")" = filler ]
	done
}

@test "what is read is never written over, by whatever name" {
	cp hits.seep "$OUT/in.seep"
	ln -s in.seep "$OUT/link.svg"
	cp hits.seep "$OUT/in.svg"
	run -125 --separate-stderr seep export --to csv -o "$OUT/../${OUT##*/}/in.seep" \
		"$OUT/in.seep"
	[[ "$stderr" == *"in.seep' would overwrite an input file"* ]]
	run -125 seep plot -o "$OUT/link.svg" "$OUT/in.seep"
	run -125 seep plot -o "$OUT/in.svg" "$OUT/in.svg"
	run -125 seep diff -o "$OUT/in.seep" "$OUT/in.seep" hits.seep
	run -125 seep diff -o "$OUT/in.seep" hits.seep "$OUT/in.seep"
	cmp hits.seep "$OUT/in.seep"
	cmp hits.seep "$OUT/in.svg"
	run -125 --separate-stderr seep run -o "$OUT/x.seep" --run-info "$OUT/x.seep" -- true
	[[ "$stderr" == *"would overwrite the trace"* ]]
	[ ! -e "$OUT/x.seep" ]
}

@test "-f replaces an export, and nothing that only has its names" {
	mkdir -p "$OUT/mine/run_meta.txt"
	touch "$OUT/mine/run_meta.txt/kept"
	run -125 --separate-stderr seep export --to npy -f -o "$OUT/mine" hits.seep
	[[ "$stderr" == *"is not replaced: it contains 'run_meta.txt'"* ]]
	[ -e "$OUT/mine/run_meta.txt/kept" ]
	seep export --to npy -o "$OUT/npy" hits.seep
	ln -s npy "$OUT/link"
	run -125 seep export --to npy -f -o "$OUT/link/" hits.seep
	seep export --to npy -f -o "$OUT/npy/" hits.seep
	[ "$(find "$OUT" -maxdepth 1 -name 'link?*' -o -maxdepth 1 -name 'npy?*' | wc -l)" -eq 0 ]
}
