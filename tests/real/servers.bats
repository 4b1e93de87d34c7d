#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Servers answer under the tracker as they do without it, under load, too; end with the same exit
# status; and leave traces that can be read, their forked children's included.  What they log has
# times and pids, and is not compared.

setup() {
	# Some servers do not run as root, and must still come here.
	place=$(mktemp -d)
	chmod 755 "$place"
	[ "$(id -u)" -ne 0 ] || chown nobody:nogroup "$place"
	cd "$place" || exit 1
	load real.bash
	track=("$SEEP_BUILD/bin/seep" run -q -o "$place/tracked.seep" --)
}

teardown() {
	# shellcheck disable=SC2046 # a list of pids
	[ ! -s pids ] || kill $(cat pids) 2> /dev/null || true
	wait
	cd /
	rm -rf "$place"
}

# serve COMMAND...: starts a server in the background; its pid is in $server
serve() {
	"$@" > server.log 2>&1 &
	server=$!
	echo $server > pids
}

# ended: waits for the server and prints its exit status
ended() {
	local status=0
	wait $server || status=$?
	rm -f pids
	echo $status
}

# as_user COMMAND...: not as root; the directory belongs to that user
as_user() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$place" "$@"
	else
		"$@"
	fi
}

# --- redis

ask_redis() {
	local cli=(redis-cli -p "$port")
	for i in $(seq 40); do
		"${cli[@]}" set "key$i" "$(printf "%0$((i * 50))d" "$i")"
		"${cli[@]}" rpush list "$i" $((i * 7919 % 101))
		"${cli[@]}" zadd ranks $((i * 31 % 17)) "member$i"
	done
	"${cli[@]}" sort list
	"${cli[@]}" zrange ranks 0 -1 withscores
	"${cli[@]}" eval 'local t = {} for i = 1, 50 do t[i] = redis.call("get", "key" .. i) end
		return #table.concat(t, ",", 1, 40)' 0
	"${cli[@]}" get key40
	"${cli[@]}" nosuchcommand || true
	"${cli[@]}" save
	"${cli[@]}" dbsize
}

try_redis() {
	mkdir "$1"
	port=$(free_port)
	serve "${@:2}" redis-server --port "$port" --dir "$place/$1" --save '' --bind 127.0.0.1
	wait_until redis-cli -p "$port" ping
	ask_redis > "$1.answers"
	redis-benchmark -p "$port" -n 3000 -q -t set,get,incr,lpush,sadd,hset,zadd,mset > /dev/null
	redis-cli -p "$port" bgsave # in a forked child
	wait_until sh -c "redis-cli -p $port info persistence | grep -q rdb_bgsave_in_progress:0"
	redis-cli -p "$port" lrange list 0 -1 >> "$1.answers"
	redis-cli -p "$port" shutdown nosave || true
	ended > "$1.status"
}

@test "redis-server with redis-benchmark" {
	need redis-server redis-cli redis-benchmark
	try_redis bare
	try_redis tracked "${track[@]}"
	diff bare.answers tracked.answers
	diff bare.status tracked.status
	[ "$(wc -l < tracked.answers)" -gt 200 ]
	readable tracked.seep*
}

# Each command is one turn of the event loop, and keeps a value of 1000 bytes.
fill_redis() {
	port=$(free_port)
	serve "$SEEP_BUILD/bin/seep" run -q -o "$place/tracked.seep" --event call:epoll_wait -- \
		redis-server --port "$port" --dir "$place" --save '' --bind 127.0.0.1
	wait_until redis-cli -p "$port" ping
	for i in $(seq 1000); do
		printf 'set key%d %01000d\n' "$i" "$i"
	done | redis-cli -p "$port" > answers
	[ "$(sort -u answers)" = OK ]
	redis-cli -p "$port" shutdown nosave || true
	ended > status
}

@test "redis-server grows by a value per event, if its event loop begins the events" {
	need redis-server redis-cli jq
	fill_redis
	[ "$(cat status)" -eq 0 ]
	"$SEEP_BUILD/bin/seep" report --json tracked.seep > report.json
	jq -c '[.run.events, .run.event_source, .verdict.kind, .verdict.rate]' report.json
	jq -e '.run.event_source == "call" and .run.event_text == "call:epoll_wait" and
		.run.events >= 1000 and .run.events < 1200 and .verdict.kind == "leak" and
		.verdict.rate.low > 900 and .verdict.rate.high < 1300' report.json
}

# --- nginx

