/* SPDX-License-Identifier: MIT */
/* A server in its steady state: the heap stays, RSS has white noise of 200 kB. */
#include "work.h"

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "flat" }, .bytes_per_event = NAN };
	long i, n = zoo_start(argc, argv, 400);

	work_map_scratch(4 << 20);
	work_settle();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("handle");
		work_handle(i);
		work_use_scratch(2e6 + 2e5 * work_normal());
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
