#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep run --follow: programs that the program starts have traces of their own.
#
# shellcheck disable=SC2016 # what stands in quotes is for another shell
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

setup() {
	PATH="$SEEP_BUILD/bin:$SEEP_BUILD/tests/truth:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD SEEP_FOLLOW
	export KEEPER_TRUTH="$PWD/truth"
}

# books TRACE: the trace of a keeper is right to the byte, and its own
books() {
	local pid=${1##*.}
	seep report --json --all --at-event end "$1" >report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json "truth.$pid"
	[ "$(stat -c %a "$1")" = 600 ]
	jq -e --argjson pid "$pid" '.run.pid == $pid and (.run.exe | endswith("/keeper")) and
		(.run.command[0] | endswith("keeper")) and .run.complete and
		.run.exit == {code: 7, signal: null} and .verdict.kind == "leak"' report.json
}

# traces FILE: those of its children
traces() {
	find . -name "$1.*" -printf '%f\n' | sort
}

@test "of a script's programs the named one is followed and found, with its own books" {
	printf '#!/bin/sh\n/bin/true\nkeeper 200 96\nls >list\nexit 3\n' >job
	chmod +x job
	run seep run -o t.seep --follow=keeper -- ./job
	[ "$status" -eq 3 ]
	trace=$(traces t.seep)
	[ "$(wc -l <<<"$trace")" -eq 1 ]
	books "$trace"
	[[ "$output" == *"1 program was followed; the trace for each PID is t.seep.PID"* ]]
	[[ "$output" =~ ${trace##*.}\ +keeper\ +200\ events\ +LEAK\ +96\.?0*\ B/event ]]
	[[ "$output" == *"next: seep report --site 1 $trace" ]]
	[[ "$output" == *"2 other programs were started and not tracked (true, ls)"* ]]
	run seep report
	[[ "$output" == *"1 process that it started has a trace of its own: seep report $trace"* ]]
	[ "${lines[-1]}" = "next: seep report --site 1 $trace" ]
	run seep report --site 1 "$trace"
	[[ "$output" == *keep* ]]
}

@test "without --follow nothing is followed, and the option is named" {
	run seep run -o t.seep -- sh -c 'keeper 200 96; true; /bin/true; ls >list'
	[ "$status" -eq 0 ]
	[ -z "$(traces t.seep)" ]
	told='3 other programs were started and not tracked (keeper, true, ls)'
	# On one line if the run was too short to judge, else filled to the width of the page.
	[[ "$(tr -s ' \n' ' ' <<<"$output")" == *"$told; use --follow to track them"* ]]
}

@test "without names all are followed, the most grown first, ten lines at most" {
	run seep run -o t.seep --follow -- sh -c \
		'for i in 1 2 3 4 5 6 7 8 9 10 11; do keeper 100 ${i}00; done'
	[ "$status" -eq 7 ]
	[ "$(traces t.seep | wc -l)" -eq 11 ]
	for trace in $(traces t.seep); do books "$trace"; done
	rates=$(grep -o 'LEAK  [0-9]* B' <<<"$output" | tr -dc '0-9\n')
	[ "$rates" = "$(seq 1100 -100 200)" ]
	[[ "$output" == *"and 1 more"* ]]
	keeper=$(grep -o '^ *[0-9]* *keeper.* 1100 B/' <<<"$output" | awk '{ print $1 }')
	[[ "$output" == *"next: seep report --site 1 t.seep.$keeper" ]]
}

@test "names are globs, of the file or of argv[0]" {
	ln -s "$(command -v keeper)" worker-7
	seep run -q -o a.seep --follow='nothing,work*-?' -- sh -c './worker-7 100 96; true'
	[ "$(traces a.seep | wc -l)" -eq 1 ]
	seep run -q -o b.seep --follow='k??per' -- sh -c './worker-7 100 96; true'
	[ "$(traces b.seep | wc -l)" -eq 1 ]
	seep run -q -o c.seep --follow='work,eeper,keeper?,*7x' -- sh -c './worker-7 100 96; true'
	[ -z "$(traces c.seep)" ]
	run seep run --follow=/bin/true -- true
	[ "$status" -eq 125 ]
	[[ "$output" == *"program names without directories"* ]]
}

@test "a name that was meant for --follow is told from a command" {
	run -127 seep run --follow keeperr -- true
	[[ "$output" == *"'keeperr' was not found in PATH"*"write --follow=keeperr" ]]
	run -127 seep run --follow --keep-pools keeperr
	[[ "$output" != *"--follow"* ]]
}

@test "one program without a trace is told of as one" {
	run seep run -o t.seep --follow -- sh -c '/bin/true; true'
	[[ "$output" == *"1 more had no trace: it ended too soon"* ]]
}

@test "a chain of execs, in the program itself and in a child" {
	run seep run -q -o own.seep --follow -- sh -c 'exec env A=1 keeper 100 96'
	[ "$status" -eq 7 ]
	[ -z "$(traces own.seep)" ]
	jq -e '.run.events == 100' <<<"$(seep report --json own.seep)"
	run seep run -q -o child.seep --follow -- sh -c 'sh -c "exec env A=1 keeper 100 96"; exit 4'
	[ "$status" -eq 4 ]
	books "$(traces child.seep)"
}

@test "a child that had a trace before its exec goes on in it, with nothing of before" {
	cat >change.c <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		#include <unistd.h>
		char *volatile kept;
		int main(int argc, char **argv)
		{
			for (int i = 0; i < 5; i++) {
				seep_event_begin(i);
				kept = malloc(5000);
			}
			execvp(argv[1], argv + 1);
			return argc;
		}
	END
	gcc -I "$SEEP_SOURCE/include" change.c -o change
	seep run -q -o t.seep --follow -- sh -c './change keeper 100 96; true'
	books "$(traces t.seep)"
	jq -e '.run.events == 100' report.json
}

@test "posix_spawn, system and grandchildren" {
	cat >starts.c <<-'END'
		#include <spawn.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		extern char **environ;
		int main(void)
		{
			char *words[] = { "keeper", "100", "96", NULL };
			int status;
			pid_t pid;
			if (posix_spawnp(&pid, "keeper", NULL, NULL, words, environ))
				return 1;
			waitpid(pid, &status, 0);
			status |= system("sh -c 'keeper 110 96; exit 7'; exit 7");
			if (!(pid = vfork())) {
				execlp("keeper", "keeper", "120", "96", NULL);
				_exit(1);
			}
			waitpid(pid, NULL, 0);
			return WEXITSTATUS(status);
		}
	END
	gcc starts.c -o starts
	run seep run -q -o t.seep --follow=keeper -- ./starts
	[ "$status" -eq 7 ]
	[ "$(traces t.seep | wc -l)" -eq 3 ]
	for trace in $(traces t.seep); do
		books "$trace"
		jq .run.events report.json
	done | grep -c '^1[012]0$' | grep -qx 3
}

@test "a storm of short programs leaves no files and changes nothing" {
	storm='i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'
	storm="$storm; echo out; echo err >&2; exit 9"
	run --separate-stderr seep run -q -o t.seep --follow -- sh -c "$storm"
	[ "$status" -eq 9 ]
	[ "$output" = out ]
	[ "$stderr" = err ]
	[ -z "$(traces t.seep)" ]
	run seep run -o u.seep --follow -- sh -c "$storm"
	[[ "$output" == *"0 programs were followed"*"300 more had no trace"* ]]
}

@test "there are 256 traces at most, and the others are counted" {
	run seep run -o t.seep --follow -- sh -c \
		'i=0; while [ $i -lt 260 ]; do keeper 3 8; i=$((i + 1)); done; exit 2'
	[ "$status" -eq 2 ]
	[ "$(traces t.seep | wc -l)" -eq 256 ]
	[[ "$output" == *"and 246 more"*"4 more had no trace: the limit is 256"* ]]
}

@test "make with compilers at work: the one that was named has a trace" {
	{
		echo '#include <stdio.h>'
		for i in $(seq 400); do
			echo "int f$i(int n) { int s = n; while (n-- > $i) s += n * $i; return s; }"
		done
	} >one.c
	cp one.c two.c
	printf 'all: one.o two.o\n%%.o: %%.c\n\tgcc -O2 -c $<\n' >Makefile
	make -s all
	sums=$(sha1sum ./*.o)
	rm ./*.o
	run seep run --event time:2ms -o t.seep --follow=cc1 -- make -s -j2 all
	[ "$status" -eq 0 ]
	[ "$(sha1sum ./*.o)" = "$sums" ]
	[ "$(traces t.seep | wc -l)" -eq 2 ]
	for trace in $(traces t.seep); do
		seep report --json "$trace" | jq -e '(.run.exe | endswith("/cc1")) and
			.run.event_source == "time" and .run.exit.code == 0 and .run.complete'
	done
	[[ "$output" == *"2 programs were followed"* ]]
}

@test "a trace that is in the way is left alone" {
	cat >plant.c <<-'END'
		#include <fcntl.h>
		#include <stdio.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char path[64];
			snprintf(path, sizeof(path), "t.seep.%d", (int)getpid());
			symlink("elsewhere", path);
			execvp(argv[1], argv + 1);
			return argc;
		}
	END
	gcc plant.c -o plant
	seep run -q -o t.seep --follow=keeper -- sh -c './plant keeper 100 96; true'
	[ ! -e elsewhere ]
	[ -L "$(traces t.seep)" ]
}

@test "a trace that is replaced takes those of its followed programs along, and nothing else" {
	seep run -q -o t.seep --follow -- sh -c 'keeper 50 96; keeper 60 96; true'
	[ "$(traces t.seep | wc -l)" -eq 2 ]
	echo mine >t.seep.0
	seep run -q -f -o t.seep --follow -- sh -c 'keeper 70 96; true'
	[ "$(cat t.seep.0)" = mine ]
	rm t.seep.0
	[ "$(traces t.seep | wc -l)" -eq 1 ]
	books "$(traces t.seep)"
	jq -e '.run.events == 70' report.json
}

@test "descriptors of the tracker do not reach the programs that are started" {
	seep run -q -o t.seep --follow -- sh -c 'keeper 9 96; ls /proc/self/fd | wc -l >under; true'
	sh -c 'ls /proc/self/fd | wc -l >plain'
	[ "$(cat under)" -eq "$(cat plain)" ]
}

@test "a static program that is named is told to be untracked" {
	cat >wait.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		/* Until the clock of seep run, at byte 64 of the file, has moved so many times. */
		int main(int argc, char **argv)
		{
			uint64_t last = 0, now;
			int turns = 0;
			while (argc == 3 && turns < atoi(argv[2])) {
				FILE *f = fopen(argv[1], "rb");
				if (!f || fseek(f, 64, SEEK_SET) || fread(&now, 8, 1, f) != 1)
					return 1;
				fclose(f);
				turns += now != last;
				last = now;
			}
			return 0;
		}
	END
	gcc -static wait.c -o fixed
	cat >job <<-'END'
		./fixed "/proc/${SEEP_SHARE%/*}/fd/${SEEP_SHARE#*/}" 60
		exit 5
	END
	run seep run --event time:10ms -o t.seep --follow=fixed -- sh job
	[ "$status" -eq 5 ]
	[[ "$output" == *"1 not tracked: fixed (static)"* ]]
	run seep run --event time:10ms -o u.seep --follow=other -- sh job
	[[ "$output" != *"not tracked: fixed"* ]]
}
