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
		            if mode == "garbage":
		                kept.clear()
		            node = None
		    return kept

		mode = sys.argv[1]
		gc.collect()
		gc.set_threshold(100000)
		if mode == "off":
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

@test "the program's own results are the same" {
	/usr/bin/python3 work.py kept > bare
	[ "$(cut -d ' ' -f 1,2 bare)" = "kept True" ]
	judge kept
	[ "$(cut -d ' ' -f 1,2 out)" = "kept True" ]
}
