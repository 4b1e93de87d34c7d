#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Series of memory that other programs wrote, read by their content: the rate that their authors
# found by hand, with its interval, is what seep says.

bats_require_minimum_version 1.5.0

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
}

make_file() {
	"$SEEP_SOURCE/tests/cli/series_make.py" "$1" "$2"
}

# holds FILE EXPRESSION: of the report as r, in Python
holds() {
	seep report --json "$1" >report.json
	/usr/bin/python3 - "$2" <<-'END'
		import json, sys
		r = json.load(open("report.json"))
		v, run = r["verdict"], r["run"]
		rate, kib = v["rate"], 1024
		notes = "\n".join(run["notes"])
		phases = {p["from"] + " -> " + p["to"]: p for p in r["phases"]}
		if not eval(sys.argv[1]):
		    print("not so:", sys.argv[1], json.dumps(r, indent=1), sep="\n")
		    sys.exit(1)
	END
}

@test "stamps without event numbers: 2196 kB per event, as the authors found" {
	make_file sprof_steps SEvt__EndOfRun_SProf.txt
	holds SEvt__EndOfRun_SProf.txt 'v["kind"] == "growth" and run["events"] == 129'
	holds SEvt__EndOfRun_SProf.txt '2196 <= rate["bytes_per_event"] / kib <= 2199'
	holds SEvt__EndOfRun_SProf.txt 'abs(rate["low"] / kib - 2187) < 2'
	holds SEvt__EndOfRun_SProf.txt 'abs(rate["high"] / kib - 2207) < 2'
	holds SEvt__EndOfRun_SProf.txt '"QSim__simulate_HEAD" in notes and "KiB" in notes'
	holds SEvt__EndOfRun_SProf.txt 'run["started"] == "2024-02-02T06:44:12Z"'
}

@test "the whole run of 1000 events: the line that was fitted by hand" {
	make_file sprof_whole SProf.txt
	holds SProf.txt 'run["events"] == 1000'
	holds SProf.txt 'abs(rate["bytes_per_event"] / kib - 2196.34) < 0.5'
	holds SProf.txt '41 < run["wall_s"] < 41.5'
	make_file plot G4OpticksProfilePlot.npy
	seep report --stamps G4OpticksProfilePlot.npy >stamps.txt
	grep -q '^line fit:  slope       3.62    intercept   21284.92' stamps.txt
}

@test "the growth is found between two of seven stamps" {
	make_file sprof_seven SProf.txt
	holds SProf.txt 'phases["QSim__simulate_TAIL -> QSim__reset_HEAD"]["accused"]'
	holds SProf.txt '0.92 < phases["QSim__simulate_TAIL -> QSim__reset_HEAD"]["share"] < 0.94'
	holds SProf.txt 'sum(p["accused"] for p in r["phases"]) == 1'
	holds SProf.txt '2180 < rate["bytes_per_event"] / kib < 2205'
}

@test "the same run without the suspect does not grow" {
	make_file sprof_flat SProf.txt
	holds SProf.txt 'v["kind"] == "flat"'
	run -0 seep report SProf.txt     # sites it has none to list
	[ "${lines[-1]}" = "next: seep plot SProf.txt" ]
}

@test "a comment tells what the growth is proportional to" {
	make_file sprof_hits SProf.txt
	holds SProf.txt 'r["drivers"][0]["counter"] == "numHit"'
	holds SProf.txt 'abs(r["drivers"][0]["bytes_per_unit"] - 1280) < 3'
}

@test "the unit of a file that does not tell is said, and may be given" {
	make_file sprof_steps SProf.txt
	seep report --unit kB --json SProf.txt >kb.json
	/usr/bin/python3 - <<-'END'
		import json
		r = json.load(open("kb.json"))
		assert 2196 <= r["verdict"]["rate"]["bytes_per_event"] / 1000 <= 2199
		assert any("1000 bytes" in note for note in r["run"]["notes"])
	END
	seep check --budget 2225000/event --unit kB SProf.txt
	run -1 seep check --budget 2225000/event SProf.txt
	[ "$(seep export --to csv --unit kB SProf.txt | sed -n 2p | cut -d, -f 5)" != \
		"$(seep export --to csv SProf.txt | sed -n 2p | cut -d, -f 5)" ]
}

