/* SPDX-License-Identifier: MIT */
/* After two fifths of the run somebody switches tracing on, and spans are kept from then on. */
#include "work.h"

#define SPAN_BYTES 1200

struct span {
	struct span *parent;
	long event;
	char name[SPAN_BYTES - 2 * sizeof(long)];
};

static struct span *last_span;

static ZOO_SITE struct span *open_span(long event)
{
	struct span *span = zoo_touch(malloc(sizeof(*span)), sizeof(*span));

	span->parent = last_span;
	span->event = event;
	return span;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = SPAN_BYTES,
				   .phase = "handle", .site = "open_span" };
	long i, n = zoo_start(argc, argv, 400);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("handle");
		if (5 * i >= 2 * n)
			last_span = open_span(i);
		work_handle(i);
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
