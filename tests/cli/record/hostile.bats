#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that do what trackers stumble over: their output and status are those of a run
# without seep, and the books are right to the block.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	truth=$SEEP_BUILD/tests/truth
}

teardown() {
	if mountpoint -q "$BATS_TEST_TMPDIR/small"; then
		umount "$BATS_TEST_TMPDIR/small"
	fi
}

track() {
	timeout 600 "$SEEP_BUILD/bin/seep" run -q -o t.seep -- "$@"
}

# What was there at the end, which is what the programs tell of.
report() {
	"$SEEP_BUILD/bin/seep" report --json --all --at-event end "${1:-t.seep}" > report.json
}

# The books of a trace are what the program said in tracked.txt.
compare() {
	report "$1"
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json tracked.txt
}

# same COMMAND...: output and status with and without seep
same() {
	local bare=0 tracked=0
	timeout 600 "$@" > bare.txt || bare=$?
	track "$@" > tracked.txt || tracked=$?
	cmp bare.txt tracked.txt
	[ "$bare" -eq "$tracked" ]
	status=$bare
}

# check COMMAND...: that, with a status of 0, and the books
check() {
	same "$@"
	[ "$status" -eq 0 ]
	compare t.seep
	jq -e .run.complete report.json
}

@test "a signal handler may fork inside the recorder, and the child goes on" {
	check "$truth/fork_in_handler"
	[ "$(jq .run.damaged report.json)" -eq 0 ]
	[ "$(jq .run.events report.json)" -ge 2000 ]
	children=(t.seep.*)
	for child in "${children[@]:0:5}"; do
		/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" "$child" > /dev/null
	done
}

