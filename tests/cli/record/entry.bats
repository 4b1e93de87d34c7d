#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --event fn:NAME and --stamp fn:NAME: calls of functions of programs that know nothing of seep.

bats_require_minimum_version 1.5.0

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
	truth=$SEEP_BUILD/tests/truth
}

# record FUNCTION COMMAND...   prints how many calls were seen; the output is in "out"
record() {
	local name=$1
	shift
	seep run -q -f -o t.seep --event "fn:$name" -- "$@" >out || return
	seep report --json t.seep | jq -r .run.events
}

notes() {
	seep report --json t.seep | jq -r '.run.notes[]'
}

refuses() {
	rm -f t.seep
	run -125 seep run -q -f -o t.seep --event "fn:$1" -- "${@:2}"
	[ ! -e t.seep ]
	echo "$output"
}

@test "a function may begin in any way: each call is an event, and it does what it did" {
	"$truth/entered" 1000 >plain
	for name in data branch far jump call pointer marked tiny; do
		[ "$(record entry_$name "$truth/entered" 1000)" -eq 1000 ]
		cmp plain out
	done
	# One function jumps to this one, and this one calls itself.
	[ "$(record entry_plain "$truth/entered" 1000)" -eq 2000 ]
	cmp plain out
	[ "$(record entry_self "$truth/entered" 1000)" -eq 1800 ]
	cmp plain out
	[ "$(seep report --json t.seep | jq -r .run.event_source)" = fn ]
}

@test "all registers and flags are as they were" {
	[ "$(record entry_store "$truth/entered" registers)" -eq 50 ]
	grep -q "all as they were" out
}

@test "functions that the tracker calls itself" {
	seq 1 3000 | sort >numbers
	sort -n numbers >plain
	for name in fstat write __errno_location; do
		record libc.so.6:$name sort -n numbers
		cmp plain out
	done
}

@test "a function that cannot be followed is refused, with the reason" {
	refuses entry_loop "$truth/entered" | grep "starts with a loop"
	refuses entry_inner "$truth/entered" | grep "jumps back to its first instructions"
	refuses entry_short "$truth/entered" | grep "shorter than the five bytes of a jump"
	refuses entry_chosen "$truth/entered" | grep IFUNC
	refuses folded "$truth/entered" | grep "put this function into all its callers.*: main$"
}

@test "a name that fits no function, or several, is refused with a list" {
	refuses entry_plane "$truth/entered" |
		grep "no such function in 'entered'.*similar: entry_plain"
	refuses other.c:work "$truth/entered" | grep "from file other.c"
	refuses ./no-such.so:work "$truth/entered" | grep "there is no './no-such.so'"
	refuses libnone.so:work "$truth/entered" | grep "if it is loaded later, write its path"
	refuses "$truth/lib_orders.so:Book::add" "$truth/order_host" |
		grep "there are 2 .* these names: order::Book::add(double), order::Book::add(int)"
	run -125 seep run --event fn: -- true
	[[ "$output" == *"names nothing after the colon"* ]]
	run -125 seep run --stamp handle -- true
	[[ "$output" == *"such as fn:handle"* ]]
}

@test "functions of two files with one name" {
	for name in one two; do
		cat >$name.c <<-END
			#include <stdlib.h>
			static __attribute__((noinline)) void work(int n)
			{
				for (int i = 0; i < n; i++)
					free(malloc(64));
			}
			void $name(int n)
			{
				for (int i = 0; i < n; i++)
					work(i);
			}
		END
	done
	cat >main.c <<-'END'
		void one(int n), two(int n);
		int main(void) { one(30); two(50); return 0; }
	END
	gcc -g -fno-builtin one.c two.c main.c -o pair
	refuses work ./pair |
		grep "there are 2 such functions; write one of fn:one.c:work, fn:two.c:work"
	[ "$(record one.c:work ./pair)" -eq 30 ]
	[ "$(record two.c:work ./pair)" -eq 50 ]
	[ "$(record pair:two ./pair)" -eq 1 ]
	gcc -fno-builtin one.c two.c main.c -o pair
	[ "$(record two.c:work ./pair)" -eq 50 ]
	strip pair
	refuses work ./pair | grep "has no names of its internal functions (stripped)"
}

