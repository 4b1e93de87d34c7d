#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Events on several threads: each thread has its own event and phase.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	SEEP=$SEEP_BUILD/bin/seep
	TRUTH=$SEEP_BUILD/tests/truth
	INCLUDE=$SEEP_SOURCE/include
}

# judge PROGRAM ARGUMENT...: records it; its truth is in truth.txt, the report in report.json
judge() {
	"$SEEP" run -qf -o t.seep -- "$@" >truth.txt
	"$SEEP" report --json t.seep >report.json
}

# holds PHASE DRIVER: a leak at one site, at the rate that the program tells, in this phase only;
# DRIVER is a counter, or -
holds() {
	/usr/bin/python3 - "$@" <<-'END'
		import json
		import sys

		phase, driver = sys.argv[1:]
		report = json.load(open("report.json"))
		truth = float(open("truth.txt").read())
		rate = report["verdict"]["rate"]
		assert report["verdict"]["kind"] == "leak", report["verdict"]["sentence"]
		assert rate["low"] * 0.99 <= truth <= rate["high"] * 1.01, (truth, rate)
		accused = [p["from"] for p in report["phases"] if p["accused"]]
		assert accused == [phase], report["phases"]
		leaks = [site for site in report["sites"] if site["verdict"] == "leak"]
		assert len(leaks) == 1, leaks
		drivers = [d["counter"] for d in report["drivers"]]
		assert drivers == ([] if driver == "-" else [driver]), drivers
	END
}

@test "events that overlap on 1, 4 and 16 threads: rate, phase, site and driver" {
	for threads in 1 4 16; do
		judge "$TRUTH/pool" "$threads" 300
		holds convert hits
	done
}

@test "helpers of a thread that marks the events are in its event and phase" {
	judge "$TRUTH/helpers" team 100
	holds work -
}

@test "an event moves to another thread by its slot" {
	judge "$TRUTH/helpers" moved 100
	holds work -
	/usr/bin/python3 -c 'import json
counters = json.load(open("report.json"))["run"]
assert counters["events"] == 100, counters'
}

@test "a thread that ends without an end ends its event" {
	# In 100 events, a few blocks of the loader for the last threads leave a doubt now and then.
	judge "$TRUTH/helpers" exit 400
	holds work -
}

@test "one thread that switches between its events" {
	judge "$TRUTH/helpers" mixed-slots 100
	holds second -
}

@test "events that overlap on one thread are told, and no phase is accused" {
	judge "$TRUTH/helpers" mixed 100
	run -0 "$SEEP" report t.seep
	[[ $output == *"note    events overlapped on one thread"* ]]
	[[ $output != *accused* ]]
	/usr/bin/python3 -c 'import json
phases = json.load(open("report.json"))["phases"]
assert not any(phase["accused"] for phase in phases), phases'
}

@test "an end may be left out on one thread, and be too much" {
	cat >ends.c <<-'END'
		#include <seep.h>
		#include <stdlib.h>
		#include <string.h>

		static void *volatile lost;

		int main(void)
		{
			seep_event_end();
			for (int i = 0; i < 100; i++) {
				seep_event_begin(i);
				seep_stamp("first");
				seep_stamp("second");
				lost = memset(malloc(500), 1, 500);
				seep_stamp("third");
				if (i % 3)
					seep_event_end();
			}
			seep_event_end();
			seep_event_end();
			return 0;
		}
	END
	cc -g -I "$INCLUDE" ends.c -o ends
	echo 500 >truth.txt
	"$SEEP" run -q -o t.seep -- ./ends
	"$SEEP" report --json t.seep >report.json
	holds second -
	run -0 "$SEEP" report t.seep
	[[ $output != *overlapped* ]]
}

# What binaries contain that were built with the header of earlier versions.
@test "a program that was built with an earlier header: no slots" {
	cat >early.c <<-'END'
		#include <pthread.h>
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>

		__attribute__((weak)) void seep_api_event_begin(int64_t index);
		__attribute__((weak)) void seep_api_event_end(void);
		__attribute__((weak)) void seep_api_stamp(const char *name);

		static void *volatile lost;

		static void *work(void *unused)
		{
			(void)unused;
			for (int i = 0; i < 100; i++) {
				seep_api_event_begin(i);
				seep_api_stamp("read");
				usleep(50);
				seep_api_stamp("work");
				lost = memset(malloc(700), 1, 700);
				usleep(50);
				seep_api_stamp("write");
				seep_api_event_end();
			}
			return NULL;
		}

		int main(void)
		{
			pthread_t threads[4];

			for (int i = 0; i < 4; i++)
				pthread_create(&threads[i], NULL, work, NULL);
			for (int i = 0; i < 4; i++)
				pthread_join(threads[i], NULL);
			puts("700");
			return 0;
		}
	END
	cc -g -fPIE -pthread early.c -o early
	judge ./early
	holds work -
}

