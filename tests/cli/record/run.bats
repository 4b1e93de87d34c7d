#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep run: whose exit status it is, what it refuses, and what it leaves alone.
#
# shellcheck disable=SC2016 # what stands in quotes is for another shell
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
}

# compile NAME FLAG... <SOURCE
compile() {
	local name=$1
	shift
	cat >"$name.c"
	gcc -g "$name.c" -o "$name" "$@"
}

@test "the status is the command's" {
	for code in 0 1 3 42 255; do
		run seep run -q -- sh -c "exit $code"
		[ "$status" -eq "$code" ]
		[ -z "$output" ]
	done
}

@test "128 + n if signal n ended it, and it says which" {
	run seep run -- sh -c 'kill -KILL $$'
	[ "$status" -eq 137 ]
	[[ "$output" == *"seep: the program was killed by SIGKILL (Killed)"* ]]
	run seep run -q -- sh -c 'kill -SEGV $$'
	[ "$status" -eq 139 ]
	run seep run -q -- sh -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
}

@test "127 if it is not found" {
	run -127 seep run -- ./nowhere
	[[ "$output" == "seep: './nowhere' was not found"* ]]
	run -127 seep run -- no-such-command-anywhere
	[[ "$output" == *"in PATH"* ]]
	run -127 seep run -- ''
	[ -z "$(ls)" ]
}

@test "126 if it cannot be executed" {
	echo data >file
	run seep run -- ./file
	[ "$status" -eq 126 ]
	[[ "$output" == *"chmod +x"* ]]
	mkdir directory
	run seep run -- ./directory
	[ "$status" -eq 126 ]
	[[ "$output" == *directory* ]]
}

@test "a script whose interpreter is missing: 127, and no trace is left" {
	printf '#!/no/such/interpreter\n' >script
	chmod +x script
	run -127 seep run -q -- ./script
	[[ "$output" == *"interpreter is missing"* ]]
	[ "$(ls)" = script ]
}

@test "a static program is refused with a reason, and not run" {
	compile fixed -static <<-'END'
		#include <stdio.h>
		int main(void) { return puts("it ran") < 0; }
	END
	run seep run -- ./fixed
	[ "$status" -eq 126 ]
	[[ "$output" == *"statically linked"*"without -static"* ]]
	[[ "$output" != *"it ran"* ]]
	compile pie -static-pie <fixed.c
	run seep run -- ./pie
	[ "$status" -eq 126 ]
	printf '#!%s\n' "$PWD/fixed" >script
	chmod +x script
	run seep run -- ./script
	[ "$status" -eq 126 ]
	[[ "$output" == *"statically linked"* ]]
	printf '#!fixed\n' >script
	run seep run -- ./script
	[ "$status" -eq 126 ]
}

@test "a setuid program is refused" {
	[ "$(id -u)" -eq 0 ] || skip "only root can make one"
	cp "$(command -v ls)" other
	chown nobody other
	chmod u+s other
	run seep run -- ./other
	[ "$status" -eq 126 ]
	[[ "$output" == *"setuid to nobody"*"run a copy"* ]]
	chown root other
	chmod u+s other
	run seep run -q -- ./other
	[ "$status" -eq 0 ]
}

@test "a program with a sanitizer is refused" {
	echo 'int main(void) { return 0; }' | compile checked -fsanitize=address
	run seep run -- ./checked
	[ "$status" -eq 126 ]
	[[ "$output" == *AddressSanitizer*"-fsanitize"* ]]
}

@test "scripts and files without a first line run as always" {
	printf '#!/bin/sh\necho script "$1"\nexit 5\n' >script
	printf 'echo plain "$1"\nexit 6\n' >plain
	printf '#!/usr/bin/env sh\necho env "$1"\nexit 7\n' >searched
	chmod +x script plain searched
	run seep run -q -- ./script a
	[ "$status" -eq 5 ]
	[ "$output" = "script a" ]
	run seep run -q -- ./plain b
	[ "$status" -eq 6 ]
	[ "$output" = "plain b" ]
	run seep run -q -- ./searched c
	[ "$status" -eq 7 ]
	[ "$output" = "env c" ]
}

@test "the trace is named after command and pid" {
	run seep run -- sh -c 'echo $$ >pid'
	[ "$status" -eq 0 ]
	trace="seep.sh.$(cat pid).seep"
	[ -f "$trace" ]
	[ "$(stat -c %a "$trace")" = 600 ]
	[[ "${lines[0]}" == "seep: recording to $trace (exact heap, stamps; pools made visible:"* ]]
	[[ "${lines[-1]}" == next:* ]]
}

