#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep check: 0 within the budget, 1 over it, 125 for all that is no judgement; baselines,
# suppressions, and git bisect.  What it writes for others is in check_formats.bats.
#
# shellcheck disable=SC2016 # what stands in quotes is for another shell
# shellcheck disable=SC2154 # bats sets $stderr

bats_require_minimum_version 1.5.0

# job EVENTS A B: keeps A bytes per event in one function and B in another; a third
# keeps up to twice 1000 bytes, by chance, if CHANCE is set, and 56 in one event of 20 if RARE
# is.  Ends with STATUS.
write_job() {
	cat >"$1" <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		#include <string.h>
		static void *kept[3][10000];
		#define SITE __attribute__((noinline)) static void
		SITE keep_a(int i, int n) { kept[0][i] = malloc(n); }
		SITE keep_b(int i, int n) { kept[1][i] = malloc(n); }
		SITE keep_c(int i, int n) { kept[2][i] = malloc(n); }
		int main(int argc, char **argv)
		{
			int n = atoi(argv[1]), a = atoi(argv[2]), b = atoi(argv[3]);
			const char *status = getenv("STATUS");
			for (int i = 0; i < n; i++) {
				seep_event_begin(i);
				if (a)
					keep_a(i, a);
				if (b)
					keep_b(i, b);
				if (getenv("RARE") && i % 20 == 9)
					keep_c(i, 56);
				if (getenv("CHANCE"))
					keep_c(i, 1 + rand() % 2000);
				free(malloc(5000));
				seep_event_end();
			}
			if (getenv("ABORT"))
				abort();
			return status ? atoi(status) : argc == 0;
		}
	END
}

setup_file() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE
	write_job job.c
	gcc -g -O1 -fno-builtin -I"$SEEP_SOURCE/include" job.c -o job
	seep run -q -o flat.seep -- ./job 60 0 0
	seep run -q -o a.seep -- ./job 60 3000 0
	seep run -q -o ab.seep -- ./job 60 3000 500
	seep run -q -o b.seep -- ./job 60 0 500
	CHANCE=1 seep run -q -o chance.seep -- ./job 60 0 0
	RARE=1 seep run -q -o rare.seep -- ./job 60 0 0
	seep run -q -o few.seep -- ./job 5 3000 0
}

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE CHANCE STATUS ABORT
	T="$BATS_FILE_TMPDIR"
	JOB="$T/job"
	export TMPDIR="$BATS_TEST_TMPDIR/tmp"
	mkdir -p "$TMPDIR"
}

# The output with its broken lines put together.
one_line() {
	tr -s '\n ' ' ' <<<"$output"
}

@test "over: 1, and who is to blame" {
	run -1 --separate-stderr seep check --budget 1kB/event "$T/ab.seep"
	[[ "${lines[0]}" == "FAIL  the rate is 3500 B/event "*", over the budget of 1000 B/event" ]]
	[[ "${lines[1]}" == "  rate    3500 B/event  ["*"]  over "*" events after "*": leak" ]]
	site='^  sites   1 +keep_a +job.c:[0-9]+ +3000 B/event +never freed$'
	[[ "${lines[2]}" =~ $site ]]
	[[ "${lines[3]}" =~ ^\ +2\ +keep_b\ .*\ 500\ B/event ]]
	[ "${lines[-1]}" = "next: seep report --site 1 $T/ab.seep" ]
	[ "${#lines[@]}" -ge 3 ]
	[ "${#lines[@]}" -le 8 ]
	[ -z "$stderr" ]
}

@test "within: 0, also for a leak" {
	run -0 seep check --budget 4kB/event "$T/ab.seep"
	[[ "${lines[0]}" == "PASS  the rate is 3500 B/event "*", within the budget of 4000 B"* ]]
	[ "${#lines[@]}" -ge 3 ]
	[ "${#lines[@]}" -le 8 ]
	run -0 seep check "$T/ab.seep" -b 3600
	run -1 seep check -b '3.4 kB' "$T/ab.seep"
	run -1 seep check -b 3KiB/event "$T/ab.seep"
}

