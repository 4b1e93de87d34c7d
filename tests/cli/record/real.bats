#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Real programs, unchanged, do under the tracker what they do without it: output, errors, exit
# status, the files they leave.  Those that need more packages or more time: tests/real.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	load ../../real/real.bash
	work=$SEEP_SOURCE/tests/real/work
}

@test "python3 with threads" {
	same /usr/bin/python3 "$work/documents.py" 5
	[ -s tracked.out ]
}

@test "perl: sorting, regular expressions, Storable" {
	same perl "$work/text.pl" 3000
	[ -s tracked.out ]
}

@test "perl: threads, fork, pipes" {
	perl -Mthreads -e 1 2> /dev/null || skip "this perl has no threads"
	same perl "$work/threads.pl"
	grep -qx 'status 5' tracked.out
}

@test "sqlite3, in memory and in a file" {
	/usr/bin/python3 "$work/make_sql.py" 200 > work.sql
	input=$PWD/work.sql same sqlite3 :memory:
	input=$PWD/work.sql same sqlite3 file.db
	[ "$(tail -n 1 tracked.out)" = ok ]
}

@test "jq" {
	/usr/bin/python3 "$work/make_people.py" 500 > people.json
	same jq -f "$work/people.jq" "$PWD/people.json"
	same jq .no.such "$PWD/people.json"
	[ "$(cat tracked.status)" -eq 5 ]
}

@test "git: commits, merge, log, gc, fsck" {
	same_script "$work/history.sh"
	grep -q 'number 10' tracked.out
}

@test "gcc builds a program of many files" {
	CC=gcc CXX=g++ same_script "$work/build.sh"
	grep -qx 'status 1' tracked.out
}

@test "clang builds a program of many files" {
	need clang clang++
	CC=clang CXX=clang++ same_script "$work/build.sh"
	grep -qx 'status 1' tracked.out
}
