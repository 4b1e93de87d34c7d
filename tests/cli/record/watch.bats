#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep watch: what is seen of a program from outside, and what it costs.
#
# shellcheck disable=SC2016 # what stands in quotes is for another shell
# shellcheck disable=SC2154 # bats sets $stderr
# shellcheck disable=SC2030,SC2031 # each test has a $started of its own

bats_require_minimum_version 1.5.0

setup() {
	PATH="$SEEP_BUILD/bin:$SEEP_BUILD/tests/truth:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
	started=
}

teardown() {
	if [ -n "$started" ]; then
		{ kill -KILL "$started" && wait "$started"; } 2>/dev/null || true
	fi
}

# until_samples N: t.seep, which is being written, has more than so many
until_samples() {
	until seep report --json t.seep 2>/dev/null | jq -e ".run.events > $1" >/dev/null; do
		sleep .05
	done
}

# levels TRACE: its memory at each sample
levels() {
	seep export --to csv "$1" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "rss_bytes") column = i }
		NR > 1 { print $column }'
}

# start_brood ARGUMENT...: in the background, ready to be watched
start_brood() {
	brood "$@" >truth &
	started=$!
	until grep -q ready truth; do
		sleep .01
	done
}

@test "a tree of processes that grows: growth, at the rate that it tells itself" {
	start_brood 32768 3 64 60 50
	run -0 --separate-stderr seep watch -o tree.seep --interval 50ms "$started"
	[ -z "$output" ]
	[[ "$stderr" == *GROWTH*"of RSS"* ]]
	[[ "$stderr" == *"4 processes were seen, at most 4 at a time"* ]]
	seep report --json tree.seep >json
	rate=$(awk '/truth/ { print $NF }' truth)
	jq -e '.verdict.kind == "growth" and .verdict.series == "rss" and .run.complete' json
	# its own clock began before ours and stopped behind it
	jq -e --argjson truth "$rate" '.verdict.rate | .bytes_per_s / $truth |
		. > 0.9 and . < 1.1' json
	jq -e '.panda | .unit == "kB/s" and .points > 10' json
	jq -e --argjson truth "$rate" '.panda.leak * 1024 / $truth | . > 0.8 and . < 1.2' json
}

@test "what they share counts once" {
	start_brood 131072 4 16 30 50
	run -0 --separate-stderr seep watch -o tree.seep --interval 50ms "$started"
	shared=$(awk '/truth/ { print $3 }' truth)
	grown=$(awk '/truth/ { print $5 }' truth)
	levels tree.seep | awk -v all=$((shared + grown)) '
		{ last = $1 } END { exit !(last > all * .98 && last < all * 1.04) }'
}

@test "children that come and go leave the level where it was" {
	start_brood 65536 2 0 60 50 16384
	run -0 --separate-stderr seep watch -o tree.seep --interval 50ms "$started"
	[[ "$stderr" != *GROWTH* ]]
	# Never more than two of them at a time, and what they share was there before.  On a busy
	# machine a sample may take so long that it sees more of them, one after the other.
	levels tree.seep | sort -n | awk '{ level[NR] = $1 }
		END { high = level[int(NR * .9)]
		exit !(level[NR] > 65e6 && high < 65e6 + 2.5 * 17e6 + 5e6) }'
}

@test "no heap, so never a leak, but for PanDA's word" {
	start_brood 1024 1 256 40 50
	run -0 --separate-stderr seep watch -o tree.seep --interval 50ms "$started"
	[[ "${stderr//leak=/}" != *[Ll][Ee][Aa][Kk]* ]]
	[[ "$stderr" == *"  PanDA   leak="*" chi2="* ]]
	[[ "$stderr" == *"next: to find the lines responsible:"*"run -- brood 1024 1 256 40 50"* ]]
}

@test "the status is the command's, and its environment its own" {
	for code in 0 1 42 255; do
		run seep watch -q -f -o t.seep -- sh -c "exit $code"
		[ "$status" -eq "$code" ]
		[ -z "$output" ]
	done
	run seep watch -q -f -o t.seep -- sh -c 'kill -KILL $$'
	[ "$status" -eq 137 ]
	seep report --json t.seep | jq -e '.run.exit.signal == 9'
	run -127 seep watch -- ./nowhere
	[[ "$output" == *"'./nowhere' was not found"* ]]
	echo data >file
	run -126 seep watch -- ./file
	env >wanted
	seep watch -q -f -o t.seep -- env >got
	diff <(grep -v '^_=' wanted) <(grep -v '^_=' got)
	[ "$(ls)" = "$(printf 'file\ngot\nt.seep\nwanted')" ]
}

@test "signals go to the command, as from seep run" {
	cat >waits <<-'END'
		#!/bin/sh
		trap 'echo asked >asked; exit 5' TERM
		echo ready >ready
		while :; do sleep .05; done
	END
	chmod +x waits
	seep watch -q -o t.seep -- ./waits &
	started=$!
	until [ -e ready ]; do sleep .01; done
	kill -TERM "$started"
	code=0
	wait "$started" || code=$?
	[ "$code" -eq 5 ]
	[ -e asked ]
}

