#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What happens to the trace or to the process does not harm the program: it runs as it does alone.
#
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	PATH="$SEEP_BUILD/bin:$SEEP_BUILD/tests/truth:$PATH"
	unset SEEP_DISABLE
}

# damaged HOW COMMAND...: damages the trace in mid run; output and status are those of vandal alone
damaged() {
	local how=$1
	shift
	vandal nothing t.seep > bare.txt || true
	rm -f t.seep
	run -7 --separate-stderr timeout 120 "$@" -- vandal "$how" "$PWD/t.seep"
	echo "$how: $stderr"
	[ "$output" = "$(cat bare.txt)" ]
}

@test "a trace that is emptied while the program runs" {
	damaged empty seep run -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, replaced or removed"* ]]
	[ "$(grep -c 'was truncated' <<<"$stderr")" -eq 1 ]
	[ "$(stat -c %s t.seep)" -lt 1000000 ]
}

@test "a trace that loses its end while the program runs: what is left is judged" {
	damaged half seep run -o t.seep
	seep report --json t.seep > report.json
	jq -r '.run.notes[]' report.json | grep -q 'the trace was truncated'
	jq -e '(.run.complete | not) and .run.damaged == 0 and .run.exit.code == 7' report.json
}

@test "a trace that is removed or replaced while the program runs" {
	damaged remove seep run -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, replaced or removed"* ]]
	[ ! -e t.seep ]
	damaged replace seep run -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, replaced or removed"* ]]
	[ "$(cat t.seep)" = "something else" ]
}

@test "a trace that is emptied while seep watch writes it" {
	damaged empty seep watch -i 5ms -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, replaced or removed"* ]]
	damaged half seep watch -i 1ms -o t.seep
	[[ "$stderr" == *"the trace 't.seep' was truncated, replaced or removed"* ]]
}

# escapes WHAT JUMPS [THREADS]: the same as without seep, and what comes afterwards is recorded
escapes() {
	echo "escape $*"
	rm -f t.seep
	timeout 120 escape "$@" > bare.txt
	timeout 120 seep run -q -o t.seep -- escape "$@" > tracked.txt
	cmp bare.txt tracked.txt
	seep report --json --all --at-event end t.seep > report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json tracked.txt
	jq -e '.run.complete and .run.damaged == 0 and .run.events >= 500' report.json
}

@test "a handler leaves the recorder by siglongjmp, 10000 times, one thread" {
	for what in stamp count events map; do
		escapes $what 2000
	done
	escapes all 2000
}

@test "handlers leave the recorder by siglongjmp in three threads" {
	for what in stamp count events map; do
		escapes $what 500 3
	done
	escapes all 2000 3
}

@test "threads end in the recorder: cancelled at any moment, or by a handler" {
	escapes cancel 300
	escapes exit 300
}

@test "a handler leaves malloc and free by siglongjmp: what comes afterwards is recorded" {
	escapes malloc 200
	jq -e '.run.tracker.missed > 0' report.json
}

@test "no signal stays blocked: in the program, its children, threads and programs" {
	cat > masks.c <<-'END'
		#include <pthread.h>
		#include <seep.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/mman.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int blocked(void)
		{
			sigset_t set;
			int n = 0;
			sigprocmask(SIG_BLOCK, NULL, &set);
			for (int i = 1; i < 65; i++)
				n += sigismember(&set, i) == 1;
			return n;
		}
		static void *in_thread(void *n) { *(int *)n = blocked(); return NULL; }
		int main(void)
		{
			int n = blocked(), m = 0, status;
			pthread_t thread;
			for (int i = 0; i < 300; i++) {
				seep_event_begin(i);
				void *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANON,
						 -1, 0);
				seep_stamp("mapped");
				munmap(map, 4096);
				free(malloc(100));
				seep_event_end();
			}
			pthread_create(&thread, NULL, in_thread, &m);
			pthread_join(thread, NULL);
			if (!fork()) {
				int before = blocked();
				seep_stamp("child");
				_exit(before + blocked());
			}
			wait(&status);
			printf("%d %d %d %d\n", n, blocked(), m, status);
			fflush(stdout);
			return system("grep SigBlk /proc/self/status | cat");
		}
	END
	gcc -O1 -I"$SEEP_SOURCE/include" -o masks masks.c -pthread
	./masks > bare.txt
	timeout 120 seep run -q -o t.seep -- ./masks > tracked.txt
	cmp bare.txt tracked.txt
	echo './masks; grep SigBlk /proc/self/status | cat' > job
	timeout 120 seep run -q -o u.seep -- sh job > all.txt
	(cat bare.txt; tail -n 1 bare.txt) | cmp - all.txt
}

