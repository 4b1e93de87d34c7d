#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The status line of seep run and seep watch, as it is seen in a terminal.
#
# shellcheck disable=SC2016 # what stands in quotes is for another shell
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	cat >job.c <<-'END'
		#include <seep.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		/* Holds 8 MiB and marks events until there is a file "seen", and says so. */
		int main(void)
		{
			char *held = malloc(8 << 20);
			long n = 0;
			memset(held, 1, 8 << 20);
			puts("first");
			for (; access("seen", F_OK); n++) {
				seep_event_begin(n);
				usleep(2000);
			}
			printf("last %ld %d\n", n, held[n]);
			return 3;
		}
	END
	gcc -g -I"$SEEP_SOURCE/include" job.c -o job
}

setup() {
	PATH="$SEEP_BUILD/bin:$BATS_FILE_TMPDIR:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
	export TERM=xterm
	terminal=$SEEP_SOURCE/tests/cli/terminal.py
	size='[0-9.]+ [kMG]?B'
	time='([0-9]+ m )?[0-9.]+ m?s'
}

# drawn N: at least N lines were drawn, each like $line; and nothing else was erased
drawn() {
	grep '^drawn ' screen >lines
	[ "$(wc -l <lines)" -ge "$1" ]
	run -1 grep -vE "^drawn $line\$" lines
}

# left: what is on the screen at the end has no status line, nor a piece of one
left() {
	grep '^left ' screen
	run -1 grep -E "^left .*(  heap $size|  RSS $size|^left seep: $time( |\$))" screen
	run -1 grep -P '\x1b' screen
}

@test "run: time, events, heap and RSS, until the end" {
	run -3 "$terminal" --columns 80 --frames 4 seen sh -c 'seep run -- job >out'
	echo "$output" >screen
	line="seep: $time  [0-9]+ events?  heap $size  RSS $size"
	drawn 3
	left
	grep -qx 'rows 1' screen
	run -1 grep -F '  1 events' lines
	tail -n 1 lines | grep -q '  heap 8\.39 MB  RSS [0-9.]* MB'
	[ "$(grep -c '^left seep: recording to ' screen)" -eq 1 ]
	# the program's own output is whole, and nothing of ours is in it
	printf 'first\nlast %d 1\n' "$(awk '/^last/ { print $2 }' out)" | cmp - out
}

@test "run: a line never wraps" {
	for columns in 20 38 61; do
		rm -f seen
		run -3 "$terminal" --columns $columns --frames 3 seen \
			sh -c 'seep run -f -o t.seep -- job >out'
		echo "$output" >screen
		grep -qx 'rows 1' screen
		run -1 grep -E "^drawn .{$columns}" screen
		run -0 grep -E '^drawn seep: [0-9.]+ ' screen
	done
}

@test "watch: memory and its share of the machine's, until the end" {
	run -3 "$terminal" --columns 80 --frames 4 seen \
		sh -c 'seep watch --interval 50ms -- job >out'
	echo "$output" >screen
	line="seep: $time  $size  [0-9.e-]+ % of RAM(  [+-]$size/min)?"
	line="$line(  OOM in about [^ ]+ [a-z]+( [^ ]+ [a-z]+)?)?(  PSS $size)?(  swap $size)?"
	drawn 3
	left
	grep -qx 'rows 1' screen
	printf 'first\nlast %d 1\n' "$(awk '/^last/ { print $2 }' out)" | cmp - out
}

@test "watch: a line never wraps" {
	for columns in 20 38 61; do
		rm -f seen
		run -3 "$terminal" --columns $columns --frames 3 seen \
			sh -c 'seep watch -f -o t.seep --interval 50ms -- job >out'
		echo "$output" >screen
		grep -qx 'rows 1' screen
		run -1 grep -E "^drawn .{$columns}" screen
		run -0 grep -E '^drawn seep: [0-9.]+ ' screen
	done
}

# The job is watched from outside: it runs for as long as two lines would have needed.
@test "no line: with -q, in a plain terminal, in the background" {
	for command in 'run -q' 'watch -q'; do
		rm -f seen
		run -3 "$terminal" sh -c "(sleep 1.2; : >seen) & seep $command -- job >out"
		[ "$output" = "rows 0" ]
	done
	for command in run watch; do
		rm -f seen
		run -3 env TERM=dumb "$terminal" \
			sh -c "(sleep 1.2; : >seen) & seep $command -- job >out"
		[[ "$output" == *"left seep: "* ]]
		[[ "$output" != *"drawn"* ]]
		rm -f seen
		run -3 "$terminal" bash -mc \
			"(sleep 1.2; : >seen) & seep $command -- job >out & wait %2"
		[[ "$output" == *"left seep: "* ]]
		[[ "$output" != *"drawn"* ]]
	done
}

@test "no control sequences where stderr is no terminal" {
	for command in run watch; do
		rm -f seen
		run -3 "$terminal" sh -c "(sleep 1.2; : >seen) & seep $command -- job 2>err"
		[ "${#lines[@]}" -eq 3 ]
		[ "${lines[1]}" = "left first" ]
		[[ "${lines[2]}" == "left last "* ]]
		[ -s err ]
		run -1 grep -P '[\x1b\r]' err
	done
}
