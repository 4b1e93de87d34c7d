#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# seep report: text, JSON and one site; what it does with files that are none.

bats_require_minimum_version 1.5.0

setup_file() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE
	seep run -q -o hits.seep -- "$SEEP_BUILD/examples/hits" --events 40 >truth
}

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	HITS="$BATS_FILE_TMPDIR/hits.seep"
}

@test "verdict first, evidence next, next command last" {
	run seep report "$HITS"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" =~ ^LEAK\ \ 2\.[0-9]+\ MB/event\ \ \[2\.[0-9]+,\ 2\.[0-9]+\] ]]
	[[ "${lines[0]}" == *" over "*" events after "*" of warm-up" ]]
	[[ "$output" == *$'\n  phase   '*$'\n  sites   1 '*$'\n  driver  '* ]]
	[ "${lines[-1]}" = "next: seep report --site 1 $HITS" ]
}

@test "no line is wider than 100 columns, and there is no colour in a pipe" {
	TERM=xterm run seep report --all "$HITS"
	[[ "$output" != *$'\033'* ]]
	for line in "${lines[@]}"; do
		[[ "$line" == next:* ]] || [ ${#line} -le 100 ]
	done
}

@test "the newest trace is taken" {
	cp "$HITS" old.seep
	cp "$HITS" new.seep
	touch -d '2020-01-01' old.seep
	touch -d '2030-01-01' new.seep
	echo 'no trace' >newest.seep
	touch -d '2031-01-01' newest.seep
	run seep report
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "next: seep report --site 1 new.seep" ]
}

@test "JSON has every field of the schema" {
	seep report --json "$HITS" >report.json
	jq -e '.schema == "seep-report/1"' report.json
	jq -e '.run | has("command") and has("exe") and has("pid") and has("started")
		and has("wall_s") and has("events") and has("event_source") and has("exit")
		and has("complete")
		and (.tracker | has("bytes") and has("missed") and has("dropped"))
		and (.exit | has("code") and has("signal"))' report.json
	jq -e '.verdict | has("kind") and has("sentence") and has("series")
		and has("floor_bytes_per_event") and has("warmup_events") and has("events_needed")
		and (.rate | has("bytes_per_event") and has("low") and has("high")
			and has("confidence") and has("bytes_per_s"))
		and (.oom | has("limit_bytes") and has("limit_source") and has("seconds")
			and has("low") and has("high") and has("events"))' report.json
	jq -e '.sum | has("rss") and has("heap_live") and has("allocator_slack")
		and has("non_heap") and has("tracker") and has("residual")' report.json
	jq -e '[.phases[] | has("from") and has("to") and has("bytes_per_event") and has("low")
		and has("high") and has("share")] | all' report.json
	jq -e '[.drivers[] | has("counter") and has("bytes_per_unit") and has("low")
		and has("high") and has("r2") and has("proportional")] | all' report.json
	jq -e '[.sites[] | has("rank") and has("verdict") and has("bytes_per_event")
		and has("objects_per_event") and has("object_bytes") and has("live_bytes")
		and has("live_objects") and has("born") and has("died") and has("phase")
		and has("low") and has("high") and (.cohorts | has("first_event")
			and has("events_per_bin") and has("live_objects"))] | all' report.json
	jq -e '[.sites[] | .stack[], .freed_by[].stack[] | has("function") and has("file")
		and has("line") and has("module") and has("inlined") and has("language")]
		| all' report.json
	jq -e '[.sites[].freed_by[] | has("objects") and has("median_age_events")]
		| all' report.json
}

@test "JSON tells the run" {
	seep report --json "$HITS" >report.json
	jq -e '.run.events == 40 and .run.event_source == "api" and .run.complete' report.json
	jq -e '.run.command[1:] == ["--events", "40"] and .run.exit.code == 0' report.json
	jq -e '.run.exit.signal == null' report.json
	jq -e '.run.started | test("^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$")' report.json
	jq -e '[.phases[].share] | add | (. - 1) * . < 0.000001' report.json
	jq -e '[.sites[].rank] == [range(1; (.sites | length) + 1)]' report.json
	jq -e '[.sites[].cohorts.live_objects | add] | add > 0' report.json
}

