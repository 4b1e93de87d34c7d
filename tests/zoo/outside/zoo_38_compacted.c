/* SPDX-License-Identifier: MIT */
/* As many records are compacted in each event, until after .6 of the run all are. */
#include "store.h"

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "fragmentation" }, .bytes_per_event = NAN };
	long i, done = 0, due, n = zoo_start(argc, argv, 400);

	work_settle();
	store_fill();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("query");
		work_read(i);
		work_handle(i);
		seep_stamp("compact");
		due = (i + 1) * (STORE_GROUPS / 2) * 5 / (3 * n);
		for (; done < due && done < STORE_GROUPS / 2; done++)
			store_compact(done);
		seep_stamp("answer");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
