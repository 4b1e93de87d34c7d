#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The pytest plugin, installed from the tree into an environment of its own and used in a project
# outside the tree: its tests fail if they leak, and only then.
bats_require_minimum_version 1.5.0

setup_file() {
	/usr/bin/python3 -W ignore -c 'import setuptools, wheel, pytest, pip' || return 0
	cp -r "$SEEP_SOURCE/python" "$BATS_FILE_TMPDIR/source"
	rm -rf "$BATS_FILE_TMPDIR"/source/{build,*.egg-info,__pycache__}
	cd "$BATS_FILE_TMPDIR" || return
	/usr/bin/python3 -m venv --system-site-packages --without-pip environment
	/usr/bin/python3 -m pip --disable-pip-version-check -q --python environment/bin/python \
		install --no-index --no-deps --no-build-isolation ./source > pip.log 2>&1 || {
		cat pip.log
		return 1
	}
}

setup() {
	[ -e "$BATS_FILE_TMPDIR/environment" ] || skip "no pip, pytest, setuptools or wheel"
	PATH="$SEEP_BUILD/bin:$PATH"
	PYTHON=$BATS_FILE_TMPDIR/environment/bin/python
	unset PYTHONPATH PYTEST_ADDOPTS SEEP SEEP_DISABLE
	mkdir "$BATS_TEST_TMPDIR/project" "$BATS_TEST_TMPDIR/tmp"
	export TMPDIR=$BATS_TEST_TMPDIR/tmp COLUMNS=200
	cd "$BATS_TEST_TMPDIR/project" || return
	printf '[pytest]\ncache_dir = %s\n' "$TMPDIR/cache" > pytest.ini
}

# project: a test module from standard input
project() {
	{
		printf 'import os, signal, time, pytest\n'
		cat -
	} > test_it.py
}

# pytest STATUS [OPTION...]: the tests, and the exit status that they must have
pytest() {
	local expected=$1
	shift
	run "$PYTHON" -m pytest -rA "$@"
	[ "$status" -eq "$expected" ]
}

# says PATTERN [TIMES]: lines of the output that hold the extended pattern
says() {
	[ "$(grep -cE -- "$1" <<<"$output")" -eq "${2:-1}" ]
}

@test "a test that leaks fails, with the rate and the sites; one that does not passes" {
	project <<-'END'
		kept = []

		@pytest.mark.seep(budget="1kB/event", events=60)
		def test_leak():
		    kept.append(bytearray(5000))

		@pytest.mark.seep(budget="1kB/event", events=60)
		def test_clean():
		    bytearray(5000)

		@pytest.mark.seep(budget="10kB/event", events=60)
		def test_within():
		    kept.append(bytearray(5000))

		@pytest.mark.seep
		def test_no_budget_and_no_growth():
		    bytearray(5000)

		def test_plain():
		    assert not kept
	END
	pytest 1
	says '^PASSED test_it.py::' 4
	says '^FAILED test_it.py::test_leak - FAIL  the rate is 50[0-9][0-9] B/event'
	says '^FAIL  the rate is .* over the budget of 1000 B/event'
	says '^50[0-9.]+ B/event, (29|30)[0-9]+ B live, allocated here:$'
	grep -qE '^    .*PyByteArray|^    test_it.py:[0-9]+ in test_leak' <<< "$output"
	says '^PASS  .*within the budget of 1000 B/event'
	trace=$(sed -n 's/^next: .* --site 1 \(.*\)/\1/p' <<<"$output")
	seep report "$trace" | grep -q '^LEAK'
	# Only the trace of the failure is left.
	[ "$(find "$TMPDIR" -name '*.seep' | wc -l)" -eq 1 ]
}

@test "garbage in cycles is no growth, whether it is collected in each event or at the end" {
	project <<-'END'
		import gc

		class Node:
		    pass

		def cycle():
		    node = Node()
		    node.itself, node.data = node, bytearray(3000)

		@pytest.fixture
		def late():
		    before = gc.get_threshold()
		    gc.set_threshold(100000, 50, 1000)
		    yield
		    gc.set_threshold(*before)

		@pytest.mark.seep(events=50)
		def test_collected(late):
		    cycle()

		@pytest.mark.seep(events=50, collect=False)
		def test_not_collected(late):
		    cycle()
	END
	pytest 0
	says '^PASSED' 2
	says '  rate .* flat$' 1
	says '  rate .* sawtooth$' 1
}