@test "one site in full" {
	run seep report --site 1 "$HITS"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "site 1 of "*" LEAK "* ]]
	[[ "$output" == *"  blocks    384 B x "* ]]
	[[ "$output" == *"  phase     after QSim__simulate_TAIL"* ]]
	[[ "$output" == *"hits.cc:"* ]]
	[[ "$output" == *"  freed by  nothing in this run"* ]]
	[[ "$output" == *"survivors by event of allocation"* ]]
	[[ "${lines[-1]}" == "next: seep report --site 2 "* ]]
}

@test "one site in JSON" {
	seep report --json "$HITS" >report.json
	seep report --json --site 2 "$HITS" >site.json
	jq -e '.schema == "seep-site/1" and .rank == 2 and .notes == []' site.json
	jq -e --slurpfile report report.json '$report[0].sites_total == .sites_total and
		$report[0].sites[1] == del(.schema, .notes, .sites_total)' site.json
	run seep report --json --site 100000 "$HITS"
	[ "$status" -eq 125 ]
}

@test "the page of a site that is freed says so in its first line" {
	rank=$(seep report --json "$HITS" | jq '.sites[] |
		select(.stack[.own_frame].function | test("convertHit")) | .rank')
	run seep report --site "$rank" "$HITS"
	[[ "${lines[0]}" == *"  not accused: its blocks are freed, median age 1 event" ]]
}

@test "the page of a site that was cleaned up says of when its figures are" {
	seep run -q -o t.seep -- "$SEEP_BUILD/tests/truth/cleaned" >truth
	run seep report --site 1 t.seep
	[[ "$output" =~ '  as of     event '[0-9]+', before the clean-up at the end' ]]
	[[ "$output" =~ '  freed by (at the end)  '[0-9]+' of '[0-9]+' sampled frees, ' ]]
	run seep report --site 1 "$HITS"
	[[ "$output" != *"as of"* && "$output" != *"at the end"* ]]
}

@test "a limit that is exceeded already, and no interval for what ran for an instant" {
	seep run -q -o t.seep --limit 1 -- "$SEEP_BUILD/tests/truth/cleaned" >truth
	run seep report t.seep
	[[ "$output" == *$'\n  OOM     already above the limit (1 B, --limit)\n'* ]]
	run seep report "$HITS"
	if jq -e '.run.wall_s < 1' <<<"$(seep report --json "$HITS")"; then
		[[ "$output" =~ $'\n  OOM     in about '[^[]*' (limit ' ]]
	fi
}

@test "two counters that say the same are both named, and that they cannot be told apart" {
	gcc -g -x c -I"$SEEP_SOURCE/include" - -o twins <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		void *volatile kept;
		int main(void)
		{
			for (int i = 0; i < 40; i++) {
				int hits = 100 + i * 13 % 31;
				seep_event_begin(i);
				for (int k = 0; k < hits; k++)
					kept = malloc(48);
				seep_count("hits", hits);
				seep_count("photons", 3 * hits);
				seep_event_end();
			}
			return 0;
		}
	END
	seep run -q -o t.seep -- ./twins
	seep report --json t.seep >report.json
	jq -e '[.drivers[] | .counter] | sort == ["hits", "photons"]' report.json
	jq -e '[.drivers[] | .transform == null and .and == null and .proportional] | all' \
		report.json
	run seep report t.seep
	[[ "$output" =~ $'\n  driver  hits: 48'(.0)?' B each  ['.*']  proportional'$'\n' ]]
	[[ "$output" =~ $'\n  driver  photons: 16'(.0)?' B each  ['.*']  proportional'$'\n' ]]
	[[ "$output" == *$'\n          hits or photons: not separable in this run\n'* ]]
}

@test "run it longer: without the command, as its options are not in the trace" {
	gcc -g -x c -I"$SEEP_SOURCE/include" - -o few <<-'END'
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
	seep run -q -o t.seep --sample 64kB -- ./few
	run seep report t.seep
	[ "${lines[-1]}" = "next: run it longer, with at least 8 events" ]
}

@test "a program that was rebuilt or is gone: a note says why there are no names" {
	gcc -g -x c -I"$SEEP_SOURCE/include" - -o prog <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		int main(void)
		{
			for (int i = 0; i < 40; i++) {
				seep_event_begin(i);
				if (!malloc(1000))
					return 1;
			}
			return 0;
		}
	END
	seep run -q -o prog.seep -- ./prog
	run seep report prog.seep
	[[ "$output" == *" main "* && "$output" != *"  note  "* ]]
	names=$(/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" prog.seep |
		awk '$2 == "TEXTS" { print $1; exit }')
	truncate -s "$names" prog.seep # as if seep run had been killed before it stored them
	echo 'int main(void) { return 3; }' | gcc -x c - -o prog
	run seep report prog.seep
	note="prog was rebuilt after this run: its function names are not available"
	[ "$(grep -c "^  note    $note\$" <<<"$output")" -eq 1 ]
	run seep report --site 1 prog.seep
	[[ "$output" == *"  note      $note"$'\nnext: '* ]]
	seep report --json prog.seep | jq -e --arg note "$note" '.run.notes == [$note]'
	seep report --json --site 1 prog.seep | jq -e --arg note "$note" '.notes == [$note]'
	rm prog
	run seep report prog.seep
	[[ "$output" == *"  note    prog was removed after this run: its function names "* ]]
}

@test "time slices are not called events on the page of a site" {
	gcc -g -x c - -o grow <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		int main(void)
		{
			for (int i = 0; i < 300; i++) {
				if (!malloc(2000))
					return 1;
				usleep(1000);
			}
			return 0;
		}
	END
	seep run -q -e time:10ms -o grow.seep -- ./grow
	run seep report --site 1 grow.seep
	[[ "$output" == *"/s  ["*"survivors by time of allocation"* ]]
	[[ "$output" != *event* ]]
	run seep report --explain grow.seep
	[[ "$output" == *" per second"* ]]
	[[ "$output" == *$'\n  how     decided by rule '*"?"*"Yes: "* ]]
	[[ "$output" != *event* && "$output" != *slice* ]]
}

@test "a report of very many sites has an end" {
	gcc -g -O0 -x c - -I"$SEEP_SOURCE/include" -o many <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		static void zero(int path, int depth);
		static void one(int path, int depth)
		{
			if (depth)
				(path & 1 ? one : zero)(path >> 1, depth - 1);
			else if (!malloc(100))
				exit(1);
		}
		static void zero(int path, int depth)
		{
			(path & 1 ? one : zero)(path >> 1, depth - 1);
		}
		int main(void)
		{
			for (int i = 0; i < 20; i++) {
				seep_event_begin(i);
				for (int path = 0; path < 16384; path++)
					one(path | 8192, 14);
				seep_event_end();
			}
			return 0;
		}
	END
	seep run -q -o many.seep -- ./many
	seep report --json --all many.seep > report.json
	jq -e '.sites_total > 6000 and (.sites | length) == 5000' report.json
	seep report --json many.seep > report.json
	jq -e '(.sites | length) == 5000' report.json
}

@test "sites that are not there" {
	run seep report --site 100000 "$HITS"
	[ "$status" -eq 125 ]
	[[ "$output" == *"there is no site 100000"* ]]
	for bad in 0 -1 no_such_function '(' ''; do
		run seep report --site "$bad" "$HITS"
		[ "$status" -eq 125 ]
	done
}

@test "no trace to read: 125 and a way out" {
	run seep report
	[ "$status" -eq 125 ]
	[[ "$output" == *"seep run -- CMD"* ]]
	run seep report nowhere.seep
	[ "$status" -eq 125 ]
	echo text >text
	for file in text /dev/null . "$SEEP_BUILD/bin/seep"; do
		run seep report "$file"
		[ "$status" -eq 125 ]
		[[ "$output" == seep:* ]]
	done
	run seep report a b
	[ "$status" -eq 125 ]
}

@test "a full disk or a closed output is not a success" {
	[ -w /dev/full ] || skip "no /dev/full"
	run bash -c "seep report '$HITS' >/dev/full"
	[ "$status" -eq 125 ]
	[[ "$output" == *"could not be written"* ]]
	run bash -c "seep report --json '$HITS' >&-"
	[ "$status" -eq 125 ]
}

@test "a trace cut anywhere is read as far as it goes" {
	bytes=$(stat -c %s "$HITS")
	for part in 2 3 5 8 13 21 34 55 89; do
		head -c $((bytes * part / 100)) "$HITS" >cut.seep
		run seep report --json cut.seep
		[ "$status" -eq 0 ] || [ "$status" -eq 125 ]
		if [ "$status" -eq 0 ]; then
			jq -e '.schema' <<<"$output" >/dev/null
		fi
		run seep report --all cut.seep
		[ "$status" -eq 0 ] || [ "$status" -eq 125 ]
	done
}

@test "a damaged trace neither crashes nor hangs" {
	bytes=$(stat -c %s "$HITS")
	for seed in $(seq 30); do
		cp "$HITS" bad.seep
		chmod u+w bad.seep
		RANDOM=$seed
		for _ in 1 2 3 4 5; do
			at=$((RANDOM * 32768 + RANDOM))
			# shellcheck disable=SC2059 # the byte is the format
			printf "\\x$(printf %x $((RANDOM % 256)))" |
				dd of=bad.seep bs=1 seek=$((at % bytes)) conv=notrunc status=none
		done
		for how in --all --json '--site 1'; do
			# shellcheck disable=SC2086 # two words
			run timeout 600 "$SEEP_BUILD/bin/seep" report $how bad.seep
			[ "$status" -eq 0 ] || [ "$status" -eq 125 ]
		done
	done
}

@test "names cannot drive the terminal" {
	cat >evil.c <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		static void *kept[64];
		int main(void)
		{
			for (int i = 0; i < 40; i++) {
				seep_event_begin(i);
				seep_stamp("\033[2Jfirst\nLEAK");
				kept[i] = malloc(1000);
				seep_stamp("\xff\xfe\u202e");
				seep_count("\033]0;title\007", 1 + i % 3);
				seep_event_end();
			}
			return !kept[0];
		}
	END
	gcc -g -O0 -I"$SEEP_SOURCE/include" evil.c -o evil
	seep run -q -o evil.seep -- ./evil
	for how in '' --all '--site 1'; do
		# shellcheck disable=SC2086 # nothing, one word or two
		run seep report $how evil.seep
		[ "$status" -eq 0 ]
		[ -z "$(tr -d '\n[:print:]' <<<"$output" | tr -d '\200-\377')" ]
	done
	seep report evil.seep | grep -q 'first.*LEAK -> '
	seep report --json evil.seep | jq -e '[.phases[].from] | any(test("first"))'
}

@test "a large file of another kind is refused by its first bytes" {
	truncate -s 20G large
	run /usr/bin/python3 -c 'import resource, subprocess, sys
status = subprocess.run(["seep", "report", "large"]).returncode
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.exit(status if most < 1000000 else f"it took {most} kB")'
	[ "$status" -eq 125 ]
	[[ "$output" == *"large: neither a trace nor"*"it looks like zeros"* ]]
}

# Two sites keep blocks in 3 of 60 events each.
rare() {
	gcc -g -O0 -x c - -I"$SEEP_SOURCE/include" -o rare <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		static void *kept[64];
		int main(void)
		{
			for (int i = 0; i < 60; i++) {
				seep_event_begin(i);
				free(malloc(1000));
				if (i % 20 == 9)
					kept[i] = malloc(56);
				if (i % 20 == 13)
					kept[i] = malloc(100);
				seep_event_end();
			}
			return 0;
		}
	END
	seep run -q -f -o rare.seep -- ./rare
}

@test "suspects: what they keep, why they are not accused, what would settle it" {
	rare
	run seep report rare.seep
	[[ "${lines[0]}" == FLAT* ]]
	[[ "$output" == *$'\n  suspect '*" main "*" 100 B x 3 "*"; about "*" would settle it"* ]]
	[[ "$output" == *" 56 B x 3 "*"kept in only 3 events; about "*" more would settle it"* ]]
	rank=$(awk '$1 == "suspect" { print $2 }' <<<"$output")
	run seep report --site "$rank" rare.seep
	[[ "${lines[0]}" == "site $rank of "*"  SUSPECT  "* ]]
	[[ "${lines[1]}" == "  doubt     "*" would settle it" ]]
	seep report --json rare.seep >report.json
	jq -e '.verdict.kind == "flat" and .verdict.material_bytes == 4096' report.json
	jq -e '.verdict.rule | type == "string" and length > 0' report.json
	jq -e '.verdict | .suspects_total == 2 and (.suspects | length) == 2' report.json
	jq -e '[.verdict.suspects[].bytes] == [300, 168]' report.json
	jq -e '.verdict.suspects[1] | .objects == 3 and .reason == "few" and .events_needed > 60
		and .bytes_per_event.low < .bytes_per_event.value
		and .bytes_per_event.value < .bytes_per_event.high
		and (.label | test("^main \\(.*:[0-9]+\\)$"))' report.json
	jq -e '[.verdict.suspects[].rank as $rank | .sites[$rank - 1].verdict == "suspect"] | all' \
		report.json
}

# leak NAME FLAG...: builds a program with one leak, in function leak_here, and records it
leak() {
	cat >leak.c <<-'END'
		#include "seep.h"
		#include <stdlib.h>
		static void *keep[64];
		__attribute__((noinline)) static void leak_here(int i) { keep[i] = malloc(5000); }
		int main(void)
		{
			for (int i = 0; i < 60; i++) {
				seep_event_begin(i);
				leak_here(i);
				seep_event_end();
			}
			return !keep[0];
		}
	END
	gcc -O0 -I "$SEEP_SOURCE/include" "${@:2}" leak.c -o "$1" -L "$SEEP_BUILD/lib" -lseep \
		-Wl,-rpath,"$SEEP_BUILD/lib"
}

# reports: the report has the name of the function, from the symbols, and does not wait
reports() {
	timeout 60 seep report t.seep >report.txt
	grep -q '^  sites   1   leak_here ' report.txt
}

@test "a debug file that is a FIFO or a device holds no report up" {
	local id held=
	leak linked -g
	objcopy --only-keep-debug linked linked.debug
	objcopy --strip-debug --add-gnu-debuglink=linked.debug linked
	seep run -q -o t.seep -- ./linked
	reports
	grep -q 'leak.c:4' report.txt
	for place in linked.debug .debug/linked.debug; do
		rm -rf linked.debug .debug
		mkdir .debug
		mkfifo "$place"
		reports
		rm "$place"
		ln -s /dev/ptmx "$place"
		reports
	done
	rm -rf .debug linked.debug t.seep

	leak split -g -gsplit-dwarf
	seep run -q -o t.seep -- ./split
	reports
	grep -q 'leak.c:4' report.txt
	for unit in *.dwo; do
		rm "$unit"
		mkfifo "$unit"
	done
	reports
	rm t.seep

	# The one with a supplementary file, which dwz makes.
	leak shared -g
	printf 'shared.alt\0%020d' 1 >alternate
	objcopy --add-section .gnu_debugaltlink=alternate shared
	mkfifo shared.alt
	timeout 60 seep run -q -o t.seep -- ./shared
	reports
	rm t.seep

	[ "$(id -u)" -eq 0 ] || skip "the rest needs root"
	leak hashed -g0 -Wl,--build-id=0x5ee9000000000000000000000000000000001234
	seep run -q -o t.seep -- ./hashed
	id=/usr/lib/debug/.build-id/5e
	mkdir -p "$id"
	mkfifo "$id/e9000000000000000000000000000000001234.debug"
	reports || held=1
	rm "$id/e9000000000000000000000000000000001234.debug"
	rmdir --ignore-fail-on-non-empty "$id"
	[ -z "$held" ]
}