@test "a static program can be watched" {
	echo 'int main(void) { return 7; }' | gcc -x c -static - -o fixed
	run -7 seep watch -q -o t.seep -- ./fixed
}

@test "a process that still runs: until it is enough" {
	start_brood 1024 1 64 1000 50
	for signal in INT TERM HUP; do
		rm -f said
		env --default-signal=INT seep watch -f -o t.seep --interval 50ms "$started" 2>said &
		watcher=$!
		until [ -s said ]; do sleep .01; done
		until_samples 10
		kill -s $signal $watcher
		wait $watcher
		grep -q 'at the end, .* in 2 processes' said
		seep report --json t.seep |
			jq -e '.run.complete and .run.exit.code == null and .run.events > 10'
	done
	run -0 --separate-stderr seep watch -f -o t.seep --interval 50ms --for 1s "$started"
	seep report --json t.seep | jq -e '.run.wall_s > 0.8 and .run.wall_s < 40'
	kill -0 "$started"
}

@test "--for with a command: the verdict comes early, the status at its end" {
	# The command ends when it has seen the verdict.
	status=0
	seep watch -o t.seep --interval 20ms --for 500ms -- \
		sh -c 'until grep -q "^[A-Z-]*  [a-z]" said; do sleep .05; done; exit 3' \
		2>said || status=$?
	[ "$status" -eq 3 ]
	seep report --json t.seep | jq -e .run.complete
}

@test "what was seen is there when seep is killed" {
	start_brood 1024 1 64 1000 50
	seep watch -o t.seep --interval 20ms "$started" 2>said &
	watcher=$!
	until [ -s said ]; do sleep .01; done
	until_samples 20
	kill -KILL $watcher
	wait $watcher || true
	seep report --json t.seep | jq -e '.run.events > 20 and (.run.complete | not)'
	kill -0 "$started"
}

@test "what cannot be watched, and why" {
	run -125 seep watch 999999999
	[[ "$output" == *"there is no process"* || "$output" == *"is not a valid process number"* ]]
	run -125 seep watch 0
	[[ "$output" == *"is not a valid process number"* ]]
	run -125 sh -c 'exec seep watch $$'
	[[ "$output" == *"is seep itself"* ]]
	run -125 seep watch
	[[ "$output" == *"name a process or a program to watch"* ]]
	run -125 seep watch 1 2
	[[ "$output" == *"seep watch follows one process"* ]]
	run -125 seep watch 1 --for 1s -- true
	[[ "$output" == *"unexpected argument 'true': seep watch follows one process"* ]]
	run -125 seep watch --interval 1us 1
	[[ "$output" == *"the minimum is 1ms"* ]]
	[ -z "$(ls)" ]
}

@test "threads, zombies and threads of the kernel are told apart" {
	cat >odd.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <unistd.h>

		static void *run(void *unused)
		{
			pid_t child = fork();

			if (!child)
				_exit(0);
			printf("%ld %ld %ld\n", (long)getpid(), syscall(SYS_gettid), (long)child);
			fflush(stdout);
			pause();
			return unused;
		}

		int main(void)
		{
			pthread_t thread;

			pthread_create(&thread, NULL, run, NULL);
			pthread_join(thread, NULL);
		}
	END
	gcc odd.c -o odd -pthread
	./odd >ids &
	started=$!
	until [ -s ids ]; do sleep .01; done
	read -r process thread zombie <ids
	until grep -q '^State:.Z' "/proc/$zombie/status"; do sleep .01; done
	run -125 seep watch "$thread"
	[[ "$output" == *"$thread is a thread of process $process"*"seep watch $process"* ]]
	run -125 seep watch "$zombie"
	[[ "$output" == *"process $zombie has ended"* ]]
	grep -qs '^Kthread:.1' /proc/2/status || skip "no thread of the kernel to be seen"
	run -125 seep watch 2
	[[ "$output" == *"2 is a kernel thread"* ]]
}

@test "the process of another user: less is seen, and that is said" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	start_brood 16384 2 64 60 50
	setpriv --reuid=65534 --clear-groups "$SEEP_BUILD/bin/seep" --version ||
		skip "seep is where nobody else may go"
	place=$(mktemp -d /tmp/seep.XXXXXX)
	chmod 777 "$place"
	cd "$place" || return
	run -0 --separate-stderr setpriv --reuid=65534 --clear-groups \
		"$SEEP_BUILD/bin/seep" watch -o t.seep --interval 50ms "$started"
	[[ "$stderr" == *"the pages of 3 processes could not be read"* ]]
	[[ "$stderr" != *PSS* && "$stderr" != *PanDA* ]]
	seep report --json t.seep | jq -e '.verdict.kind == "growth" and .panda == null'
	cd / && rm -r "$place"
}