@test "flat: 0 for any budget" {
	for budget in 0 1B/event 1GB/event 0/s; do
		run -0 seep check --budget "$budget" "$T/flat.seep"
		[[ "${lines[0]}" == PASS* ]]
	done
	run -1 seep check --budget 0 "$T/a.seep"
}

@test "a budget inside the interval: 125, and how many events would settle it" {
	rate=$(seep report --json "$T/chance.seep" | jq .verdict.rate)
	jq -e '.low < .bytes_per_event and .bytes_per_event < .high' <<<"$rate"
	near=$(jq '(.bytes_per_event + .low) / 2' <<<"$rate")
	run -125 --separate-stderr seep check --budget "${near}B/event" "$T/chance.seep"
	[[ "${lines[0]}" == "CANNOT TELL  the rate is "* ]]
	[[ "$(one_line)" == *" is inside that interval "* ]]
	[[ "${lines[-1]}" =~ ^next:\ run\ it\ longer:\ about\ [0-9]+\ events\ more\ would ]]
	[ -z "$stderr" ]
	exact=$(jq .bytes_per_event <<<"$rate")
	run -125 seep check --budget "${exact}B/event" "$T/chance.seep"
	[[ "$(one_line)" == *" would pass with a budget of "* ]]
	kept=$(one_line | grep -o 'a budget of [0-9.]* k*B' | grep -o '[0-9].*')
	run -0 seep check --budget "$kept" "$T/chance.seep"
}

@test "too few events: 125, and how many are missing" {
	run -125 seep check --budget 1kB/event "$T/few.seep"
	[[ "$output" == "CANNOT TELL  there were only 5 events; 10 are required (--min-events)"* ]]
	[[ "$output" == *"next: run it longer: about 5 events more would settle it"* ]]
	run -125 seep check --budget 1kB/event --min-events 61 "$T/a.seep"
	run -1 seep check --budget 1kB/event --min-events 60 "$T/a.seep"
}

@test "no trace, none that is one, damaged or cut: 125, and nothing on stdout" {
	run -125 --separate-stderr seep check --budget 0 nowhere.seep
	[ -z "$output" ]
	[[ "$stderr" == "seep: "*nowhere.seep* ]]
	run -125 seep check --budget 0
	[[ "$output" == *"there is no trace in this directory"* ]]
	echo text >text
	run -125 seep check --budget 0 text
	run -125 seep check --budget 0 "$JOB"
	[[ "$output" == *"to run it, write -- before it" ]]
	bytes=$(stat -c %s "$T/a.seep")
	head -c $((bytes * 2 / 3)) "$T/a.seep" >cut.seep
	run -125 --separate-stderr seep check --budget 0 cut.seep
	[ -z "$output" ]
	cp "$T/a.seep" bad.seep
	chmod u+w bad.seep
	printf '\xff\xff\xff\xff' | dd of=bad.seep bs=1 seek=$((bytes / 2)) conv=notrunc status=none
	run -125 --separate-stderr seep check --budget 0 --junit j.xml --sarif s.json bad.seep
	[ -z "$output" ]
	[[ "$stderr" == *"'bad.seep' is damaged in "* ]]
	[ ! -e j.xml ] && [ ! -e s.json ]
}

@test "a program that was killed left a trace that can be judged" {
	gcc -g -x c -I"$SEEP_SOURCE/include" - -o killed <<-'END'
		#include <seep.h>
		#include <signal.h>
		#include <stdlib.h>
		int main(void)
		{
			for (int i = 0; i < 300; i++) {
				seep_event_begin(i);
				if (!malloc(5000))
					return 1;
				seep_event_end();
			}
			raise(SIGKILL);
		}
	END
	seep run -q -o t.seep -- ./killed || [ $? -eq 137 ]
	run -0 seep check --budget 100MB/event t.seep
	run -125 seep check --budget 100MB/event -- ./killed
	[[ "$output" == *"was killed by signal 9 (Killed)"* ]]
}

