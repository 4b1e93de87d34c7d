/* SPDX-License-Identifier: MIT */
/*
 * A working set that wanders: RSS is autoregressive (.98) with a spread of 2 MB, the heap
 * stays.  It may be left undecided below a thousand events.
 */
#include "work.h"

#define SPREAD 2e6
#define MEMORY .98

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "flat" }, .bytes_per_event = NAN };
	long i, n = zoo_start(argc, argv, 500);
	double wander = SPREAD * work_normal();

	if (n < 1000)
		truth.kinds[1] = "undecided";
	work_map_scratch(32 << 20);
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("load");
		work_read(i);
		wander = MEMORY * wander + sqrt(1 - MEMORY * MEMORY) * SPREAD * work_normal();
		work_use_scratch(16e6 + wander);
		seep_stamp("evaluate");
		work_handle(i);
		seep_stamp("store");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
