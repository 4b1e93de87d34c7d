#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks of Python's own allocators, to the block; and what is said where they cannot be tracked.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset PYTHONMALLOC PYTHONDEVMODE
	seep=$SEEP_BUILD/bin/seep
	truth=$SEEP_SOURCE/tests/truth
	library=$SEEP_BUILD/tests/truth/lib_pyblocks.so
	python=/usr/bin/python3
}

# version 3.N: takes the newest Python of this version that pyenv has
version() {
	python=$(printf '%s\n' "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python3 |
		sort -V | tail -n 1)
	[ -x "$python" ] || skip "Python $1 is not installed (pyenv install $1)"
}

# record OPTION... : runs "$python" under seep with these options up to --, the program behind it
record() {
	"$seep" run -q -f -o t.seep "$@"
}

# exact [HOW [OPTION...]]: what pyblocks.py says of its blocks, against the report
exact() {
	record -- "$python" "${@:2}" "$truth/python/pyblocks.py" "$library" "$1" > truth.txt
	"$seep" report --json --all --at-event end t.seep > report.json
	"$python" "$truth/compare.py" report.json truth.txt
}

no_pool_turned_off() {
	jq -e '[.run.notes[]? | tostring | select(test("PYTHONMALLOC"))] == []' report.json
}

# all ways in one version that differ between versions
version_exact() {
	version "$1"
	exact threads
	exact interpreters
	no_pool_turned_off
}

@test "the system's Python: each block, in threads, after fork, in sub-interpreters" {
	exact
	exact threads
	exact fork
	exact interpreters
	exact nothing
	no_pool_turned_off
}

@test "Python 3.9" { version_exact 3.9; }
@test "Python 3.10" { version_exact 3.10; }
@test "Python 3.11" { version_exact 3.11; }
@test "Python 3.12" { version_exact 3.12; }
@test "Python 3.13" { version_exact 3.13; }

@test "a sample is near the truth" {
	record --sample 16k -- "$python" "$truth/python/pyblocks.py" "$library" > truth.txt
	"$seep" report --json --all --at-event end t.seep > report.json
	"$python" - <<-'END'
		import json
		seen = {}
		for site in json.load(open("report.json"))["sites"]:
		    for name in {frame["function"] for frame in site["stack"]}:
		        seen[name] = seen.get(name, 0) + site["live_bytes"]
		for line in open("truth.txt"):
		    words = line.split()
		    if not words[2].endswith("_resized"):  # a sample books them where they moved
		        assert abs(seen[words[2]] / int(words[6]) - 1) < .15, (line, seen)
	END
}

@test "Python's options and a virtual environment make no difference" {
	exact "" -I
	exact "" -E -s
	exact "" -S -B
	"$python" -m venv --without-pip --symlinks venv || skip "there is no venv module"
	python=venv/bin/python exact
}

@test "children are tracked with --follow, whether forked or started anew" {
	cat > parent.py <<-'END'
		import os, subprocess, sys
		assert "PYTHONMALLOC" not in os.environ
		subprocess.run([sys.executable, *sys.argv[1:]], check=True)
	END
	export PYTHONPATH=$SEEP_SOURCE/python
	record --follow -- "$python" parent.py "$truth/python/pyblocks.py" "$library" > truth.txt
	child=$(find . -name 't.seep.*')
	"$seep" report --json --all --at-event end "$child" > report.json
	"$python" "$truth/compare.py" report.json truth.txt
}

@test "arenas are heap: they are not counted again outside it" {
	cat > grow.py <<-'END'
		import seep
		kept = []
		for i in range(300):
		    with seep.event():
		        kept.append([[j] for j in range(1000)])
	END
	PYTHONPATH=$SEEP_SOURCE/python record -- "$python" grow.py
	"$seep" report --json t.seep > report.json
	jq -e '.verdict.kind == "leak"' report.json
	jq -e '[.sites[] | select(.kind != "heap" and .bytes_per_event > 1000)] == []' report.json
	# 1000 lists of 56 + 8 bytes, 743 numbers of 32, and a list of 8800
	jq -e '.verdict.rate.bytes_per_event | . > 96500 and . < 97000' report.json
	# what is neither heap nor the tracker's is little
	jq -e '.sum | (.residual / .rss) | . < 0.4 and . > -0.4' report.json
}

@test "what the interpreter maps for frames is no arena of pymalloc" {
	version 3.12
	cat > frames.py <<-'END'
		import itertools, sys
		import seep
		sys.setrecursionlimit(100000)
		def events():
		    for _ in range(5):
		        with seep.event():
		            pass
		def down(left):
		    for _ in left:
		        return down(left)
		    events()
		events()
		down(itertools.repeat(None, 50000))
	END
	PYTHONPATH=$SEEP_SOURCE/python record -- "$python" frames.py
	"$python" "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep | grep " ANCHOR " > anchors.txt
	cat anchors.txt
	"$python" - <<-'END'
		import re
		arenas, others = [], []
		for line in open("anchors.txt"):
		    field = {k: int(v) for k, v in re.findall(r"(\w+)=(-?\d+)", line)}
		    if field["allocator_bytes"]:
		        arenas.append(field["allocator_bytes"] - field["allocator_used_bytes"] -
		                      field["allocator_free_bytes"])
		        others.append(field["non_heap_bytes"])
		assert max(others) - others[0] > 4 << 20, others
		assert max(arenas) - arenas[0] < 3 << 20, arenas
	END
}

