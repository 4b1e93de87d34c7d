#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Every stack of a dozen real programs is what backtrace() says: more than a million of them.

setup() {
	cd "$BATS_FILE_TMPDIR" || exit 1
	load ../real/real.bash
	load ../real/walk.bash
	work=$SEEP_SOURCE/tests/real/work
}

teardown() {
	if [ -n "${redis_port-}" ]; then
		redis-cli -p "$redis_port" shutdown nosave || true
	fi
}

@test "python3: JSON in threads" {
	checked python3 /usr/bin/python3 "$work/documents.py" 40
	compared 200000 python3.counts
}

@test "sqlite3" {
	/usr/bin/python3 "$work/make_sql.py" 1500 > work.sql
	checked sqlite3 sqlite3 :memory: < work.sql > /dev/null
	compared 150000 sqlite3.counts
}

@test "perl" {
	checked perl perl "$work/text.pl" 20000 > /dev/null
	compared 150000 perl.counts
}

@test "jq" {
	/usr/bin/python3 "$work/make_people.py" 3000 > work.json
	checked jq jq -c -f "$work/people.jq" work.json > /dev/null
	compared 100000 jq.counts
}

@test "the C compiler" {
	gcc -D_GNU_SOURCE= -I"$SEEP_SOURCE/src" -E "$SEEP_SOURCE/src/cli/run/cmd_run.c" > work.i
	checked cc1 "$(gcc -print-prog-name=cc1)" -quiet -O2 work.i -o work.s
	compared 40000 cc1.counts
}

@test "the C++ compiler" {
	g++ -I"$SEEP_SOURCE/include" -E "$SEEP_SOURCE/examples/hits.cc" > work.ii
	checked cc1plus "$(gcc -print-prog-name=cc1plus)" -quiet -w -O2 work.ii -o work.s
	compared 300000 cc1plus.counts
}

@test "clang, all in one process" {
	need clang
	checked clang clang -D_GNU_SOURCE= -I"$SEEP_SOURCE/src" -O2 -c -o work.o \
		"$SEEP_SOURCE/src/cli/run/cmd_run.c"
	compared 20000 clang.counts
}

@test "cmake, written in C++" {
	need cmake
	checked cmake cmake -S "$SEEP_SOURCE" -B configured > /dev/null
	compared 300000 cmake.counts
}

@test "node, with frames that nobody can unwind" {
	need node
	checked node node "$work/objects.js" 20000 > /dev/null
	compared 200000 node.counts
}

@test "git with pack threads" {
	make_repository repository
	checked git git -C repository -c pack.threads=2 repack -q -a -d -f
	checked git git -C repository log -p --stat > /dev/null
	checked git git -C repository blame file3 > /dev/null
	checked git git -C repository fsck
	compared 10000 git.counts
}

@test "redis-server, with jemalloc, serving" {
	need redis-server redis-benchmark redis-cli
	redis_port=$(free_port)
	checked redis redis-server --port "$redis_port" --save '' --daemonize no > redis.log &
	server=$!
	wait_until redis-cli -p "$redis_port" ping
	redis-benchmark -p "$redis_port" -n 4000 -q \
		-t set,get,lpush,lrange_100,sadd,zadd,mset > /dev/null
	redis-cli -p "$redis_port" shutdown nosave || true
	wait $server
	redis_port=
	compared 20000 redis.counts
}

@test "all together: more than a million" {
	files=(./*.counts)
	[ ${#files[@]} -ge 5 ]
	compared 1000000 "${files[@]}"
}
