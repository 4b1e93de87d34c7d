/* SPDX-License-Identifier: MIT */
/* Objects pile up until the collector runs, every 15 to 40 events, and frees all of them. */
#include "work.h"

static struct work_block *objects;

static ZOO_SITE struct work_block *make_object(size_t bytes)
{
	return zoo_touch(malloc(sizeof(struct work_block) + bytes), bytes);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "sawtooth" }, .bytes_per_event = NAN };
	long i, k, made, n = zoo_start(argc, argv, 500), next = 15 + work_below(26);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("interpret");
		made = 40 + work_below(40);
		for (k = 0; k < made; k++)
			work_push(&objects, make_object(100 + (size_t)work_below(800)));
		work_handle(i);
		seep_stamp("collect");
		if (i == next) {
			work_free(&objects);
			next = i + 15 + work_below(26);
		}
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