@test "the newest trace is taken" {
	cp "$T/flat.seep" old.seep
	cp "$T/a.seep" new.seep
	touch -d '2020-01-01' old.seep
	run -1 seep check --budget 1kB/event
	[[ "$output" == *"next: seep report --site 1 new.seep" ]]
}

@test "wrong usage is 125, too: git bisect must not take it for bad" {
	for words in '' '--budget' '--budget x' '--budget 1kB/hour' '--budget -1' '--budgt 1kB' \
		'--budget 0 a b' '--budget 0 a -- b' '--budget 0 --' '--budget 0 -o t.seep' \
		'--budget 0 --min-events 0' '--budget 0 --strict-suppressions' \
		'--budget 0 --event api' '--budget 0 --source-root nowhere' \
		'--budget 0 --event x:y -- true' '--budget 0 --sample x -- true'; do
		# shellcheck disable=SC2086 # several words
		run -125 --separate-stderr seep check $words
		[ -z "$output" ]
		[[ "$stderr" == "seep: "* ]]
	done
	[ -z "$(ls "$TMPDIR")" ]
}

@test "a command is run: its output and input are its own" {
	run -1 --separate-stderr bash -c "echo in | seep check --budget 1kB/event -- \
		sh -c 'read -r x; echo got \$x; echo err >&2; exec $JOB 60 3000 0'"
	[ "${lines[0]}" = "got in" ]
	[[ "${lines[1]}" == FAIL* ]]
	[ "$stderr" = err ]
	run -0 seep check --budget 0 -- "$JOB" 60 0 0
	run -125 seep check --budget 0 -- "$JOB" 5 3000 0
}

