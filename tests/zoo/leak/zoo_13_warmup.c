/* SPDX-License-Identifier: MIT */
/*
 * Tiles are loaded as they are needed, most of them in the first twentieth of the run;
 * they come to ten times what the forgotten route of every event adds up to.
 */
#include "work.h"

#define ROUTE_BYTES 480
#define TILE_BYTES 2000

static struct work_block *tiles;

static ZOO_SITE void load_tile(void)
{
	work_push(&tiles, zoo_touch(malloc(TILE_BYTES), TILE_BYTES));
}

static ZOO_SITE void *plan_route(void)
{
	return zoo_touch(calloc(1, ROUTE_BYTES), ROUTE_BYTES);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = ROUTE_BYTES,
				   .phase = "plan", .site = "plan_route" };
	long i, loaded = 0, n = zoo_start(argc, argv, 400), all = 10 * ROUTE_BYTES * n / TILE_BYTES;

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("load");
		work_read(i);
		for (; loaded < work_due(i + 1, (double)n / 20, all); loaded++)
			load_tile();
		seep_stamp("plan");
		work_handle(i);
		plan_route();
		seep_stamp("draw");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