@test "-o does not replace a file, -f does" {
	echo precious >out.seep
	run seep run -o out.seep -- true
	[ "$status" -eq 125 ]
	[[ "$output" == *"exists"*"-f"* ]]
	[ "$(cat out.seep)" = precious ]
	run seep run -q -f -o out.seep -- true
	[ "$status" -eq 0 ]
	run seep report --json out.seep
	[ "$status" -eq 0 ]
}

@test "-o does not follow a link" {
	ln -s elsewhere out.seep
	run seep run -q -o out.seep -- true
	[ "$status" -eq 125 ]
	[ ! -e elsewhere ]
}

@test "a directory that cannot be written: 125, and -o is suggested" {
	cd /proc
	run seep run -- true
	[ "$status" -eq 125 ]
	[[ "$output" == *"-o FILE"* ]]
	cd "$BATS_TEST_TMPDIR"
	run seep run -o nowhere/out.seep -- true
	[ "$status" -eq 125 ]
}

@test "wrong usage is 125 and names the help" {
	run seep run
	[ "$status" -eq 125 ]
	run seep run --no-such-option -- true
	[ "$status" -eq 125 ]
	[[ "$output" == *"seep help run"* ]]
	run seep run --event sometimes -- true
	[ "$status" -eq 125 ]
	[[ "$output" == *"time:100ms"* ]]
	run seep run --event time:5 -- true
	[ "$status" -eq 125 ]
	[[ "$output" == *"write time:5ms or time:5s" ]]
	run seep run --limit much -- true
	[ "$status" -eq 125 ]
	run seep run -o
	[ "$status" -eq 125 ]
}

@test "options of the command are the command's" {
	run seep run -q echo --help -q
	[ "$status" -eq 0 ]
	[ "$output" = "--help -q" ]
	run seep run -q -- echo -- x
	[ "$output" = "-- x" ]
}

@test "pools are made visible unless told otherwise" {
	pools='echo "$PYTHONMALLOC $G_SLICE $GLIBCXX_FORCE_NEW"'
	run seep run -q -- sh -c "$pools"
	[ "$output" = "malloc always-malloc 1" ]
	PYTHONMALLOC=debug run seep run -q -- sh -c "$pools"
	[ "$output" = "debug always-malloc 1" ]
	run seep run -q --keep-pools -- sh -c "$pools"
	[ "$output" = "  " ]
	run seep run --keep-pools -- true
	[[ "$output" != *PYTHONMALLOC* ]]
}

@test "LD_PRELOAD of the user is kept behind ours" {
	echo 'int mine(void) { return 0; }' | compile libmine.so -shared -fPIC
	LD_PRELOAD=$PWD/libmine.so run seep run -q -- sh -c 'echo "$LD_PRELOAD"'
	[ "$status" -eq 0 ]
	[[ "$output" == */libseep-heap.so:$PWD/libmine.so ]]
}

@test "signal mask and dispositions are what they were" {
	compile signals <<-'END'
		#include <signal.h>
		#include <stdio.h>
		int main(void)
		{
			sigset_t mask;
			struct sigaction old;

			sigprocmask(SIG_SETMASK, NULL, &mask);
			for (int i = 1; i < 32; i++) {
				sigaction(i, NULL, &old);
				printf("%d %d %d\n", i, sigismember(&mask, i),
				       old.sa_handler == SIG_IGN);
			}
			return 0;
		}
	END
	./signals >plain
	seep run -q -- ./signals >tracked
	diff plain tracked
	env --ignore-signal=HUP,CHLD --block-signal=USR1 ./signals >plain
	env --ignore-signal=HUP,CHLD --block-signal=USR1 seep run -q -- ./signals >tracked
	diff plain tracked
}

@test "the low descriptors are what they were" {
	list='for f in $(seq 0 99); do if [ -e /proc/self/fd/$f ]; then echo $f; fi; done'
	bash -c "$list" >plain
	seep run -q -- bash -c "$list" >tracked
	diff plain tracked
}

@test "a signal to seep reaches the command" {
	seep run -q -o out.seep -- \
		sh -c 'sleep 300 & trap "kill $!; exit 9" TERM; echo $$ >pid; wait' &
	seep=$!
	until [ -s pid ]; do
		sleep 0.05
	done
	kill -TERM $seep
	status=0
	wait $seep || status=$?
	[ "$status" -eq 9 ]
}

@test "standard input is the command's" {
	run bash -c 'echo hello | seep run -q -- cat'
	[ "$output" = hello ]
}

@test "nothing on stdout but what the command says" {
	run --separate-stderr seep run -- echo result
	[ "$status" -eq 0 ]
	[ "$output" = result ]
	[[ "$stderr" == "seep: recording to"* ]]
	[[ "$stderr" == *"next: "* ]]
}

