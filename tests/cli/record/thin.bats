#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Very many events: the trace stays small, and says the same.

setup() {
	PATH="$SEEP_BUILD/bin:$SEEP_BUILD/tests/truth:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
}

# truth WORD...: the number behind these words
truth() {
	sed -n "s/^truth $* //p" truth.txt
}

@test "300000 events: rate, sites, phases and driver are the program's own" {
	seep run -q -o t.seep -- marathon 300000 >truth.txt
	# all of them would be 178 MB
	[ "$(stat -c %s t.seep)" -lt 24000000 ]
	seep report --json --all t.seep >report.json
	/usr/bin/python3 "$SEEP_SOURCE/tests/truth/compare.py" report.json truth.txt
	jq -e '.run.events == 300000 and .run.complete and .run.damaged == 0' report.json
	jq -e --argjson truth "$(truth bytes_per_event)" '.verdict.kind == "leak" and
		(.verdict.rate | .low <= $truth and $truth <= .high and
		.high - .low < 0.01 * $truth)' report.json
	jq -e --argjson truth "$(truth share simulate)" '[.phases[] |
		select(.from == "simulate")][0].share - $truth | fabs < 1e-4' report.json
	jq -e '.drivers | length == 1 and .[0].counter == "hits" and
		(.[0].bytes_per_unit - 64 | fabs < 1e-3)' report.json
	seep report t.seep | tr -s ' \n' ' ' | grep -q 'steps of 64 events each'
}

@test "which events are whole is left to chance, and each of those is whole" {
	seep run -q -o t.seep -- marathon 100000 >truth.txt
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep >dump
	# one of 64 events has a burst: not none of those that are seen, and not each of them
	awk '$2 == "STAMP" {
		for (i = 3; i <= NF; i++) {
			split($i, pair, "=")
			field[pair[1]] = pair[2]
		}
		begins = field["flags"] % 2
		part = int(field["flags"] / 32) % 2
		if (begins && n && stamps != 5)
			bad++
		if (begins) {
			n = !part
			stamps = 0
			whole += n && field["event"] > 4096
			burst += n && field["event"] > 4096 && (field["event"] - 1) % 64 == 0
		} else {
			stamps++
			bad += !n || field["event"] != event
		}
		event = field["event"]
	}
	END {
		print whole, burst, bad + 0
		exit !(whole > 10000 && burst > whole / 128 && burst < whole / 32 && !bad)
	}' dump
}

@test "up to 4096 events every one is written" {
	seep run -q -o t.seep -- marathon 4096 >truth.txt
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep >dump
	[ "$(grep -c ' STAMP ' dump)" -eq $((4096 * 6)) ]
	[ "$(grep -c ' COUNT ' dump)" -eq $((4096 * 2)) ]
	[ "$(grep -c ' THIN ' dump)" -eq 0 ]
}

@test "counters of events that are not written are in the sums, to the last one" {
	seep run -q -o t.seep -- marathon 50000 >truth.txt
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep >dump
	# slices of time count as events before the program marks its own
	first=$(sed -n 's/.* STAMP .* event=\([0-9]*\) .*/\1/p' dump | head -1)
	grep ' THIN ' dump | tail -1 | grep -q "event=$((first + 49999)) "
	hits=$(sed -n 's/.* NAME .*id=\([0-9]*\) .*hits.*/\1/p' dump)
	[ "$(sed -n "s/.* COUNT .*value=\([0-9.]*\) .*name=$hits\$/\1/p" dump |
		awk '{ sum += $1 } END { print sum * 64 }')" -eq "$(
		sed -n 's/^truth site keep_node .* bytes //p' truth.txt)" ]
}

@test "after kill -9 it is known how many events there were" {
	cat >dies.c <<-'END'
		#include <seep.h>
		#include <signal.h>
		#include <stdlib.h>
		void *volatile kept;
		int main(void)
		{
			for (int i = 0; i < 70001; i++) {
				seep_event_begin(i);
				kept = malloc(100);
				seep_event_end();
			}
			raise(SIGKILL);
		}
	END
	gcc -g -I "$SEEP_SOURCE/include" dies.c -o dies
	seep run -q -o t.seep -- ./dies || [ $? -eq 137 ]
	seep report --json t.seep >report.json
	jq -e '.run.events == 70001 and .run.killed and .verdict.kind == "leak" and
		(.verdict.rate.bytes_per_event - 100 | fabs < 0.01)' report.json
}

@test "a forked child starts with every event again" {
	cat >forks.c <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		void *volatile kept;
		static void work(int events)
		{
			for (int i = 0; i < events; i++) {
				seep_event_begin(i);
				kept = malloc(100);
				seep_count("n", 2);
				seep_event_end();
			}
		}
		int main(void)
		{
			work(10001);
			if (!fork()) {
				work(50);
				exit(0);
			}
			wait(NULL);
			work(9999);
			return 0;
		}
	END
	gcc -g -I "$SEEP_SOURCE/include" forks.c -o forks
	seep run -q -o t.seep -- ./forks
	jq -e '.run.events == 20000' <<<"$(seep report --json t.seep)"
	jq -e '.run.events == 50 and .verdict.kind == "leak"' <<<"$(seep report --json t.seep.*)"
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep.* >dump
	[ "$(grep -c ' COUNT .*value=2 ' dump)" -eq 50 ]
}
