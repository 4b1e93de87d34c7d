/* SPDX-License-Identifier: MIT */
/* Records are compacted, the hot ones first: RSS grows with the logarithm of the events. */
#include "store.h"

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "fragmentation" }, .bytes_per_event = NAN };
	long i, done = 0, due, n = zoo_start(argc, argv, 400);
	double pace = 20.0 / (double)n;

	work_settle();
	store_fill();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("query");
		work_read(i);
		work_handle(i);
		seep_stamp("compact");
		due = (long)(STORE_GROUPS / 2 * log1p(pace * (double)(i + 1)) / log1p(20));
		for (; done < due && done < STORE_GROUPS / 2; done++)
			store_compact(done);
		seep_stamp("answer");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
