/* SPDX-License-Identifier: MIT */
/*
 * A timer that is due every millisecond leaves 200 bytes each time, whatever goes on.
 * Events take from .3 to 10 ms, so they do not tell how much: time does.
 */
#include "work.h"

#define TICK_NS 1000000
#define SAMPLE_BYTES 200

static ZOO_SITE void *take_sample(void)
{
	return zoo_touch(malloc(SAMPLE_BYTES), SAMPLE_BYTES);
}

static long run_timers(int64_t *due)
{
	int64_t now = work_now_ns();
	long n = 0;

	for (; *due <= now; *due += TICK_NS) {
		take_sample();
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .phase = "timers", .site = "take_sample",
				   .drivers = { "time", "seconds", "wall time" } };
	long i, ticks = 0, n = zoo_start(argc, argv, 400);
	int64_t due = work_now_ns() + TICK_NS;

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("wait");
		work_sleep_us(exp(log(100) + zoo_uniform() * log(100)));
		seep_stamp("timers");
		ticks += run_timers(&due);
		seep_stamp("handle");
		work_read(i);
		work_handle(i);
		work_write(i);
		seep_event_end();
	}
	truth.bytes_per_event = (double)ticks * SAMPLE_BYTES / (double)n;
	zoo_tell(&truth);
	return 0;
}