@test "fixtures of all scopes are set up and torn down once, in the child alone" {
	cat > conftest.py <<-'END'
		import os, pytest

		def told(scope, auto=False):
		    @pytest.fixture(scope=scope, autouse=auto, name=scope + "_one")
		    def fixture(request):
		        with open("told", "a") as file:
		            print(scope, "up", os.environ.get("SEEP_TRACE", "")[:1], file=file)
		        yield [scope]
		        with open("told", "a") as file:
		            print(scope, "down", file=file)
		    return fixture

		function_one, module_one = told("function"), told("module")
		class_one, session_one = told("class"), told("session", True)
	END
	project <<-'END'
		class TestOne:
		    @pytest.mark.seep(events=20)
		    def test_fixtures(self, function_one, module_one, class_one, tmp_path):
		        assert function_one == ["function"]
		        assert module_one == ["module"]
		        assert class_one == ["class"]
		        assert tmp_path.is_dir()
	END
	pytest 0
	diff - told <<-'END'
		session up /
		module up /
		class up /
		function up /
		function down
		class down
		module down
		session down
	END
	project <<-'END'
		def test_before(module_one):
		    pass

		@pytest.mark.seep(events=20)
		def test_marked(module_one):
		    pass

		def test_after(module_one):
		    pass

		@pytest.fixture
		def broken():
		    raise KeyError("no database")

		@pytest.fixture
		def broken_end():
		    yield
		    raise KeyError("still in use")

		@pytest.mark.seep(events=20)
		def test_broken(broken):
		    pass

		@pytest.mark.seep(events=20)
		def test_broken_end(broken_end):
		    pass
	END
	pytest 1
	says "^ERROR test_it.py::test_broken - KeyError: 'no database'"
	says "^ERROR test_it.py::test_broken_end - KeyError: 'still in use'"
	says '4 passed, 2 errors'
}

@test "parameters, classes, and markers of a class or module" {
	project <<-'END'
		pytestmark = pytest.mark.seep(budget="2kB/event", events=40)
		kept = []

		@pytest.mark.parametrize("n", [10, 9000], ids=["few::[x]", "many a/b"])
		def test_n(n):
		    kept.append(bytearray(n))

		@pytest.mark.seep(budget="20kB/event")
		class TestMore:
		    def test_allowed(self):
		        kept.append(bytearray(9000))

		    @pytest.mark.seep(budget=0)
		    def test_not_allowed(self):
		        kept.append(bytearray(9000))
	END
	pytest 1
	says '^PASSED test_it.py::test_n\[few::\[x\]\]'
	says '^FAILED test_it.py::test_n\[many a/b\] - FAIL  the rate is 90'
	says '^PASSED test_it.py::TestMore::test_allowed'
	says '^FAILED test_it.py::TestMore::test_not_allowed - FAIL  the rate is 90'
	pytest 1 -k "not_allowed"
	says '1 failed, 3 deselected'
	pytest 0 "test_it.py::TestMore::test_allowed"
}

@test "a test that fails in the child fails here in the same way" {
	project <<-'END'
		calls = []

		@pytest.mark.seep(events=20)
		def test_fails():
		    print("call", len(calls))
		    calls.append(1)
		    assert len(calls) < 7, "too many calls"

		@pytest.mark.seep(events=20)
		def test_raises():
		    {}["missing"]
	END
	pytest 1
	says '^>       assert len\(calls\) < 7, "too many calls"'
	says '^FAILED test_it.py::test_fails - AssertionError: too many calls'
	says '^this was call 7 of 20$'
	says '^call 6$'
	says '^call [0-5]$' 0
	says "^FAILED test_it.py::test_raises - KeyError: 'missing'"
}

@test "skip and xfail mean what they always mean; a leak is a failure that may be expected" {
	project <<-'END'
		kept = []
		leak = lambda: kept.append(bytearray(5000))
		many = pytest.mark.seep(events=40)

		@many
		def test_skip():
		    pytest.skip("not today")

		@pytest.mark.skipif(True, reason="never")
		@many
		def test_skipif():
		    assert False

		@pytest.mark.xfail(reason="known leak")
		@many
		def test_leak_expected():
		    leak()

		@pytest.mark.xfail(strict=True)
		@many
		def test_leak_not_there():
		    pass

		@pytest.mark.xfail(raises=KeyError)
		@many
		def test_wrong_failure():
		    leak()

		@pytest.mark.xfail(raises=KeyError)
		@many
		def test_right_failure():
		    {}[0]

		@many
		def test_xfail_called():
		    pytest.xfail("cannot work")
	END
	pytest 1
	says '^SKIPPED .*: not today'
	says '^SKIPPED .*: never'
	says '^XFAIL test_it.py::test_leak_expected - known leak'
	says '^XFAIL test_it.py::test_right_failure'
	says '^XFAIL test_it.py::test_xfail_called'
	says '^FAILED test_it.py::test_leak_not_there'
	says '^FAILED test_it.py::test_wrong_failure - FAIL '
	says '2 failed, 2 skipped, 3 xfailed'
}

@test "a child that dies, hangs or leaves is a failure" {
	project <<-'END'
		@pytest.mark.seep(events=20)
		def test_crash():
		    os.kill(os.getpid(), signal.SIGSEGV)

		@pytest.mark.seep(events=20)
		def test_leaves():
		    print("bye")
		    os._exit(0)

		@pytest.mark.seep(events=20, timeout=float(os.environ["LIMIT"]))
		def test_hangs():
		    with open("pid", "w") as file:
		        file.write(str(os.getpid()))
		    signal.signal(signal.SIGTERM, signal.SIG_IGN)
		    time.sleep(1000)
	END
	# A busy machine may not get as far as the test within a short limit.
	for LIMIT in 2 10 60 300; do
		export LIMIT
		pytest 1
		[ ! -e pid ] || break
	done
	says '^FAILED .*::test_crash - the process of the test was killed by SIGSEGV'
	says '^  File ".*test_it.py", line 4 in test_crash'
	says '^FAILED .*::test_leaves - the process of the test ended with status 0 before the test'
	says "^FAILED .*::test_hangs - the test did not end within $LIMIT s"
	# Gone, but for what init has not buried yet.
	state=$(ps -o stat= -p "$(cat pid)" || true)
	[[ "$state" == "" || "$state" == Z* ]]
}

