#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Garbage that Python has not collected yet is no leak, and what it keeps is none of the garbage.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	PATH="$SEEP_BUILD/bin:$PATH"
	export PYTHONPATH="$SEEP_SOURCE/python"
	[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
	cat > work.py <<-'END'
		import atexit
		import gc
		import sys
		import seep

		class Node:
		    pass

		def cycle(kept):
		    # Two objects that hold each other, made once in every event.
		    a, b = Node(), Node()
		    a.other, b.other = b, a
		    kept.append(a)
		    return a

		def work(mode, events):
		    kept = []
		    for i in range(events):
		        with seep.event():
		            node = cycle(kept)
		            if mode.endswith("garbage"):
		                kept.clear()
		            node = None
		    return kept

		mode = sys.argv[1]
		gc.collect()
		gc.set_threshold(100000)
		if mode.startswith("off"):
		    gc.disable()
		if mode == "exit":
		    table = []
		    atexit.register(table.clear)
		    table += work(mode, 400)
		elif mode == "local":
		    work(mode, 400)
		else:
		    table = work(mode, 400)
		print(mode, gc.isenabled(), len(gc.callbacks))
	END
}

# judge MODE
judge() {
	seep run -q -f -o t.seep -- /usr/bin/python3 work.py "$1" > out
	seep report --json t.seep > report.json
}

is() {
	jq -e "$1" report.json > /dev/null || {
		jq -c '.verdict | {kind, rule, sentence}' report.json
		return 1
	}
}

@test "cycles that wait for the collector are collected at the end: a sawtooth" {
	judge garbage
	is '.verdict.kind == "sawtooth" and .verdict.rule == "collected"'
	is '.verdict.sentence | test("garbage collector freed")'
	seep check --budget 0 t.seep
}

@test "fewer objects than a collection waits for are a leak if they outlive the last one" {
	judge kept
	is '.verdict.kind == "leak" and .verdict.rate.low > 100'
	run -1 seep check --budget 0 t.seep
}

@test "what the end of a function or a handler of the exit frees is not taken for garbage" {
	for mode in local exit; do
		judge $mode
		is '.verdict.kind != "sawtooth" and .verdict.kind != "flat"'
	done
}

@test "a collector that is off is left alone" {
	judge off
	[ "$(cat out)" = "off False 1" ]
	is '.verdict.rule != "collected"'
}

# collect MODE: the same with --collect
collect() {
	seep run -q -f -o t.seep --collect -- /usr/bin/python3 work.py "$1" > out
	seep report --json t.seep > report.json
}

@test "--collect: what was garbage is flat, even if the collector is off; a leak is a leak" {
	judge off-garbage
	is '.verdict.kind == "undecided" or .verdict.kind == "leak"'
	is '.run.collect == null'
	for mode in off-garbage garbage; do
		collect $mode
		is '.verdict.kind == "flat"'
		is '.run.collect.collections == 400 and .run.collect.seconds > 0'
		is '.run.notes | any(test("collected before each event, 400 times"))'
	done
	for mode in off kept local exit; do
		collect $mode
		is '.verdict.kind == "leak" and .verdict.rate.low > 100'
	done
	run -0 seep report t.seep
	[[ "$output" == *"garbage was collected before each event, 400 times (--collect)"* ]]
}

@test "--collect: the verdict on garbage suggests it" {
	judge off
	is '.verdict.sentence | test("or seep run --collect$")'
}

@test "--collect: the time that it takes is not part of rates per second" {
	cat > slow.py <<-'END'
		import gc, time, seep
		kept = []
		gc.callbacks.append(lambda phase, info: time.sleep(.01))
		for i in range(60):
		    with seep.event():
		        kept.append(bytearray(1000))
	END
	seep run -q -o t.seep --collect -- /usr/bin/python3 slow.py
	seep report --json t.seep > report.json
	is '.run.collect.seconds > 1.1'
	# Events and collections together take no longer than the run.
	is '.verdict.rate | .bytes_per_event > 0 and .bytes_per_s > 0'
	is '.verdict.rate.bytes_per_event / .verdict.rate.bytes_per_s * 60 + .run.collect.seconds
		<= .run.wall_s'
}

@test "--collect: a program without events of seep.py is told that it has no effect" {
	echo 'lists = [[] for i in range(10000)]' > lists.py
	run -0 seep run -f -o t.seep --collect -- /usr/bin/python3 lists.py
	[[ "$output" == *"--collect had no effect, because the program marked no events"* ]]
	run -0 seep run -f -o t.seep --collect -- "$SEEP_BUILD/examples/hits" --events 20
	[[ "$output" == *"--collect had no effect, because the program marked no events"* ]]
	seep report --json t.seep > report.json
	is '.run.collect.collections == 0'
	run -125 seep run --profiler jemalloc --collect -- true
	[[ "$output" == *"--collect needs seep's own tracker"* ]]
}

@test "--collect: seep check, and a variable from outside" {
	run -0 seep check --collect --budget 0 -- /usr/bin/python3 work.py off-garbage
	run -1 seep check --collect --budget 0 -- /usr/bin/python3 work.py kept
	run -125 seep check --collect --budget 0 t.seep
	SEEP_COLLECT=1 judge off
	is '.run.collect == null'
}

@test "the program's own results are the same" {
	/usr/bin/python3 work.py kept > bare
	[ "$(cut -d ' ' -f 1,2 bare)" = "kept True" ]
	judge kept
	[ "$(cut -d ' ' -f 1,2 out)" = "kept True" ]
}