make_site() {
	mkdir site
	for i in $(seq 30); do
		seq $((i * i * 40)) > "site/file$i.txt"
	done
	cat > nginx.conf <<-END
		daemon off;
		worker_processes 2;
		pid $place/nginx.pid;
		error_log $place/error.log;
		events { worker_connections 128; }
		http {
			access_log off;
			gzip on;
			gzip_types text/plain;
			gzip_min_length 100;
			client_body_temp_path $place/body;
			proxy_temp_path $place/proxy;
			fastcgi_temp_path $place/fastcgi;
			uwsgi_temp_path $place/uwsgi;
			scgi_temp_path $place/scgi;
			server {
				listen 127.0.0.1:$port;
				root $place/site;
				location /moved { return 302 /file1.txt; }
			}
		}
	END
}

# Not as root: then the workers have the user of the master, and may make traces beside its own.
try_nginx() {
	serve as_user "${@:2}" nginx -p "$place" -c "$place/nginx.conf"
	wait_until curl -sf "http://127.0.0.1:$port/file1.txt"
	for i in $(seq 30); do
		curl -sf --compressed "http://127.0.0.1:$port/file$i.txt" |
			cmp - "site/file$i.txt"
	done
	curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/none" > "$1.answers"
	curl -sL "http://127.0.0.1:$port/moved" >> "$1.answers"
	wrk -c 20 -t 2 -d 2s "http://127.0.0.1:$port/file9.txt" > load.txt
	grep -q 'Requests/sec' load.txt
	if grep -E 'Non-2xx|Socket errors' load.txt; then
		return 1
	fi
	kill -QUIT "$(cat nginx.pid)"
	ended > "$1.status"
}

@test "nginx with workers and wrk" {
	need nginx wrk curl setpriv
	port=$(free_port)
	make_site
	try_nginx bare
	try_nginx tracked "${track[@]}"
	diff bare.answers tracked.answers
	diff bare.status tracked.status
	readable tracked.seep*
	workers=(tracked.seep.*)
	[ -s "${workers[0]}" ]
}

# --- PostgreSQL, which does not run as root

postgres_bin() {
	local found
	found=$(find /usr/lib/postgresql -name initdb 2> /dev/null | sort -V | tail -n 1)
	[ -n "$found" ] || skip "PostgreSQL is not installed"
	dirname "$found"
}

ask_postgres() {
	as_user psql -h "$place/own" -U tester -X -A -t postgres <<-END
		create table t(a int primary key, b text, c jsonb);
		insert into t select i, md5(i::text), jsonb_build_object('k', i % 7)
			from generate_series(1, 5000) i;
		select count(*), sum(length(b)) from t;
		select c->>'k', count(*), max(b) from t group by 1 order by 1;
		create index on t using gin (c);
		analyze t;
		select count(*) from t x join t y on x.a = y.a % 100 where x.c @> '{"k": 3}';
		create function f(n int) returns int language plpgsql as
			'begin if n < 2 then return n; end if; return f(n - 1) + f(n - 2); end';
		select f(12);
		select no_such_column from t;
		set work_mem = '64kB';
		select md5(string_agg(b, ',' order by b desc)) from t;
	END
}

# initdb prints the paths it is given, which are the same in both runs.
try_postgres() {
	rm -rf own
	mkdir own
	[ "$(id -u)" -ne 0 ] || chown nobody:nogroup own
	as_user "${@:2}" "$bin/initdb" -D own/data -U tester --no-locale -E UTF8 --no-sync \
		> "$1.initdb" 2>&1
	serve as_user "${@:2}" "$bin/postgres" -D own/data -k "$place/own" \
		-c listen_addresses= -c fsync=off
	wait_until as_user psql -h "$place/own" -U tester postgres -c 'select 1'
	ask_postgres > "$1.answers" 2>&1
	as_user "$bin/pgbench" -h "$place/own" -U tester -i -s 2 -q postgres 2> /dev/null
	as_user "$bin/pgbench" -h "$place/own" -U tester -c 4 -j 2 -t 150 postgres > load.txt 2>&1
	grep -q 'number of transactions actually processed: 600/600' load.txt
	kill -INT "$(head -n 1 own/data/postmaster.pid)"
	ended > "$1.status"
}

@test "PostgreSQL with pgbench" {
	bin=$(postgres_bin)
	need psql setpriv
	try_postgres bare
	track=("$SEEP_BUILD/bin/seep" run -q -f -o "$place/tracked.seep" --)
	try_postgres tracked "${track[@]}"
	diff bare.initdb tracked.initdb
	diff bare.answers tracked.answers
	diff bare.status tracked.status
	[ "$(wc -l < tracked.answers)" -gt 10 ]
	readable tracked.seep*
}