@test "run_meta.txt: stamps among other keys" {
	make_file run_meta run_meta.txt
	holds run_meta.txt '2196 <= rate["bytes_per_event"] / kib <= 2199 and run["events"] == 129'
	holds run_meta.txt 'phases["SEvt__endIndex -> SEvt__setIndex"]["accused"]'
	holds run_meta.txt 'run["command"][0] == "/opt/opticks/lib/CSGOptiXSMTest"'
	mkdir run
	mv run_meta.txt run
	holds run 'run["events"] == 129'
}

@test "arrays: with names beside them, by events, of an older generation, of a GPU" {
	make_file runprof runprof.npy
	holds runprof.npy '2196 <= rate["bytes_per_event"] / kib <= 2199 and run["events"] == 129'
	holds runprof.npy 'phases["SEvt__endIndex -> SEvt__setIndex"]["accused"]'
	make_file subprofile subprofile.npy
	holds subprofile.npy '2196 <= rate["bytes_per_event"] / kib <= 2199'
	make_file plot G4OpticksProfilePlot.npy
	holds G4OpticksProfilePlot.npy 'abs(rate["bytes_per_event"] / 1024e3 - 3.62) < 0.01'
	holds G4OpticksProfilePlot.npy '49 < run["wall_s"] < 51 and "VmSize" in notes'
	make_file smonitor smonitor.npy
	holds smonitor.npy 'abs(rate["bytes_per_s"] - 143360) < 10 and "GPU 0" in notes'
}

@test "a fold of arrays: the one that its index names" {
	mkdir fold
	make_file runprof fold/runprof.npy
	make_file run_meta fold/run_meta.txt
	holds fold 'run["events"] == 129 and run["command"] == []'
	mv fold/runprof.npy fold/SEvt__EndOfRun_SProf_txt.npy
	rm fold/run_meta.txt
	printf 'run.npy\nSEvt__EndOfRun_SProf_txt.npy\nsub\n' >fold/NPFold_index.txt
	holds fold 'run["events"] == 258 and "no names" in notes'
}

@test "prmon: pss + swap, whatever the order of the columns" {
	make_file prmon prmon.txt
	holds prmon.txt 'v["kind"] == "growth" and run["event_source"] == "time"'
	holds prmon.txt 'abs(rate["bytes_per_s"] / kib - 200) < 0.1 and "pss + swap" in notes'
	holds prmon.txt '"evenly spaced" not in notes'
	# What linear interpolation would bring back is left out, as prmon_compress_output.py does.
	awk 'NR < 4 || NR % 7 == 1 || NR % 31 == 5' prmon.txt >thin.txt
	holds thin.txt '"evenly spaced" in notes'
}

@test "mprof: calls of a function are events, else the samples are slices of time" {
	make_file mprof mprofile.dat
	holds mprofile.dat 'run["events"] == 60 and run["event_source"] == "api"'
	holds mprofile.dat 'abs(rate["bytes_per_event"] / 2**20 - 0.5) < 0.001'
	holds mprofile.dat 'phases["__main__.part -> __main__.part end"]["accused"]'
	holds mprofile.dat 'run["command"] == ["python", "job.py", "--n", "60"]'
	make_file mprof_samples mprofile.dat
	holds mprofile.dat 'abs(rate["bytes_per_s"] / 2**20 - 0.25) < 0.001'
	holds mprofile.dat 'run["command"] == ["./job", "a b"]'
}

@test "psrecord: plain and as CSV" {
	make_file psrecord log.txt
	holds log.txt 'abs(rate["bytes_per_s"] / 2**20 - 1) < 0.001'
	make_file psrecord_csv log.csv
	holds log.csv 'abs(rate["bytes_per_s"] / 2**20 - 1) < 0.001'
}