@test "with --event api a program without marks is not called idle" {
	run --separate-stderr seep run -e api -o t.seep -- sleep 0.4
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"the program marked no events in "* ]]
	[[ "$stderr" == *"next: run it without --event api, or mark its events"* ]]
	[[ "$stderr" != *"time slice"* ]]
	run -125 seep check --budget 0 t.seep
	[[ "$output" == *"no event was seen: the program marked none (seep.h)"* ]]
	[[ "$output" != *"run it longer"* ]]
}

@test "SEEP_DISABLE runs it as if seep were not there" {
	SEEP_DISABLE=1 run seep run -q -- sh -c 'echo "$LD_PRELOAD$SEEP_TRACE"; exit 4'
	[ "$status" -eq 4 ]
	[ -z "$output" ]
	[ -z "$(ls)" ]
}

@test "a program that replaces itself and forgets its environment" {
	run seep run -q -o out.seep -- sh -c 'exec env -i sh -c "echo on; exit 3"'
	[ "$status" -eq 3 ]
	[ "$output" = on ]
	[ "$(seep report --json out.seep | jq .run.exit.code)" -eq 3 ]
}

@test "--limit is recorded" {
	seep run -q --limit 1GiB -o out.seep -- "$SEEP_BUILD/examples/hits" --events 20 >/dev/null
	seep report --json out.seep >report.json
	run jq -r '.verdict.oom.limit_source, .verdict.oom.limit_bytes' report.json
	[ "${lines[0]}" = "--limit" ]
	[ "${lines[1]}" = 1073741824 ]
}

@test "--event time: events are slices, and the rate is per second" {
	compile grow <<-'END'
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		int main(void)
		{
			for (int i = 0; i < 1000; i++) {
				memset(malloc(2000), 1, 2000);
				usleep(1000);
			}
			return 0;
		}
	END
	# On a busy machine slices may come in fits and starts, and the answer is then undecided.
	for _ in 1 2 3; do
		seep run -q -f --event time:20ms -o out.seep -- ./grow
		run seep report out.seep
		[[ "$output" != UNDECIDED* ]] && break
	done
	[[ "${lines[0]}" == "LEAK  "*"B/s  ["*"]  over "*"s"* ]]
	[[ "$output" == *" main "*"grow.c:7 "*" 2000 B x "*"/s "* ]]
	[ "$(seep report --json out.seep | jq -r .run.event_source)" = time ]
}

# forks N: makes as many children, each of which marks an event
make_forks() {
	compile forks -I"$SEEP_SOURCE/include" <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
				if (!fork()) {
					seep_event_begin(i);
					_exit(0);
				}
			while (wait(NULL) > 0)
				;
			return 0;
		}
	END
}

@test "children that go on after fork are mentioned, by the names of their traces" {
	make_forks
	run seep run -o out.seep -- ./forks 2
	[ "$status" -eq 0 ]
	names=$(printf '%s\n' out.seep.* | sort -t . -k 3n | paste -sd , | sed 's/,/, /g')
	[[ "$output" == *"seep: 2 child processes wrote traces of their own: $names"$'\n'* ]]
	run seep run -o one.seep -- ./forks 1
	[[ "$output" == *"1 child process wrote a trace of its own: $(echo one.seep.*)"$'\n'* ]]
	run seep run -o five.seep -- ./forks 5
	[[ "$output" == *"5 child processes wrote"*": five.seep."*" and 2 more"$'\n'* ]]
	named=$(grep 'child processes' <<<"$output")
	[ "$(grep -o 'five\.seep\.[0-9]' <<<"$named" | wc -l)" -eq 3 ]
}

@test "an idle program that forks: what comes next is in the trace of the child that grows" {
	compile parent -I"$SEEP_SOURCE/include" <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			if (!fork())
				for (int i = 0; i < 100; i++) {
					seep_event_begin(i);
					if (!malloc(1000))
						return 1;
				}
			wait(NULL);
			return 0;
		}
	END
	run seep run -o out.seep -- ./parent
	[ "${lines[-1]}" = "next: seep report --site 1 $(echo out.seep.*)" ]
	run seep report
	[ "${lines[-1]}" = "next: seep report --site 1 $(echo out.seep.*)" ]
}

@test "children of an earlier run of the same name are not mentioned" {
	make_forks
	seep run -q -o out.seep -- ./forks 2
	touch -d 2020-01-01 out.seep.*
	run seep run -f -o out.seep -- ./forks 0
	[[ "$output" != *"child process"* ]]
}

