/* SPDX-License-Identifier: MIT */
/* A page of history is written per event, and put on a list that nobody reads. */
#include "work.h"

#define PAGE_BYTES 4088          /* 4096 with what malloc adds: so much RSS */

static struct work_block *pages;

static ZOO_SITE void add_page(void)
{
	work_push(&pages, zoo_touch(malloc(PAGE_BYTES), PAGE_BYTES));
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = PAGE_BYTES,
				   .phase = "commit", .site = "add_page" };
	long i, n = zoo_start(argc, argv, 300);

	work_map_scratch(2 << 20);
	work_settle();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("begin");
		work_read(i);
		work_use_scratch(1e6 + 1e5 * work_normal());
		seep_stamp("change");
		work_handle(i);
		seep_stamp("commit");
		add_page();
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
