#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# seep.report(): the verdict as an object says what seep report --json says.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	"$SEEP_BUILD/bin/seep" run -q -o leak.seep -- "$SEEP_BUILD/examples/hits" --events 30
	"$SEEP_BUILD/bin/seep" report --json leak.seep > leak.json
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	PATH="$SEEP_BUILD/bin:$PATH"
	export PYTHONPATH="$SEEP_SOURCE/python"
	[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
}

# python: runs the program on standard input
python() {
	cat - > "$BATS_TEST_TMPDIR/program.py"
	/usr/bin/python3 "$BATS_TEST_TMPDIR/program.py"
}

@test "the attributes are the fields of the JSON" {
	python <<-'END'
		import json, pathlib, seep
		report = seep.report(pathlib.Path("leak.seep"))
		with open("leak.json") as file:
		    fields = json.load(file)
		assert report.json == fields
		assert report.kind == report.verdict.kind == "leak" and report.leaks
		assert report.sentence == fields["verdict"]["sentence"]
		assert report.rate.low <= float(report.rate) <= report.rate.high
		assert float(report.rate) == fields["verdict"]["rate"]["bytes_per_event"]
		assert report.run.events == 30 and report.run.exit.signal is None
		counters = [driver["counter"] for driver in fields["drivers"]]
		assert [driver.counter for driver in report.drivers] == counters
		assert len(report.sites) == len(fields["sites"])
		site = report.sites[0]
		assert site.rank == 1 and site.accused and site.live_bytes > 0
		assert str(site.frame).startswith("hits.cc:"), site.frame
		assert site.frame.function in ("Tran<double>::Invert", "sframe::prepare")
		assert [s.rank for s in report.accused] == [
		    s["rank"] for s in fields["sites"] if s["verdict"] == "leak"]
		assert "LEAK" in repr(report) and "leak.seep" in repr(report)
		assert "hits.cc" in repr(site)
		assert "verdict" in dir(report) and report == seep.report("leak.seep")
	END
}

@test "options go to the command" {
	python <<-'END'
		import seep
		most = seep.report("leak.seep", "--all")
		assert len(most.sites) == most.sites_total >= len(seep.report("leak.seep").sites)
	END
}

@test "a report is neither true nor false, and has no other fields" {
	python <<-'END'
		import seep
		report = seep.report("leak.seep")
		for wrong, error, words in ((lambda: bool(report), TypeError, "report.leaks"),
		                            (lambda: report.leek, AttributeError, "sites_total")):
		    try:
		        wrong()
		    except error as failure:
		        assert words in str(failure), failure
		    else:
		        raise AssertionError(words)
	END
}

@test "an error has the words of seep" {
	seep report --json nothing.seep 2> said || true
	echo text > text.seep
	seep report --json text.seep 2> said2 || true
	python <<-'END'
		import seep
		for path, said in (("nothing.seep", "said"), ("text.seep", "said2")):
		    try:
		        seep.report(path)
		    except seep.Error as failure:
		        assert str(failure) == open(said).read().strip() != "", failure
		    else:
		        raise AssertionError(path)
	END
}

@test "the command is the one on PATH, or the one that SEEP names" {
	cp "$BATS_FILE_TMPDIR/leak.seep" "$BATS_TEST_TMPDIR"
	cat > "$BATS_TEST_TMPDIR/where.py" <<-'END'
		import seep
		try:
		    print(seep.report("leak.seep").kind)
		except seep.Error as failure:
		    print("error:", failure)
	END
	run -0 env PATH=/usr/bin:/bin /usr/bin/python3 "$BATS_TEST_TMPDIR/where.py"
	[ "$output" = "error: seep: no such command on PATH; the variable SEEP may name it" ]
	run -0 env PATH=/usr/bin:/bin SEEP="$SEEP_BUILD/bin/seep" /usr/bin/python3 \
		"$BATS_TEST_TMPDIR/where.py"
	[ "$output" = leak ]
	run -0 env SEEP=/nonexistent/seep /usr/bin/python3 "$BATS_TEST_TMPDIR/where.py"
	[ "$output" = "error: /nonexistent/seep: no such command" ]
}

@test "a program that is traced may read a report, and loads nothing for it if it does not" {
	cat > "$BATS_TEST_TMPDIR/traced.py" <<-'END'
		import sys, seep
		assert "seep_report" not in sys.modules and "json" not in sys.modules
		assert seep.active() and seep.report("leak.seep").leaks
	END
	seep run -q -o "$BATS_TEST_TMPDIR/t.seep" -- /usr/bin/python3 "$BATS_TEST_TMPDIR/traced.py"
	cp "$SEEP_SOURCE/python/seep.py" "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	echo 'from seep import *; import seep; seep.report("x")' > alone.py
	run -1 env PYTHONPATH=. /usr/bin/python3 alone.py
	[[ "$output" == *"seep_report.py, which is not beside seep.py"* ]]
}