@test "without seep, a marked test is skipped with the reason" {
	project <<-'END'
		@pytest.mark.seep(events=20)
		def test_it():
		    pass

		def test_plain():
		    pass
	END
	PATH=/usr/bin:/bin pytest 0
	says '^SKIPPED .*seep is needed: seep: no such command on PATH; the variable SEEP may'
	says '1 passed, 1 skipped'
	SEEP=/nonexistent pytest 0
	says '^SKIPPED .*seep is needed: /nonexistent: no such command'
	SEEP_DISABLE=1 pytest 0
	says '^SKIPPED .*SEEP_DISABLE is set'
	SEEP="$SEEP_BUILD/bin/seep" PATH=/usr/bin:/bin pytest 0
	says '2 passed'
	SEEP=/bin/false pytest 1
	says '^ERROR .*the process of the test ended with status 1 before the test did'
}

@test "pytest-xdist" {
	"$PYTHON" -c 'import xdist' || skip "no pytest-xdist"
	printf '[pytest]\naddopts = -n 2\n' > pytest.ini
	project <<-'END'
		kept = []

		@pytest.mark.seep(events=40)
		@pytest.mark.parametrize("n", [0, 1, 2, 3])
		def test_n(n):
		    kept.append(bytearray(6000 * (n == 2)))
		    kept.clear() if n != 2 else None

		def test_plain():
		    pass
	END
	pytest 1
	says '^PASSED' 4
	says '^FAILED test_it.py::test_n\[2\]'
	says '^6[0-9.]+ B/event, .* allocated here:$'
}

@test "what cannot be run event by event is refused" {
	project <<-'END'
		import unittest

		@pytest.mark.seep(bugdet="1kB")
		def test_typo():
		    pass

		@pytest.mark.seep("1kB")
		def test_position():
		    pass

		@pytest.mark.seep(events=0)
		def test_no_events():
		    pass

		@pytest.mark.seep(budget="a lot", events=20)
		def test_budget():
		    pass

		@pytest.mark.seep
		async def test_async():
		    pass

		@pytest.mark.seep
		class TestOld(unittest.TestCase):
		    def test_method(self):
		        pass
	END
	pytest 1
	says '^ERROR .*::test_typo - @pytest.mark.seep: it has no argument .bugdet.'
	says '^ERROR .*::test_position - @pytest.mark.seep: it takes keyword arguments only'
	says '^ERROR .*::test_no_events - @pytest.mark.seep: events must be a positive number'
	says '^FAILED .*::test_budget - .*a lot.*'
	says '^ERROR .*::test_async - @pytest.mark.seep: async tests are not supported'
	says '^ERROR .*::test_method - @pytest.mark.seep: a method of unittest.TestCase'
	says '1 failed, 5 errors'
}

@test "what pytest itself keeps of a test is not counted" {
	project <<-'END'
		import logging, sys, warnings

		@pytest.mark.seep(events=80)
		def test_talks(caplog, capsys):
		    print("out" * 500)
		    logging.warning("log " + "x" * 2000)
		    warnings.warn("old " + "x" * 2000, DeprecationWarning)
		    assert len(caplog.records) == 1
		    assert len(capsys.readouterr().out) == 1501

		@pytest.mark.seep(events=80)
		def test_talks_freely():
		    print("out" * 500, file=sys.stderr)
		    logging.error("log " + "x" * 2000)
	END
	pytest 0
	says 'DeprecationWarning: old x'
	pytest 0 --capture=sys
	pytest 0 -s
	pytest 0 -n0 -p no:logging -k freely
}

@test "options of the project reach the child" {
	cat > conftest.py <<-'END'
		import pytest

		def pytest_addoption(parser):
		    parser.addoption("--server", default="none")

		@pytest.fixture
		def server(request):
		    return request.config.getoption("--server")
	END
	project <<-'END'
		@pytest.mark.seep(events=20)
		def test_server(server, request):
		    assert server == "db7"
		    assert request.config.getini("xfail_strict")
	END
	pytest 0 --server db7 -o xfail_strict=true --junitxml=result.xml -x
	grep -q 'tests="1"' result.xml
	pytest 1 --server db8
	mkdir sub
	cd sub
	pytest 0 --server db7 -o xfail_strict=true ../test_it.py
}

@test "the version is that of seep" {
	version=$(sed -n 's/^project(seep VERSION \([0-9.]*\).*/\1/p' "$SEEP_SOURCE/CMakeLists.txt")
	run -0 "$PYTHON" -c 'from importlib.metadata import version; print(version("seep"))'
	[ "$output" = "$version" ]
}
