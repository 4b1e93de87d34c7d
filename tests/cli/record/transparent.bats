#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Real programs do under seep run exactly what they do without it.
#
# shellcheck disable=SC2016 # what stands in quotes is for another shell

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir work traces
	cd work || return
	unset SEEP_DISABLE
}

# same COMMAND...: output, errors and status with and without seep
same() {
	local plain=0 tracked=0
	"$@" >../plain.out 2>../plain.err </dev/null || plain=$?
	seep run -q -o "../traces/$RANDOM.$RANDOM.seep" -- "$@" \
		>../tracked.out 2>../tracked.err </dev/null || tracked=$?
	cmp ../plain.out ../tracked.out
	diff ../plain.err ../tracked.err
	[ "$plain" -eq "$tracked" ]
}

# Each trace can be read, and is complete.
check_traces() {
	for trace in ../traces/*.seep; do
		[ "$(seep report --json "$trace" | jq -r .run.complete)" = true ]
	done
}

@test "ls" {
	same ls -la /usr/bin /etc
	same ls --no-such-option
	same ls /no/such/directory
	check_traces
}

@test "git log" {
	git init -q .
	git config user.email nobody@example.org
	git config user.name nobody
	for i in $(seq 20); do
		echo "$i" >file
		git add file
		GIT_COMMITTER_DATE='2024-02-01T00:00:00Z' git commit -q -m "change $i" \
			--date '2024-02-01T00:00:00Z'
	done
	same git log --stat
	same git log -p
	same git show HEAD~40
	check_traces
}

@test "python3" {
	same /usr/bin/python3 -c 'print(sum(i * i for i in range(100000)))'
	same /usr/bin/python3 -c 'import json, re; print(json.dumps({"a": [1, 2, None]}))'
	same /usr/bin/python3 -c 'raise SystemExit(3)'
	same /usr/bin/python3 -c 'import subprocess; print(subprocess.check_output(["uname"]))'
	same /usr/bin/python3 -c 'import threading as t
x = [t.Thread(target=lambda: [str(i) for i in range(20000)]) for _ in range(8)]
[i.start() for i in x]; [i.join() for i in x]; print("done")'
	check_traces
}

@test "sqlite3" {
	same sqlite3 :memory: 'create table t(a, b);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
		insert into t select i, hex(i * 7919) from n;
		select count(*), sum(a), max(b) from t; select * from t where a % 1999 = 0;'
	same sqlite3 :memory: 'select nonsense;'
	check_traces
}

@test "gcc -c" {
	cat >unit.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		int twice(int x) { return 2 * x; }
		int main(void) { return printf("%d\n", twice(21)) < 0; }
	END
	gcc -O2 -g -c unit.c -o plain.o
	same gcc -O2 -g -c unit.c -o tracked.o
	cmp plain.o tracked.o
	echo 'int f( {' >wrong.c
	same gcc -c wrong.c
	check_traces
}

@test "pipes and redirections of a shell" {
	same sh -c 'seq 5000 | sort -r | head -n 3; echo error >&2; exit 2'
	same bash -c 'for i in {1..300}; do x=$(echo "$i"); done; echo "$x"'
	check_traces
}
