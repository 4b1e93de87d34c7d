#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Births and survivors equal those that valgrind's dhat counts, to the block: see totals.py.
#
# Only programs that allocate the same each time can be asked.  The C compiler cannot: it has a
# table for each 4 GiB of addresses that it was given.  Nor can perl and python3, which copy the
# environment, and valgrind's differs from seep's.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	load ../../real/real.bash
	need valgrind
	work=$SEEP_SOURCE/tests/real/work
}

# equal OPTION... COMMAND...
equal() {
	local status=0
	/usr/bin/python3 "$SEEP_SOURCE/tests/real/totals.py" "$SEEP_BUILD/bin/seep" "$@" \
		> totals.txt < "${input:-/dev/null}" || status=$?
	cat totals.txt
	if [ -n "${SEEP_SHOW-}" ]; then
		sed 's/^/# /' totals.txt >&3
	fi
	return $status
}

@test "exceptions, longjmp, static constructors in C++" {
	equal "$SEEP_BUILD/tests/truth/jumps"
}

@test "threads: 150 come and go" {
	equal --dtv=150 "$SEEP_BUILD/tests/truth/threads"
}

@test "sqlite3" {
	/usr/bin/python3 "$work/make_sql.py" 200 > work.sql
	input=$PWD/work.sql equal sqlite3 :memory:
}

@test "jq" {
	/usr/bin/python3 "$work/make_people.py" 300 > people.json
	equal jq -f "$work/people.jq" people.json
}

@test "git log" {
	make_repository repository
	equal git -C repository log --stat
}

@test "openssl" {
	need openssl
	equal openssl dgst -sha256 "$work/people.jq"
}

@test "objdump" {
	equal objdump -d /bin/true
}