# locks WHEN [BYTES]: the same result as without seep, at most 8 MB more in memory, and the books
locks() {
	rm -f t.seep
	locked "$@" > bare.txt 2> bare_kb.txt
	timeout 120 seep run -q -o t.seep -- locked "$@" > tracked.txt 2> kb.txt
	cmp bare.txt tracked.txt
	echo "locked $*: $(cat bare_kb.txt) kB without, $(cat kb.txt) kB with the tracker"
	[ "$(cat kb.txt)" -le $(($(cat bare_kb.txt) + 8192)) ]
	seep report --json --all --at-event end t.seep > report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json tracked.txt
	jq -e '.run.complete and (.run.tracker | .missed == 0 and .dropped == 0)' report.json
}

@test "mlockall neither fills nor locks the tracker's tables" {
	for when in now future both fault; do
		locks $when
	done
	grep -q 'mlockall: done' bare.txt
}

@test "mlockall under a limit works or fails as it does without the tracker" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	for when in now future both fault; do
		locks $when 8000000
	done
	grep -q 'mlockall: done' bare.txt
	locks both 300000
	grep -q 'mlockall: Cannot allocate' bare.txt
}

# truth HOW: the program does what it does alone, and its sites are exact
sandbox_is_exact() {
	rm -f t.seep
	timeout 120 seep run -q -o t.seep -- sandbox "$1" > tracked.txt
	seep report --json --all --at-event end t.seep > report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json tracked.txt
	jq -r '.run.notes[]' report.json | grep -q 'installed a seccomp filter'
}

@test "under a seccomp filter recording goes on, without a system call" {
	for how in kill errno call; do
		echo "$how"
		sandbox $how > bare.txt
		sandbox_is_exact $how
		cmp bare.txt tracked.txt
		jq -e '.run.events == 400 and .run.complete' report.json
	done
}

@test "so it does when the filter is for all threads, which are at work" {
	for _ in {1..30}; do
		sandbox_is_exact threads
		jq -e '.run.complete' report.json
	done
}

@test "so it does in strict mode, and what comes before its end is known" {
	timeout 120 seep run -q -o t.seep -- sandbox strict > tracked.txt
	seep report --json --all t.seep | jq -e '.run.events == 400 and (.run.complete | not)'
}

@test "under a filter: more records than fit into the memory shared with seep run" {
	sandbox_is_exact fast
	jq -e '.run.events == 300201 and .run.complete' report.json
}

@test "under a filter: a child of fork is not recorded and does no harm" {
	sandbox_is_exact fork
	jq -e '.run.events == 400 and .run.complete' report.json
	[ "$(ls t.seep*)" = t.seep ]
}

@test "under a filter: a library is unloaded" {
	sandbox unload > bare.txt
	sandbox_is_exact unload
	cmp bare.txt tracked.txt
	jq -e '.run.events == 400 and .run.complete' report.json
}

@test "under a filter: a child that installs it for itself goes on as without the tracker" {
	sandbox born > bare.txt
	timeout 120 seep run -q -o t.seep -- sandbox born > tracked.txt
	cmp bare.txt tracked.txt
	seep report --json --all --at-event end t.seep > report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json tracked.txt
	jq -e '.run.events == 400 and .run.complete and .run.notes == []' report.json
}

