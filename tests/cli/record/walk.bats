#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Every stack is what backtrace() says.  A million of them: tests/real/walk.bats.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	load ../../real/walk.bash
	work=$SEEP_SOURCE/tests/real/work
}

@test "stacks of python3 with threads and sqlite3 equal backtrace(), frame by frame" {
	checked python3 /usr/bin/python3 "$work/documents.py" 3
	/usr/bin/python3 "$work/make_sql.py" 200 > work.sql
	checked sqlite3 sqlite3 :memory: < work.sql > /dev/null
	compared 20000 python3.counts
	compared 20000 sqlite3.counts
}

@test "stacks that try to mislead the walk equal backtrace()" {
	for seed in 1 2 3; do
		checked frames "$SEEP_BUILD/tests/real/frames" 10 $seed
	done
	compared 100000 frames.counts
}

@test "stacks in signal handlers equal backtrace(), whichever instruction was interrupted" {
	checked signals "$SEEP_BUILD/tests/real/frames" 2 1 signals
	compared 20000 signals.counts
	/usr/bin/python3 "$SEEP_SOURCE/tests/real/walk_counts.py" signals.counts |
		grep -Eq ' [1-9][0-9]{3,} in signal handlers'
}
