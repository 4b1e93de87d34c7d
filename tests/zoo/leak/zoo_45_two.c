/* SPDX-License-Identifier: MIT */
/*
 * Two leaks, 3:1, at two sites in two phases.  A line of its own tells both:
 *
 *	zoo-sites {"keep_report": 0.75, "keep_warning": 0.25}
 */
#include "work.h"

#define REPORT_BYTES 600
#define WARNING_BYTES 200

static ZOO_SITE void *keep_report(void)
{
	return zoo_touch(malloc(REPORT_BYTES), REPORT_BYTES);
}

static ZOO_SITE void *keep_warning(void)
{
	return zoo_touch(malloc(WARNING_BYTES), WARNING_BYTES);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" },
				   .bytes_per_event = REPORT_BYTES + WARNING_BYTES,
				   .phase = "report", .site = "keep_report" };
	long i, n = zoo_start(argc, argv, 200);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("check");
		work_read(i);
		keep_warning();
		seep_stamp("handle");
		work_handle(i);
		seep_stamp("report");
		keep_report();
		work_write(i);
		seep_event_end();
	}
	puts("zoo-sites {\"keep_report\": 0.75, \"keep_warning\": 0.25}");
	zoo_tell(&truth);
	return 0;
}