@test "a library that is loaded and unloaded: from its constructor on, threads, a child" {
	"$truth/order_host" "$truth/lib_orders.so" >plain
	# Twice: one constructor, four threads with 200 calls each; the child has its own trace.
	[ "$(record "$truth/lib_orders.so:add(int)" "$truth/order_host" "$truth/lib_orders.so")" \
		-eq 1602 ]
	cmp plain out
	for trace in t.seep.*; do
		[ "$(seep report --json "$trace" | jq .run.events)" -eq 10 ]
	done
	[ "$(record "$truth/lib_orders.so:Book::add(double)" "$truth/order_host" \
		"$truth/lib_orders.so")" -eq 1600 ]
	cmp plain out
	[ "$(record "$truth/lib_orders.so:Book::Book" "$truth/order_host" "$truth/lib_orders.so")" \
		-eq 1602 ]
	[ "$(record "$truth/lib_orders.so:Note::operator()" "$truth/order_host" \
		"$truth/lib_orders.so")" -eq 2 ]
	# Both instances of a template have the same name.
	refuses "$truth/lib_orders.so:count" "$truth/order_host" |
		grep "Book::count<char>(char), .*Book::count<int>(int)"
	[ "$(record "$truth/lib_orders.so:count<char>" "$truth/order_host" \
		"$truth/lib_orders.so")" -eq 1600 ]
}

@test "a function that is never called, in a file that is never loaded" {
	record entry_store "$truth/entered" 5
	notes | grep "fn:entry_store: no call was seen: the program did not get there"
	record "$truth/lib_orders.so:orders_run" "$truth/entered" 5
	notes | grep "lib_orders.so:orders_run: no call was seen: the program never loaded the file"
}

@test "code that may not be changed: a note says why, and the program runs on" {
	cat >strict.py <<-'END'
		import ctypes, os, sys
		if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):
		    sys.exit(77)
		os.execvp(sys.argv[1], sys.argv[1:])
	END
	"$truth/entered" 5 >plain
	local code=0
	/usr/bin/python3 strict.py seep run -q -f -o t.seep --event fn:entry_data -- \
		"$truth/entered" 5 >out || code=$?
	[ $code -ne 77 ] || skip "no PR_SET_MDWE before Linux 6.3"
	[ $code -eq 0 ]
	cmp plain out
	notes | grep "fn:entry_data: no call can be seen: .*(EACCES)"
}

@test "stamps at functions: phases of each event" {
	cat >job.c <<-'END'
		#include <stdlib.h>
		void *kept[300];
		__attribute__((noinline)) void parse(int i) { kept[i] = malloc(4000); }
		__attribute__((noinline)) void answer(int i) { free(malloc((size_t)i)); }
		__attribute__((noinline)) void handle(int i) { parse(i); answer(i); }
		int main(void)
		{
			for (int i = 0; i < 300; i++)
				handle(i);
			return 0;
		}
	END
	gcc -g -fno-builtin job.c -o job
	seep run -q -o t.seep --event fn:handle --stamp fn:parse --stamp fn:answer -- ./job
	seep report --json t.seep >page
	[ "$(jq .run.events page)" -eq 300 ]
	[ "$(jq -r .verdict.kind page)" = leak ]
	jq -r '.phases[] | select(.accused) | .from, .to' page >phases
	[ "$(tr '\n' ' ' <phases)" = "parse answer " ]
	[ "$(jq -r '.sites[0].stack[0].function' page)" = parse ]
}

@test "functions of a program that the command starts, with --follow" {
	cat >start.sh <<-END
		"$truth/entered" 700 >/dev/null
	END
	seep run -q -o t.seep --follow=entered --event "fn:$truth/entered:entry_data" -- \
		sh start.sh
	[ "$(seep report --json t.seep.* | jq .run.events)" -eq 700 ]
}

@test "other commands take the same sources" {
	run seep check --event fn:work --budget 1kB/event -- "$truth/entered" 100
	[ "$status" -eq 0 ]
	[[ "$output" == *"over 19"*" events"* ]]
	run -125 seep check --event fn:nothing --budget 1kB/event -- "$truth/entered" 100
	[[ "$output" == *"no such function"* ]]
}

@test "functions of real programs work or are refused, and no result changes" {
	"$SEEP_SOURCE/tests/real/functions/check" --functions 7 sqlite3 jq bash
}