@test "fork while threads are busy in malloc, then work in both" {
	check "$truth/fork_busy"
	children=(t.seep.*)
	[ ${#children[@]} -eq 3 ]
	sed -n 's/^in a child:/truth site/p' bare.txt > tracked.txt
	for child in "${children[@]}"; do
		compare "$child"
	done
}

@test "a signal handler that mallocs and frees, at any moment: what is missed is counted" {
	check "$truth/signals"
	made=$(awk '$1 == "made_by_handler" { print $3 }' bare.txt)
	seen=$(jq '[.sites[] | select(any(.stack[]; .function == "made_by_handler"))
		| .live_objects] | add // 0' report.json)
	missed=$(jq .run.tracker.missed report.json)
	echo "made $made, seen $seen, missed $missed"
	[ "$missed" -gt 0 ]
	[ $((made - seen)) -eq "$missed" ]
}

@test "a program that closes every descriptor and takes the numbers of ours" {
	check "$truth/usurper"
	[ "$(jq .run.events report.json)" -eq 180 ]
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep | grep ' STAMP ' > stamps.txt
	[ "$(grep -c 'rss_bytes=[1-9]' stamps.txt)" -eq 540 ]
	wrong=rss_bytes=$((777777 * $(getconf PAGESIZE)))
	[ "$(sed -n '1,180p' stamps.txt | grep -c "$wrong")" -eq 0 ]
	tail -n 300 stamps.txt | awk -v wrong="$wrong" 'index($0, wrong) { exit 1 }'
}

# The last line of this kind in the trace has this field.
field() {
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep |
		sed -n "s/.* $1 .*\\b$2=\\([0-9]*\\).*/\\1/p" | tail -n 1
}

@test "no address space for the tracker: what it cannot book is counted, deaths are not lost" {
	check "$truth/no_memory"
	[ "$(field STAMP live_blocks)" -eq "$(field SNAPSHOT live_blocks)" ]
	[ "$(field STAMP live_bytes)" -eq "$(field SNAPSHOT live_bytes)" ]
	[ "$(jq .run.tracker.missed report.json)" -eq 600 ]
	jq -e '[.sites[] | select(any(.stack[]; .function == "made_by_main"))
		| .born - .died == .live_objects] | all' report.json
}

@test "threads load and unload code at the same addresses at once" {
	for _ in 1 2 3; do
		rm -f t.seep
		check "$truth/plugins" 8
	done
}

@test "code that takes the place of other code before its dlclose has returned" {
	LD_PRELOAD=$truth/lib_meddler.so check "$truth/reload"
}

# The library of this name, as the loader finds it.
library() {
	/sbin/ldconfig -p | sed -n "s/^\\s*$1\\.so\\.[0-9.]* (libc6.*x86-64.*) => //p" | head -n 1
}

# Allocators in C++ have a new of their own, which does not call malloc.
allocators() {
	library libjemalloc
	library libtcmalloc_minimal
	library libmimalloc
}

@test "operators new and delete, the C++ library's and those of preloaded allocators" {
	check "$truth/news" fail
	[ "$(allocators | wc -l)" -eq 3 ]
	for allocator in $(allocators); do
		echo "$allocator"
		rm -f t.seep
		LD_PRELOAD=$allocator check "$truth/news"
		jq -e '.run.tracker | .missed == 0 and .dropped == 0' report.json
	done
}

@test "an operator new of an allocator's that throws" {
	for allocator in $(library libjemalloc) $(library libtcmalloc_minimal); do
		rm -f t.seep
		LD_PRELOAD=$allocator check "$truth/news" fail
	done
}

@test "operators new and delete of allocators that the program is linked with" {
	for allocator in $(allocators); do
		echo "$allocator"
		rm -f t.seep
		g++ -O2 -g -std=c++17 -fno-builtin -I"$SEEP_SOURCE/tests/truth" -o linked \
			"$SEEP_SOURCE/tests/truth/heap/news.cc" "$allocator"
		check ./linked
	done
}

@test "threads that free each other's blocks, with other allocators beside ours" {
	for allocator in $(allocators); do
		echo "$allocator"
		rm -f t.seep
		LD_PRELOAD=$allocator track "$truth/threads" > tracked.txt
		compare t.seep
	done
}

@test "a program in C that loads an object in C++ for itself alone" {
	check "$truth/loads_cxx"
}

@test "thousands of threads on the smallest stacks, which free after their own end" {
	check "$truth/crowd"
	jq -e '.run.tracker | .missed == 0 and .dropped == 0 and .lost_walks == 0' report.json
}

@test "the tracker takes less than 2 KiB of a stack" {
	"$truth/stack_use" > bare.txt
	track "$truth/stack_use" > tracked.txt
	paste -d ' ' bare.txt tracked.txt
	[ "$(wc -l < tracked.txt)" -eq 4 ]
	paste -d ' ' bare.txt tracked.txt | awk '$4 > $2 + 2048 { exit 1 }'
}

@test "coroutines, on stacks that are unmapped and mapped again" {
	check "$truth/coroutines"
	jq -e '.run.tracker | .missed == 0 and .lost_walks == 0' report.json
}

@test "handlers on alternate stacks, also the smallest" {
	check "$truth/altstack"
	jq -e '.run.tracker | .missed == 0 and .lost_walks == 0' report.json
}

@test "threads that are cancelled" {
	check "$truth/cancel"
}

@test "what happens before main and after it is in the books" {
	check "$truth/at_exit"
}

@test "exit, _exit, _Exit, quick_exit, from main and from another thread" {
	for how in return exit _exit _Exit quick_exit thread; do
		echo "$how"
		rm -f t.seep
		same "$truth/exits" $how
		[ "$status" -eq 9 ]
		compare t.seep
		jq -e '.run.complete and .run.exit.code == 9' report.json
	done
}

@test "a program that execs another in its place, itself or from a shell" {
	same "$truth/exits" exec
	[ "$status" -eq 9 ]
	compare t.seep
	jq -e '.run.complete and .run.exit.code == 9' report.json
	rm t.seep
	check sh -c "text=\$(seq 1000); exec '$truth/family'"
}

@test "an end without warning leaves a trace that can be read, and says how it ended" {
	for how in abort:6 kill:9 syscall:null; do
		echo "$how"
		rm -f t.seep
		same "$truth/exits" ${how%:*}
		report
		jq -e ".run.events == 40 and .run.exit.signal == ${how#*:}" report.json
	done
}

@test "a daemon: two forks, a session of its own, all descriptors closed" {
	track "$truth/daemon" | cat > tracked.txt
	child=(t.seep.*)
	[ ${#child[@]} -eq 1 ]
	compare "${child[0]}"
	jq -e '.run.complete and .run.events == 50' report.json
}

@test "an empty root and no privileges in mid run" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	mkdir empty
	check "$truth/jail" empty
	jq -e '.run.events == 4000' report.json
	rm t.seep
	same "$truth/jail" empty close
	[ "$status" -eq 0 ]
	report
	jq -r '.run.notes[]' report.json | grep -q 'recording ended before the program did'
}

@test "a file size limit in mid run does not kill the program, and the report says it" {
	for limit in 4096 300000 600000; do
		rm -f t.seep
		same "$truth/many_stamps" $limit
		[ "$status" -eq 0 ]
		# The limit is the program's; seep run adds its samples and how it ended.
		[ "$(stat -c %s t.seep)" -le $((limit + 50000)) ]
		report
		jq -r '.run.notes[]' report.json | grep -q 'recording ended before the program did'
	done
}

@test "a disk that is full in mid run" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	mkdir small
	mount -t tmpfs -o size=600k tmpfs small || skip "cannot mount"
	status=0
	timeout 600 "$SEEP_BUILD/bin/seep" run -q -o small/t.seep -- "$truth/many_stamps" \
		> tracked.txt || status=$?
	cp small/t.seep t.seep
	umount small
	[ "$status" -eq 0 ]
	"$truth/many_stamps" | cmp - tracked.txt
	report
	jq -r '.run.notes[]' report.json | grep -q 'recording ended before the program did'
}

@test "stacks of thousands of frames: the same stack is the same site" {
	check "$truth/deep"
	jq -c '[.sites[] | select(any(.stack[]; .function == "deep_leaf"))
		| [.live_objects, ([.stack[] | select(.function == "down")] | length)]] | sort' \
		report.json > sites.txt
	[ "$(cat sites.txt)" = '[[10,1201],[10,2501],[10,3901]]' ]
}