# same_rate FILE OTHER PART: the rates differ by no more than that part
same_rate() {
	seep report --json "$1" >one.json
	seep report --json "$2" >two.json
	/usr/bin/python3 - "$3" <<-'END'
		import json, sys
		one, two = (json.load(open(name))["verdict"] for name in ("one.json", "two.json"))
		assert one["kind"] == two["kind"], (one, two)
		for key in "low", "bytes_per_event", "high":
		    a, b = one["rate"][key], two["rate"][key]
		    assert abs(a - b) <= float(sys.argv[1]) * a, (key, a, b)
	END
}

@test "what seep export writes is read again with the same rate" {
	make_file sprof_hits SProf.txt
	seep export --to sprof -o again.txt SProf.txt
	same_rate SProf.txt again.txt 1e-9
	holds again.txt 'r["drivers"][0]["counter"] == "numHit"'
	seep export --to npy -o fold SProf.txt
	same_rate SProf.txt fold/SProf_txt.npy 1e-9
	# These have no stamp behind the last begin.
	same_rate SProf.txt fold 1e-3
	same_rate SProf.txt fold/run_meta.txt 1e-3
	seep export --to opticks-profile -o plot.npy SProf.txt
	same_rate SProf.txt plot.npy 1e-3
	# Of a long run only some events are written, with their numbers.
	/usr/bin/python3 - >long.txt <<-'END'
		for i in range(20000):
		    for j in range(2):
		        t, kb = 1706856261841716 + i * 1000 + j, 9000 + i * 3 + i * 7919 % 50
		        print(f"A{i:03d}_S{j}:{t},9,{kb + 2 * j}")
	END
	seep export --to sprof -o again.txt long.txt
	[ "$(wc -l <again.txt)" -lt 50000 ]
	same_rate long.txt again.txt 1e-3
	holds again.txt 'run["events"] == 20000'
	make_file prmon prmon.txt
	seep export --to prmon -o again.txt prmon.txt
	same_rate prmon.txt again.txt 1e-9
}

@test "a packed file is the same file" {
	make_file sprof_steps SProf.txt
	gzip SProf.txt
	holds SProf.txt.gz '2196 <= rate["bytes_per_event"] / kib <= 2199'
}

@test "a long file of stamps is read in bounded memory" {
	# Forty megabytes here: what is kept does not depend on it.
	/usr/bin/python3 - <<-'END'
		import json, resource, subprocess
		with open("big.txt", "w", encoding="ascii") as file:
		    for i in range(300000):
		        for j in range(3):
		            t = 1706856261841716 + i * 1000 + j
		            file.write(f"A{i:03d}_S{j}:{t},9,{9 + i * 4}\n")
		with open("report.json", "wb") as out:
		    subprocess.run(["seep", "report", "--json", "big.txt"], stdout=out, check=True)
		assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 500000
		r = json.load(open("report.json"))
		assert r["run"]["events"] == 300000, r["run"]
		assert abs(r["verdict"]["rate"]["bytes_per_event"] - 4096) < 1, r["verdict"]
	END
}

@test "damage is refused with file and line" {
	make_file sprof_seven SProf.txt
	sed -i '9s/,[0-9]*$/,99999999999999999999/' SProf.txt
	run -125 seep report SProf.txt
	[[ "$output" == *"SProf.txt:9: a stamp whose number is too large"* ]]
}

@test "a file of no kind that is known is refused as such" {
	echo "root:x:0:0:root" >passwd
	run -125 seep report passwd
	[[ "$output" == *"passwd: neither a trace nor another file that seep can read"*text* ]]
}

@test "diff: a counter of tens of thousands is written in full" {
	make_file sprof_hits before.txt
	sed 's/numHit=\([0-9]*\)/numHit=\10/' before.txt >after.txt
	run -0 seep diff after.txt after.txt
	grep -Eq '^  driver  numHit: .*; ([0-9]{5}) -> \1 per event$' <<<"$output"
}