# told REASON: runs "$@" and looks for the note
told() {
	local reason=$1
	shift
	record -- "$@" > output.txt
	"$seep" report t.seep > report.txt || true
	tr -s ' \n' ' ' < report.txt | grep -F "$reason"
	[ "$(tail -n 1 output.txt)" = malloc ]
}

@test "development mode has its own allocator: the pools are turned off" {
	say='import os; print(os.environ["PYTHONMALLOC"])'
	because="Python's development mode has its own allocator: its pools are turned off"
	told "$because" "$python" -X dev -c "$say"
	told "$because" "$python" -BXdev -c "$say"
	PYTHONDEVMODE=1 told "$because" "$python" -c "$say"
	# not an option of Python's
	record -- "$python" -c 'import os; print("PYTHONMALLOC" in os.environ)' -X dev > output.txt
	[ "$(cat output.txt)" = False ]
}

# fake VERSION [CONTEXT]: a program that looks like this Python to the tracker
fake() {
	cat > fake.c <<-END
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		int _PyRuntime;
		const char *Py_GetVersion(void) { return "$1 (main) [GCC]"; }
		void PyMem_GetAllocator(int domain, void **a) { memset(a, 0, 40); *a = ${2:-0}; }
		void PyMem_SetAllocator(int domain, void **a) { puts("hooked"); }
		void PyObject_GetArenaAllocator(void **a) { memset(a, 0, 24); }
		void PyObject_SetArenaAllocator(void **a) { }
		int main(void)
		{
			const char *set = getenv("PYTHONMALLOC");
			puts(set ? set : "not set");
			return 0;
		}
	END
	gcc -rdynamic -o fake fake.c
}

@test "an unknown version and a debug build are refused by name" {
	fake 3.14.0
	told "Python 3.14.0 is not known to this version of seep: its pools are turned off" ./fake
	run ! grep hooked output.txt
	fake 3.8.10
	told "Python 3.8.10 is not known" ./fake
	fake 3.11.9 "(void *)1"
	told "this Python is a debug build, or its allocator was replaced" ./fake
	fake 3.12.1
	record -- ./fake > output.txt
	[ "$(tail -n 1 output.txt)" = "not set" ]
	[ "$(grep -c hooked output.txt)" = 2 ]
}

@test "a free-threaded build does not start with PYTHONMALLOC=malloc, so it does not get it" {
	fake "3.13.1 experimental free-threading build"
	record -- ./fake > output.txt
	[ "$(cat output.txt)" = "not set" ]
	"$seep" report t.seep > report.txt || true
	tr -s ' \n' ' ' < report.txt | grep "free-threaded build: memory in its own allocator is"
}

@test "what the user has set is left alone, and --keep-pools keeps the pools" {
	say='import os; print(os.environ.get("PYTHONMALLOC"))'
	PYTHONMALLOC=pymalloc record -- "$python" -c "$say" > output.txt
	[ "$(cat output.txt)" = pymalloc ]
	PYTHONMALLOC=malloc record -- "$python" "$truth/python/pyblocks.py" "$library" > truth.txt
	"$seep" report --json --all --at-event end t.seep > report.json
	"$python" "$truth/compare.py" report.json truth.txt
	record --keep-pools -- "$python" "$truth/python/pyblocks.py" "$library" > truth.txt
	"$seep" report --json --all --at-event end t.seep > report.json
	run ! "$python" "$truth/compare.py" report.json truth.txt
}

@test "a program that loads Python while it runs is told to use malloc" {
	version 3.12
	libpython=$(find "${python%/bin/*}/lib" -name 'libpython3.*.so.1.0')
	[ -n "$libpython" ] || skip "this Python has no library"
	cat > host.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
			((void (*)(void))dlsym(library, "Py_Initialize"))();
			void *run = dlsym(library, "PyRun_SimpleString");
			return ((int (*)(const char *))run)(argv[2]);
		}
	END
	gcc -o host host.c
	code="import ctypes; b = ctypes.PyDLL('$library'); b.fill(30); b.tell()"
	record -- ./host "$libpython" "$code" > truth.txt
	grep -q 'truth site mem blocks' truth.txt
	"$seep" report --json --all --at-event end t.seep > report.json
	"$python" "$truth/compare.py" report.json truth.txt
}

# leaking_lists: leaks lists made by [] beside code that churns lists made by list()
leaking_lists() {
	cat > lists.py <<-'END'
		from seep import event
		leak = []
		def churn():
		    for _ in range(20):
		        kept = [list() for _ in range(5)]
		def leaky():
		    leak.append([])
		for i in range(200):
		    with event():
		        churn()
		        leaky()
		        leaky()
	END
	PYTHONPATH=$SEEP_SOURCE/python record -- "$python" lists.py
	"$seep" report --json t.seep > report.json
	jq -e '.verdict.kind == "leak"' report.json
}

@test "3.13 tells who takes a list from the free list: the code that leaks is accused" {
	version 3.13
	leaking_lists
	jq -e '.sites[0] | any(.stack[]; .function == "PyList_New") and
		all(.stack[]; .function != "list_vectorcall")' report.json
	# The calls are on two lines, which are two sites where Python's lines are known.
	jq -e '[.sites[] | select(any(.stack[]; .function == "PyList_New")) |
		.objects_per_event] | add == 2' report.json
	jq -e '[.run.notes[] | select(test("reuses freed lists"))] == []' report.json
}

@test "before 3.13 the report owns up to free lists" {
	leaking_lists
	jq -e '[.run.notes[] | select(test("reuses freed lists"))] | length == 1' report.json
}