@test "a stack that is cut off is cut at the same frame, whatever came before" {
	check "$truth/cut"
	jq -e '[.sites[] | select(.stack[0].function == "leaf") | .live_objects] == [10]' \
		report.json
	jq -e '[.sites[] | select(.stack[0].function == "outer_leaf") | .live_objects] == [5]' \
		report.json
}

@test "code without unwind rules: the walk ends there, is counted, and guesses nothing" {
	check "$truth/no_rules"
	jq -e '.run.tracker.lost_walks >= 200' report.json
	jq -e '[.sites[] | select(.live_bytes == 33300 or .live_bytes == 44400)
		| .live_objects == 100 and (.stack | length <= 2)] == [true, true]' report.json
}

@test "stdbuf, before seep and behind it" {
	check stdbuf -oL "$truth/family"
	rm t.seep
	stdbuf -oL "$SEEP_BUILD/bin/seep" run -q -e api -o t.seep -- "$truth/family" > tracked.txt
	compare t.seep
}

@test "a limit of the address space: the program gets what it gets without the tracker" {
	for limit in 100000 250000 500000; do
		rm -f t.seep
		bare=$(ulimit -v $limit && "$truth/hungry")
		tracked=$(ulimit -v $limit && track "$truth/hungry")
		echo "limit $limit kB: $bare MB without, $tracked MB with the tracker"
		[ "$tracked" -ge $((bare - 3)) ]
		report
		jq -r '.run.notes[]' report.json | grep -q 'ulimit -v'
	done
	# Nor does a sample leave anything behind when its tables are given back.
	for limit in 300000 500000; do
		rm -f t.seep
		(ulimit -v $limit && "$SEEP_BUILD/bin/seep" run -q -o t.seep --sample 4K -- \
			"$truth/family" > tracked.txt)
	done
	rm -f t.seep
	(ulimit -v 250000 && same "$truth/fork_busy")
	rm -f t.seep t.seep.*
	(ulimit -v 2000000 && track "$truth/family" > tracked.txt)
	compare t.seep
}

@test "a stack that runs over, and a handler that allocates on another" {
	check "$truth/overflow"
}

@test "a script's program with AddressSanitizer runs as it does alone, tracked or not" {
	cat > a.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		int main(void) { free(malloc(9)); puts("whole"); }
	END
	gcc -fsanitize=address -o with_asan a.c
	for follow in "" --follow; do
		run timeout 600 "$SEEP_BUILD/bin/seep" run -q $follow -f -o a.seep -- \
			sh -c './with_asan; echo status $?'
		[ "$status" -eq 0 ]
		[ "$output" = "whole
status 0" ]
	done
}

@test "a handler forks as soon as its thread may be interrupted" {
	same "$truth/fork_at_start"
	[ "$status" -eq 0 ]
}