@test "its trace is temporary, and kept where there is something to see" {
	run -0 seep check --budget 0 -- "$JOB" 60 0 0
	[ -z "$(ls "$TMPDIR")" ]
	[[ "$output" != *next:* ]]
	run -1 seep check --budget 1kB/event -- "$JOB" 60 3000 0
	trace=$(ls "$TMPDIR"/*.seep)
	[ "${lines[-1]}" = "next: seep report --site 1 $trace" ]
	run -0 seep report "$trace"
	[ "$(ls)" = tmp ]
}

@test "-o says where the trace goes, and no file is overwritten without -f" {
	run -0 seep check -o t.seep --budget 0 -- "$JOB" 60 0 0
	run -125 seep check -o t.seep --budget 0 -- "$JOB" 60 3000 0
	[[ "$output" == *"'t.seep' exists; replace it with -f"* ]]
	run -0 seep check --budget 0 t.seep
	run -1 seep check -f -o t.seep --budget 0 -- "$JOB" 60 3000 0
	run -1 seep check --budget 0 t.seep
}

@test "options for seep run are passed on" {
	seep check --budget 1GB/s --event time:1h -o t.seep -- "$JOB" 60 0 0 || [ $? -eq 125 ]
	seep report --json t.seep | jq -e '.run.event_source != "api"'
	run -0 seep check -b 1MB/event --sample 1kB --keep-pools -f -o t.seep -- "$JOB" 60 3000 0
	seep report --json t.seep | jq -e '.run.tracker.sample_bytes == 1000'
	seep report --json t.seep | jq -e '.run.event_source == "api"'
}

@test "a command that fails is not judged: 125, and how it ended" {
	STATUS=3 run -125 --separate-stderr seep check --budget 0 -- "$JOB" 60 3000 0
	[ -z "$output" ]
	[[ "$stderr" == "seep: '$JOB' exited with status 3, so the run was not judged; "* ]]
	STATUS=125 run -125 seep check --budget 0 -- "$JOB" 60 0 0
	[[ "$output" == *"exited with status 125"* ]]
	ABORT=1 run -125 seep check --budget 0 -- "$JOB" 60 0 0
	[[ "$output" == *"was killed by signal 6 (Aborted)"* ]]
	run -125 seep check --budget 0 -- ./nowhere
	[[ "$output" == *"'./nowhere' was not found"* ]]
	run -125 seep check --budget 0 -- "$BATS_TEST_FILENAME/"
	[ -z "$(ls "$TMPDIR")" ]
}

@test "--ignore-status judges it all the same" {
	STATUS=3 run -1 seep check --budget 0 --ignore-status -- "$JOB" 60 3000 0
	STATUS=3 run -0 seep check --budget 0 --ignore-status -- "$JOB" 60 0 0
	ABORT=1 run seep check --budget 0 --ignore-status --min-events 1 -- "$JOB" 60 0 0
	[ "$status" -ne 1 ]
}

@test "a shell that waits for the program of interest: a warning, unless it execs that" {
	run --separate-stderr seep check --budget 0 -- bash -c "$JOB 60 3000 0; true"
	[ "$status" -ne 1 ]
	[[ "$stderr" == "seep: warning: "*"sh itself was judged, not the programs "* ]]
	run -1 --separate-stderr seep check --budget 0 -- bash -c "exec $JOB 60 3000 0"
	[ -z "$stderr" ]
}

@test "SEEP_DISABLE cannot make a leak pass" {
	SEEP_DISABLE=1 run -125 seep check --budget 0 -- "$JOB" 60 3000 0
	[[ "$output" == "seep: SEEP_DISABLE is set, so nothing would be recorded or judged"* ]]
}

@test "time slices have no budget per event, but one per second" {
	gcc -g -x c - -o grow <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		int main(void)
		{
			for (int i = 0; i < 400; i++) {
				if (!malloc(20000))
					return 1;
				usleep(1000);
			}
			return 0;
		}
	END
	# On a busy machine slices may come in fits and starts, and the answer is then another one.
	for _ in 1 2 3 4 5 6; do
		seep run -q -f -e time:10ms -o grow.seep -- ./grow
		run seep report grow.seep
		[[ "$output" == LEAK* ]] && break
	done
	run -125 seep check --budget 1kB/event grow.seep
	[[ "$(one_line)" == *"; set one per second, such as --budget 10kB/s"* ]]
	run -1 seep check --budget 1kB/s grow.seep
	[[ "${lines[1]}" == "  rate    "*"B/s  ["*": leak" ]]
	run -1 seep check --budget 0 grow.seep
	run -0 seep check --budget 1TB/s grow.seep
}

@test "a baseline: only what is beyond it counts, and new sites are named" {
	seep report --json "$T/a.seep" >a.json
	for baseline in "$T/a.seep" a.json; do
		run -0 seep check --budget 100 --baseline "$baseline" "$T/a.seep"
		run -0 seep check --baseline "$baseline" "$T/a.seep"
		run -0 seep check --baseline "$baseline" "$T/flat.seep"
		run -0 seep check --budget 1kB --baseline "$baseline" "$T/ab.seep"
		run -1 seep check --budget 100 --baseline "$baseline" "$T/ab.seep"
		[[ "${lines[0]}" == "FAIL  the rate is 500 B/event beyond the baseline "* ]]
		[[ "$output" == *$'\n  before  3000 B/event  ['*"]  ($baseline)"* ]]
		[[ "$output" =~ sites\ +2\ +keep_b\ .*\ 500\ B/event\ +never\ freed\ +new ]]
		[[ "$output" != *keep_a* ]]
		[[ "${lines[-1]}" == "next: seep report --site 2 "* ]]
		run -1 seep check --baseline "$baseline" "$T/ab.seep"
	done
}

@test "a new site fails although the total fell" {
	seep report --json "$T/a.seep" >a.json
	for baseline in "$T/a.seep" a.json; do
		run -1 seep check --baseline "$baseline" --github --junit x.xml --sarif x.sarif \
			"$T/b.seep"
		[[ "$output" == "FAIL  1 site grows that did not in the baseline, by 500 B"* ]]
		[[ "$output" == *$'\n  sites   '*keep_b*new* ]]
		[[ "$output" == *::error*keep_b* ]]
		grep -q '<failure[^>]*keep_b' x.xml
		[ "$(jq -r '.runs[0].results[] | .baselineState' x.sarif)" = new ]
		grep -q keep_b x.sarif
		run -1 seep check --budget 400 --baseline "$baseline" "$T/b.seep"
		run -0 seep check --budget 1kB --baseline "$baseline" "$T/b.seep"
		run -0 seep check --material 1MB --baseline "$baseline" "$T/b.seep"
	done
	echo keep_b >known
	run -0 seep check --suppress known --baseline a.json "$T/b.seep"
}

@test "a site that only moved is not new" {
	gcc -O1 -fno-builtin -I"$SEEP_SOURCE/include" "$T/job.c" -o plain
	sed 's/__attribute__((noinline)) static/__attribute__((always_inline)) static inline/' \
		"$T/job.c" >renamed.c
	gcc -O1 -fno-builtin -I"$SEEP_SOURCE/include" renamed.c -o inlined
	seep run -q -o plain.seep -- ./plain 60 3000 500
	seep run -q -o inlined.seep -- ./inlined 60 0 500
	seep report --json plain.seep >plain.json
	for baseline in plain.seep plain.json; do
		run -0 seep check --baseline "$baseline" inlined.seep
	done
	run -0 seep check --baseline inlined.seep inlined.seep
	run -1 seep check --baseline "$T/a.seep" inlined.seep
}

@test "a site that keeps more than in the baseline is to blame" {
	seep run -q -o more.seep -- "$JOB" 60 4000 500
	run -1 seep check --budget 100 --baseline "$T/ab.seep" more.seep
	[[ "$output" == *keep_a* && "$output" != *keep_b* && "$output" != *"  new"* ]]
}

@test "baselines that are none: 125" {
	echo '{}' >empty.json
	echo '{"schema": "seep-report/1"' >cut.json
	echo '{"schema": "seep-report/1", "verdict": 3,
		"sites": [1, {"verdict": "leak"}]}' >odd.json
	run -125 seep check --budget 0 --baseline "$T/few.seep" "$T/a.seep"
	[[ "$output" == *"has only 5 events; at least 10 are needed (--min-events)" ]]
	for file in empty.json cut.json odd.json nowhere . /dev/null; do
		run -125 seep check --budget 0 --baseline "$file" "$T/a.seep"
	done
	seep report --json "$T/a.seep" | jq '.run.event_source = "time"' >slices.json
	run -125 seep check --budget 0/s --baseline slices.json "$T/a.seep"
	[[ "$output" == *"they cannot be compared"* ]]
}

@test "baselines with bytes changed: a status, and no crash" {
	seep report --json "$T/ab.seep" >ab.json
	/usr/bin/python3 - <<-'END'
		import random
		random.seed(3)
		whole = open("ab.json", "rb").read()
		values = [b"null", b"-1", b"1e308", b'"x"', b"[]", b"{}", b"true", b"9" * 18]
		for i in range(80):
		    data = bytearray(whole)
		    for _ in range(1 + i % 4):
		        at = random.randrange(len(data))
		        if i % 2:
		            data[at] = random.randrange(256)
		        else:
		            colon = data.find(b": ", at)
		            end = data.find(b",", colon)
		            if 0 < colon < end:
		                data[colon + 2:end] = random.choice(values)
		    open(f"bad{i}.json", "wb").write(data)
	END
	for file in bad*.json; do
		run timeout 600 seep check --budget 100 --baseline "$file" "$T/ab.seep"
		[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 125 ]
	done
}

@test "suppressions: the site does not count, and is listed" {
	printf '# known\n\nkeep_a  # the index, bounded by the disk\n' >known
	run -0 --separate-stderr seep check --budget 1kB --suppress known "$T/ab.seep"
	[[ "${lines[0]}" == "PASS  the rate is 500 B/event "* ]]
	[[ "$output" == *"  also    3000 B/event in 1 suppressed site: keep_a"* ]]
	[ -z "$stderr" ]
	run -1 seep check --budget 100 --suppress known "$T/ab.seep"
	[[ "$output" =~ sites\ +2\ +keep_b\  ]]
	run -0 seep check --budget 0 --suppress known "$T/a.seep"
	[[ "${lines[0]}" == "PASS  there is no growth at all" ]]
}

@test "suppressions outside the heap" {
	gcc -g -x c -I"$SEEP_SOURCE/include" - -o maps <<-'END'
		#include <seep.h>
		#include <string.h>
		#include <sys/mman.h>
		static void map(size_t n)
		{
			int how = MAP_PRIVATE | MAP_ANONYMOUS;
			memset(mmap(0, n, PROT_READ | PROT_WRITE, how, -1, 0), 1, n);
		}
		__attribute__((noinline)) void map_more(void) { map(65536); }
		__attribute__((noinline)) void map_less(void) { map(16384); }
		int main(void)
		{
			for (int i = 0; i < 60; i++) {
				seep_event_begin(i);
				map_more();
				map_less();
			}
			return 0;
		}
	END
	seep run -q -o t.seep -- ./maps
	run -1 seep check --budget 1kB/event t.seep
	[[ "$output" == *": non-heap"*65.5*16.4* ]]
	echo map_more >known
	run -1 seep check --budget 1kB/event --suppress known t.seep
	[[ "${lines[0]}" == "FAIL  the rate is 16.4 kB/event "* ]]
	[[ "$output" == *"sites   2   map "* ]]
	run -0 seep check --budget 20kB/event --suppress known t.seep
	echo map_less >>known
	run -0 seep check --budget 1kB/event --suppress known t.seep
	[[ "$output" == *"  also    81.9 kB/event in 2 suppressed sites: "* ]]
}

@test "suppressions match any frame, by pattern or letter by letter" {
	for pattern in 'keep_*' 'ma?n' 'keep_[ab]' 'keep_a' 'main' '*'; do
		echo "$pattern" >known
		run -0 seep check --budget 600 --suppress known "$T/ab.seep"
	done
	for pattern in 'keep' 'keep_b' 'a' 'Main' '[x]' '['; do
		echo "$pattern" >known
		run -1 seep check --budget 600 --suppress known "$T/ab.seep"
	done
}

@test "suppressions that match nothing are told, and fail if that is wanted" {
	printf 'keep_a\nkeep_x\n  other::* # gone?\n' >known
	run -0 --separate-stderr seep check --budget 1kB --suppress known "$T/ab.seep"
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ "${stderr_lines[0]}" == "seep: warning: known:2: the suppression 'keep_x' matches "* ]]
	[[ "${stderr_lines[1]}" == *"known:3: the suppression 'other::*' "* ]]
	run -1 --separate-stderr seep check --budget 1kB --suppress known --strict-suppressions \
		"$T/ab.seep"
	[[ "${lines[0]}" == "FAIL  2 suppressions match nothing, and the rate is 500 B/event"* ]]
	echo keep_a >known
	run -0 seep check --budget 1kB --suppress known --strict-suppressions "$T/ab.seep"
	run -125 seep check --budget 1kB --suppress nowhere "$T/ab.seep"
	printf 'a\0b\n' >binary
	run -125 seep check --budget 1kB --suppress binary "$T/ab.seep"
}

@test "what is suppressed is not in the baseline either" {
	seep report --json "$T/ab.seep" >ab.json
	echo keep_a >known
	for baseline in "$T/ab.seep" ab.json; do
		run -0 seep check --budget 100 --suppress known --baseline "$baseline" "$T/b.seep"
		run -0 seep check --budget 100 --suppress known --baseline "$baseline" "$T/ab.seep"
		[[ "$output" =~ '  before  500'[.0]*' B/event' ]]
	done
	# The pattern matches in the baseline alone: it is of no use any more.
	run -0 --separate-stderr seep check --budget 100 --suppress known --baseline ab.json \
		"$T/b.seep"
	[[ "$stderr" == *"known:1: the suppression 'keep_a' matches no site that grows"* ]]
}

@test "git bisect run finds the commit that leaks, past one that does not build" {
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
	git init -q -b main repo
	cd repo
	git config user.name tester
	git config user.email tester@example.org
	for i in 1 2 3 4 5 6 7 8; do
		bytes=0
		[ "$i" -lt 6 ] || bytes=2000
		write_job job.c
		echo "#define VERSION $i" >>job.c
		sed -i "s/keep_a(i, a)/keep_a(i, a + $bytes)/; s/if (a)/if (a + $bytes)/" job.c
		[ "$i" -ne 4 ] || echo '#error does not build' >>job.c
		git add job.c
		git commit -q -m "version $i"
	done
	git bisect start HEAD HEAD~7 >log
	git bisect run sh -c "gcc -g -fno-builtin -I'$SEEP_SOURCE/include' job.c -o job || exit 125
		exec seep check --budget 1kB/event -- ./job 40 0 0" >>log 2>&1 || cat log
	git show -s --format=%s refs/bisect/bad >found
	[ "$(cat found)" = "version 6" ]
}

@test "CTest: passed, failed, skipped" {
	mkdir build
	cat >build/CTestTestfile.cmake <<-END
		add_test(flat seep check --budget 0 -- "$JOB" 60 0 0)
		add_test(leak seep check --budget 0 -- "$JOB" 60 3000 0)
		add_test(few seep check --budget 0 -- "$JOB" 5 0 0)
		set_tests_properties(flat leak few PROPERTIES SKIP_RETURN_CODE 125)
	END
	run ctest --test-dir build
	[ "$status" -ne 0 ]
	[[ "$output" =~ flat\ \.+\ +Passed ]]
	[[ "$output" =~ leak\ \.+\**Failed ]]
	[[ "$output" =~ few\ \.+\**Skipped ]]
}

@test "suspects are mentioned, and fail with --strict" {
	run -0 seep check --budget 0 "$T/rare.seep"
	[[ "$output" == *$'\n  also    1 site is suspect; it fails the check only with --strict'* ]]
	run -1 seep check --budget 0 --strict "$T/rare.seep"
	[[ "${lines[0]}" == "FAIL  1 site is suspect (--strict); "* ]]
	[[ "$output" == *$'\n  suspect '*" keep_c "*" 56 B x 3 "*"kept in only 3 events"* ]]
	[[ "$output" == *$'\nnext: seep report --site '* ]]
	run -0 seep check --budget 0 --strict "$T/flat.seep"
	[[ "$output" != *suspect* ]]
	run -1 seep check --budget 0 --strict "$T/a.seep"
	[[ "${lines[0]}" == "FAIL  the rate is "* ]]
	echo keep_c >known
	run -0 seep check --budget 0 --strict --suppress known "$T/rare.seep"
}

@test "--strict with a baseline: only new suspects fail" {
	seep report --json "$T/rare.seep" >rare.json
	for baseline in "$T/rare.seep" rare.json; do
		run -0 seep check --strict --baseline "$baseline" "$T/rare.seep"
	done
	seep report --json "$T/flat.seep" >flat.json
	for baseline in "$T/flat.seep" flat.json; do
		run -1 seep check --strict --baseline "$baseline" "$T/rare.seep"
	done
}

@test "--material: what is larger than that is a leak, if it is kept often enough" {
	RARE=1 seep run -q -o rare.seep -- "$JOB" 200 0 0
	run -0 seep check --budget 0 rare.seep
	[[ "$output" == "PASS  what is kept, "*" at most, is too little to matter"* ]]
	[[ "$output" == *"1 site is suspect; it fails the check only with --strict"* ]]
	run -1 seep check --budget 0 --material 100 rare.seep
	[[ "$output" == *"  sites   1 "*" keep_c "* ]]
	for size in 0 0B 1kB 1MiB; do
		run -0 seep check --budget 0 --material "$size" rare.seep
	done
	for size in x -1 1e3 '' 4kB/event; do
		run -125 seep check --budget 0 --material "$size" rare.seep
		[[ "$output" == *"--material: '$size' is not a size; write it as 4kB or 1MiB"* ]]
		run -125 seep report --material "$size" rare.seep
		run -125 seep run --material "$size" -- true
	done
	seep report --json --material 100 rare.seep |
		jq -e '.verdict.material_bytes == 100 and .verdict.kind == "leak"'
	export RARE=1
	run -0 --separate-stderr seep run -f -o rare.seep --material 100 -- "$JOB" 200 0 0
	[[ "$stderr" == *$'\nLEAK '* ]]
}
