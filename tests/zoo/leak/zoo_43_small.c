/* SPDX-License-Identifier: MIT */
/* Sixteen bytes per event, below RSS noise of 10 MB, in 50 events. */
#include "work.h"

#define TICKET_BYTES 16

static ZOO_SITE long *draw_ticket(long number)
{
	long *ticket = zoo_touch(malloc(TICKET_BYTES), TICKET_BYTES);

	*ticket = number;
	return ticket;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = TICKET_BYTES,
				   .phase = "accept", .site = "draw_ticket" };
	long i, sum = 0, n = zoo_start(argc, argv, 50);

	work_map_scratch(80 << 20);
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("accept");
		sum += *draw_ticket(i);
		seep_stamp("read");
		work_read(i);
		work_use_scratch(40e6 + 10e6 * work_normal());
		seep_stamp("handle");
		work_handle(i);
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	printf("sum %ld\n", sum);
	zoo_tell(&truth);
	return 0;
}