# Until it calls exec, it would make the tracker's system calls with its parent's memory.
@test "under a filter: a child of vfork installs it, and its parent is recorded to its end" {
	sandbox vfork > bare.txt
	sandbox_is_exact vfork
	cmp bare.txt tracked.txt
	jq -e '.run.events == 400 and .run.complete' report.json
}

@test "under a filter: a file size limit ends the recording, and the report says so" {
	(ulimit -f 6000; timeout 120 seep run -q -o t.seep -- sandbox fast > out.txt)
	grep -q remember_later out.txt
	seep report --json t.seep > report.json
	jq -e '.run.complete | not' report.json
	jq -r '.run.notes[]' report.json | grep -q 'recording ended.*: File too large'
}

@test "a file size limit below the memory that seep run shares does no harm" {
	(ulimit -f 1000; timeout 120 seep run -q -o t.seep -- sandbox probe > tracked.txt)
	seep report --json t.seep | jq -e '.run.events == 400 and .run.complete'
}

@test "under a filter: when the reserved memory is used up, recording ends and says so" {
	(ulimit -v 1000000; timeout 120 seep run -q -o t.seep -- sandbox fill > out.txt)
	grep -q filled out.txt
	seep report --json --all t.seep > report.json
	jq -e '.run.complete | not' report.json
	jq -r '.run.notes[]' report.json > notes.txt
	grep -q 'memory was used up that the tracker had reserved' notes.txt
	jq -e '[.sites[] | select(.stack[0].function // "" | startswith("branch"))] |
		length > 100' report.json
}

@test "under a filter: handlers that leave by siglongjmp" {
	for _ in {1..20}; do
		rm -f t.seep
		timeout 60 seep run -q -o t.seep -- sandbox jump > out.txt
		grep -q jumped out.txt
		seep report --json t.seep | jq -e '.run.events >= 200'
	done
}

wait_for_events() {
	for _ in {1..200}; do
		[ "$(seep report --json t.seep 2>/dev/null | jq '.run.events >= 400')" = true ] &&
			return 0
		sleep .1
	done
	return 1
}

@test "under a filter: a kill of the program, of seep run, and a trace that is emptied" {
	seep run -q -o t.seep -- sandbox wait > out.txt &
	wait_for_events
	pkill -9 -P $! -x sandbox
	wait $! || true
	seep report --json --all t.seep > report.json
	jq -e '.run.events == 400' report.json

	rm t.seep
	seep run -q -o t.seep -- sandbox wait > out.txt 3>&- &
	wait_for_events
	pid=$(pgrep -P $! -x sandbox)
	kill -9 $!
	wait $! || true
	sleep .3
	kill -0 "$pid"
	kill -9 "$pid"
	seep report --json t.seep | jq -e '.run.events == 400'

	rm t.seep
	seep run -o t.seep -- sandbox wait > out.txt 2> err.txt &
	wait_for_events
	: > t.seep
	sleep .3
	pkill -9 -P $! -x sandbox
	wait $! || true
	grep -q 'was truncated, replaced or removed' err.txt
}

@test "a program that only asks whether seccomp filters work is recorded to its end" {
	timeout 120 seep run -q -o t.seep -- sandbox probe > tracked.txt
	seep report --json t.seep | jq -e '.run.events == 400 and .run.complete'
}

@test "a program that inherits a seccomp filter is left alone" {
	sandbox exec > bare.txt
	grep -q again bare.txt
	timeout 120 seep run -q -o t.seep -- sandbox exec > tracked.txt
	cmp bare.txt tracked.txt
	seep report --json t.seep | jq -e '.run.events == 200'
}

# What docker and systemd do: everybody has a filter, seep too.
@test "a seccomp filter that seep has as well changes nothing" {
	cat > under.c <<-'END'
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <sys/prctl.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
			struct sock_fprog program = {1, &all};
			if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
				return 9;
			return execvp(argv[1], argv + 1);
		}
	END
	gcc -o under under.c
	timeout 120 ./under seep run -q -o t.seep -- sandbox probe > tracked.txt
	seep report --json t.seep | jq -e '.run.events == 400 and .run.complete'
}