@test "a program with slots works with an earlier seep, and with none" {
	cat >early_seep.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>

		void seep_api_event_begin(int64_t index) { printf("begin %d\n", (int)index); }
		void seep_api_event_end(void) { puts("end"); }
	END
	cat >slots.cc <<-'END'
		#include <seep.h>
		#include <cstdio>

		int main()
		{
			seep::event_scope event(5);

			std::printf("%d %d\n", event.slot(), seep_event_switch(3));
			return 0;
		}
	END
	cc -shared -fPIC early_seep.c -o early_seep.so
	for how in "-fPIE" "-fno-pie -no-pie"; do
		# shellcheck disable=SC2086 # flags
		c++ $how -I "$INCLUDE" slots.cc -o slots
		run -0 ./slots
		[ "$output" = "0 0" ]
		run -0 env LD_PRELOAD=./early_seep.so ./slots
		[ "$output" = "$(printf 'begin 5\n0 0\nend')" ]
	done
}

@test "a C++ scope ends its own event, whichever thread destroys it" {
	cat >scopes.cc <<-'END'
		#include <seep.h>
		#include <cstdio>
		#include <cstdlib>
		#include <cstring>
		#include <memory>
		#include <thread>

		static void *volatile lost;

		int main()
		{
			for (int i = 0; i < 100; i++) {
				auto event = std::make_unique<seep::event_scope>(i);

				seep_stamp("here");
				std::thread([&] {
					seep_event_switch(event->slot());
					seep_stamp("there");
					lost = std::memset(std::malloc(900), 1, 900);
					event.reset();
				}).join();
			}
			std::puts("900");
			return 0;
		}
	END
	c++ -g -std=c++17 -pthread -I "$INCLUDE" scopes.cc -o scopes
	judge ./scopes
	holds there -
}

@test "tasks of asyncio: each call finds the event of its own task" {
	cat >tasks.py <<-'END'
		import asyncio
		import seep

		kept = []

		async def handle(index):
		    with seep.event(index):
		        seep.stamp("read")
		        await asyncio.sleep(0)
		        seep.stamp("work")
		        kept.append(bytearray(20000))
		        await asyncio.sleep(0)
		        seep.stamp("write")
		        await asyncio.sleep(0)

		async def serve(first):
		    for index in range(first, 200, 4):
		        await handle(index)

		async def main():
		    await asyncio.gather(*(serve(first) for first in range(4)))

		asyncio.run(main())
	END
	PYTHONPATH=$SEEP_SOURCE/python "$SEEP" run -q -o t.seep -- /usr/bin/python3 tasks.py
	run -0 "$SEEP" report t.seep
	[[ $output == *"phase   work -> write"*accused* ]]
	[[ $output == *"tasks.py:11 in handle"*"20.0 kB x 1/event"* ]]
	[[ $output != *overlapped* ]]
}

@test "after thousands of events on threads, those that are written still say the truth" {
	cat >many.c <<-'END'
		#include <pthread.h>
		#include <seep.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>

		static void *volatile lost;

		static void *work(void *unused)
		{
			(void)unused;
			for (int i = 0; i < 5000; i++) {
				seep_event_begin(i);
				seep_stamp("read");
				free(memset(malloc(300), 1, 300));
				seep_stamp("work");
				lost = memset(malloc(2000), 1, 2000);
				seep_count("hits", 1);
				seep_stamp("write");
				seep_event_end();
			}
			return NULL;
		}

		int main(void)
		{
			pthread_t threads[4];

			for (int i = 0; i < 4; i++)
				pthread_create(&threads[i], NULL, work, NULL);
			for (int i = 0; i < 4; i++)
				pthread_join(threads[i], NULL);
			puts("2000");
			return 0;
		}
	END
	cc -g -fPIE -pthread -I "$INCLUDE" many.c -o many
	judge ./many
	holds work -
	run -0 "$SEEP" report --json t.seep
	[[ $output == *'"events": 20000,'* ]]
}
