/* SPDX-License-Identifier: MIT */
/* Geometry and tables, 7 MB, are read when the first event needs them. */
#include "mock.h"

#define TABLE_BYTES (5ul << 20)
#define NODE_BYTES 128
#define NODES 16384

static void *table, *nodes[NODES];

ZOO_SITE static void read_geometry(void)
{
	size_t i;

	table = zoo_touch(malloc(TABLE_BYTES), TABLE_BYTES);
	for (i = 0; i < NODES; i++)
		nodes[i] = zoo_touch(malloc(NODE_BYTES), NODE_BYTES);
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 300), i;

	mock_start();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_count("tracks", floor(200 * zoo_uniform()));
		seep_stamp("locate");
		if (!table)
			read_geometry();
		mock_scratch(20);
		seep_stamp("track");
		mock_session();
		mock_scratch(50);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){ .kinds = { "flat" }, .bytes_per_event = NAN });
	return 0;
}