@test "nobody reads stderr: the status is the command's all the same" {
	mkfifo go
	printf 'read x <go\nexit 7\n' >job
	run bash -c 'seep run -- sh job 2> >(head -n 1 >first; exec <&-; echo >go)'
	[ "$status" -eq 7 ]
	[[ "$(cat first)" == "seep: recording to "* ]]
}

@test "printed commands can be pasted: seep as it was called" {
	mkdir "a place"
	ln -s "$SEEP_BUILD/bin/seep" "a place/seep"
	run "a place/seep" run -e api -- true
	[[ "${lines[-1]}" == *": 'a place/seep' report --all seep.true."*.seep ]]
	eval "${lines[-1]##*: }" >report
	run "a place/seep" rnu
	[[ "$output" == *"did you mean ''a place/seep' run'"* ]]
	run "$SEEP_BUILD/bin/seep" report --site
	[[ "$output" == *"see $SEEP_BUILD/bin/seep help report" ]]
	run seep report --site
	[[ "$output" == *"see seep help report" ]]
}

@test "run it longer: with the options that were given, and it may replace the trace" {
	compile events -I"$SEEP_SOURCE/include" <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		int main(void)
		{
			for (int i = 0; i < 4; i++) {
				seep_event_begin(i);
				if (!malloc(1000))
					return 1;
			}
			return 0;
		}
	END
	long=$(printf 'x%.0s' {1..100})
	run seep run -e api -o 'my out.seep' --limit=1GB -- ./events "$long" 'two words'
	next="seep run -f -e api -o 'my out.seep' --limit=1GB -- ./events $long 'two words'"
	[ "${lines[-1]}" = "next: run it longer: $next" ]
	run eval "$next"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "next: run it longer: $next" ]
	run seep run -- ./events
	[ "${lines[-1]}" = "next: run it longer: seep run -- ./events" ]
}

@test "help: overview, command, version, typo" {
	run seep --help
	[ "$status" -eq 0 ]
	[[ "$output" == *"seep run"*"report"*"doctor"* ]]
	run seep help run
	[ "$status" -eq 0 ]
	[[ "$output" == "usage: seep run"* ]]
	run seep report --help
	[[ "$output" == "usage: seep report"* ]]
	run seep --version
	[[ "$output" == "seep "[0-9]* ]]
	run seep rnu
	[ "$status" -eq 125 ]
	[[ "$output" == *"did you mean 'seep run'"* ]]
	run seep help demo
	[ "${lines[0]}" = "usage: seep demo" ]
	run seep run --evnt time:1s -- true
	[ "$status" -eq 125 ]
	[[ "$output" == *"there is no option '--evnt'; did you mean '--event'?"* ]]
	run seep report --jsno=x
	[[ "$output" == *"did you mean '--json'?"* ]]
	run seep report --nothing-like-it
	[[ "$output" == *"there is no option '--nothing-like-it'; see"* ]]
	run seep help nothing-like-it
	[ "$status" -eq 125 ]
	run seep
	[ "$status" -eq 125 ]
}

@test "doctor: fine here, and what is wrong with a program" {
	run seep doctor "$SEEP_BUILD/examples/hits"
	[ "$status" -eq 0 ]
	[[ "$output" == *"ok   tracker"* ]]
	[[ "$output" == *"debug information"* ]]
	echo 'int main(void) { return 0; }' | compile fixed -static
	run seep doctor ./fixed
	[ "$status" -eq 1 ]
	[[ "$output" == *"fail"*"statically linked"* ]]
	SEEP_DISABLE=1 run seep doctor
	[ "$status" -eq 1 ]
	[[ "$output" == *"unset SEEP_DISABLE"* ]]
	[ -z "$(ls ./*.seep .seep* 2>/dev/null)" ]
}

@test "two runs with -f to one file: the first says its trace is gone, the second keeps its own" {
	mkfifo up go begun end
	seep run -f -o same.seep -- sh -c 'echo >up; read -r _ <go; exit 3' 2>first 3>&- &
	first=$!
	read -r _ <up
	seep run -f -o same.seep --event api -- sh -c "echo >begun; read -r _ <end
		exec '$SEEP_BUILD/examples/hits' --events 40" >out 2>second 3>&- &
	second=$!
	read -r _ <begun
	echo >go
	status=0
	wait "$first" || status=$?
	[ "$status" -eq 3 ]
	grep -q "seep: the trace 'same.seep' was truncated, replaced or removed while" first
	grep -q 'give each run its own -o FILE' first
	run ! grep -Eq 'LEAK|GROWS|NO LEAK|judge|hits' first
	echo >end
	wait "$second"
	grep -q '^LEAK' second
	seep report --json same.seep >report.json
	[ "$(jq '.run.events' report.json)" -eq 40 ]
}