# events HOW: what is kept per event, told in a file that is written in that way
events() {
	run -0 --separate-stderr seep watch -f -o t.seep --interval 20ms \
		--events-file '([0-9]+) events read so far:beat.txt' -- \
		ticker 1500 5000 10 10 beat.txt "$1"
	seep report --json t.seep >json
	jq -e '.run.event_source == "file" and .verdict.kind == "growth"' json
	jq -e '.run.events > 700 and .run.events <= 1500' json
	jq -e '.verdict.rate.bytes_per_event | . > 4800 and . < 5200' json
	[[ "$stderr" == *"B/event"* ]]
}

@test "events that the program counts in a file: rates are per event" {
	for how in over rename append late; do
		rm -f beat.txt
		events "$how"
	done
}

@test "a file without a number: slices of time, and a note" {
	run -0 --separate-stderr seep watch -o t.seep --interval 20ms \
		--events-file '([0-9]+) events:nothing.txt' -- sleep 1
	[[ "$stderr" == *"--events-file: no number was found"* ]]
	seep report --json t.seep | jq -e '.run.event_source == "time" and .run.events > 20'
	run -125 seep watch --events-file 'events:nothing.txt' -- sleep 1
	[[ "$output" == *"has no group"* ]]
}

@test "a limit, and when it will be met" {
	start_brood 1024 1 256 60 50
	run -0 --separate-stderr seep watch -o t.seep --interval 50ms --limit 100MB "$started"
	[[ "$stderr" == *OOM*"limit 100 MB, --limit"* ]]
	rate=$(awk '/truth/ { print $NF }' truth)
	seep report --json t.seep | jq -e --argjson rate "$rate" \
		'.verdict.oom | .seconds * $rate / .room_bytes | . > 0.8 and . < 1.25'
}

@test "it costs next to nothing, and says what" {
	brood 204800 0 0 80 50 >truth &
	started=$!
	until grep -q ready truth; do sleep .01; done
	# fifty times as often as usual: pages must not be read each time
	run -0 --separate-stderr seep watch -o t.seep --interval 20ms --for 3s "$started"
	cost=$(seep report --json t.seep | jq -r '.run.notes[]' |
		sed -n 's/.*, \([0-9.e-]*\) % of a core.*/\1/p')
	[ -n "$cost" ]
	awk -v cost="$cost" 'BEGIN { exit !(cost > 0 && cost < 2) }'
	# as often as usual, from start to end, as others see it
	cat >cost.py <<-'END'
		import resource, subprocess, sys, time
		start = time.monotonic()
		subprocess.run(sys.argv[1:], check=True)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		cost = (used.ru_utime + used.ru_stime) / (time.monotonic() - start)
		print(cost)
		sys.exit(cost > .01)
	END
	/usr/bin/python3 cost.py seep watch -q -f -o t.seep --for 5s $$
}

@test "a file of prmon has PanDA's numbers as well" {
	# 4 kB/s by its columns, but for the first five and the last two samples
	awk 'BEGIN {
		print "Time\twtime\tpss\trss\tswap"
		for (i = 0; i < 40; i++) {
			pss = (i < 5 || i > 37) ? 50000 : 700000 + 90 * i
			printf "%d\t%d\t%d\t900000\t%d\n", 1700000000 + 30 * i, 30 * i, pss, 30 * i
		}
	}' >prmon.txt
	seep report --json prmon.txt | jq -e '.panda |
		.unit == "kB/s" and .points == 33 and .points_given == 40 and
		.leak > 3.9999 and .leak < 4.0001 and .chi2 < 1e-9'
	run -0 seep report prmon.txt
	[[ "$output" == *"  PanDA   leak=4.00 chi2=0.00 (kB/s of 1024 B"* ]]
}

@test "a recorder that is full, and an emulator that grows: told apart" {
	seep report --json "$SEEP_SOURCE/tests/data/shepherd_recorder.txt" |
		jq -e '.verdict.kind == "saturating"'
	# 10 % of 484 MiB in 2330 s
	seep report --json "$SEEP_SOURCE/tests/data/shepherd_emulator.txt" | jq -e '.verdict |
		(.rate.bytes_per_s / .rate.bytes_per_event) as $scale |
		(0.1 * 484 * 1048576 / 2330) as $truth | .kind == "growth" and
		.rate.low * $scale < $truth and .rate.high * $scale > $truth'
}

@test "no room for the trace: what was seen is kept, and the command runs on" {
	run -5 --separate-stderr bash -c 'ulimit -f 150
		seep watch -o t.seep --interval 1ms -- sh -c "sleep 5; exit 5"'
	[[ "$stderr" == *"t.seep' is incomplete: writing failed"* ]]
	seep report --json t.seep | jq -e '.run.events > 100 and (.run.complete | not)'
}

@test "the file is not replaced unasked, and none is left where nothing was watched" {
	echo mine >t.seep
	run -125 seep watch -o t.seep -- sleep 1
	[[ "$output" == *"exists; replace it with -f"* ]]
	[ "$(cat t.seep)" = mine ]
	run -127 seep watch -o other.seep -- ./nowhere
	[ ! -e other.seep ]
}
