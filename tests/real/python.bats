#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# CPython's own tests have the same outcomes with and without the tracker, test by test: see
# pytests.py for what is compared and how.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	load real.bash
}

outcomes() {
	local status=0
	/usr/bin/python3 -c 'import test.regrtest' 2> /dev/null ||
		skip "Python's tests (libpython3-testsuite) are not installed"
	/usr/bin/python3 "$SEEP_SOURCE/tests/real/pytests.py" "$SEEP_BUILD/bin/seep" "$1" \
		> outcomes.txt || status=$?
	[ $status -ne 77 ] || skip "$(cat outcomes.txt)"
	sed 's/^/# /' outcomes.txt >&3
	cat outcomes.txt
	[ $status -eq 0 ]
	readable ./*.seep*
}

@test "test_gc" { outcomes test_gc; }
@test "test_json" { outcomes test_json; }
@test "test_re" { outcomes test_re; }
@test "test_ctypes" { outcomes test_ctypes; }
@test "test_sqlite3" { outcomes test_sqlite3; }
@test "test_capi" { outcomes test_capi; }
@test "test_threading" { outcomes test_threading; }
@test "test_subprocess" { outcomes test_subprocess; }
@test "test_signal" { outcomes test_signal; }
@test "test_faulthandler" { outcomes test_faulthandler; }
@test "test_asyncio" { outcomes test_asyncio; }
@test "test_multiprocessing_fork" { outcomes test_multiprocessing_fork; }
