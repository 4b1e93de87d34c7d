/* SPDX-License-Identifier: MIT */
/*
 * A simulation whose hits, 2.2 MB of them in an event, are copied for the reset to free, and
 * the reset forgets them.
 */
#include "mock.h"

#define HIT_BYTES 4000
#define MEAN_BYTES 2197e3
#define SPREAD_BYTES 48e3

struct hits {
	size_t n;
	void *all[1024];
};

static struct hits collection;

ZOO_SITE static void copy_hits(double bytes)
{
	collection.n = 0;
	while ((double)collection.n * HIT_BYTES < bytes - HIT_BYTES / 2. && collection.n < 1024)
		collection.all[collection.n++] = zoo_touch(malloc(HIT_BYTES), HIT_BYTES);
}

static void reset(void)
{
	collection.n = 0;
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 80), i;

	mock_start();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_count("primaries", 1000);
		seep_stamp("simulate_HEAD");
		mock_session();
		mock_scratch(60);
		mock_think(20);
		seep_stamp("simulate_TAIL");
		copy_hits(MEAN_BYTES + SPREAD_BYTES * mock_normal());
		seep_stamp("reset");
		reset();
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){
		.kinds = { "leak" }, .bytes_per_event = MEAN_BYTES,
		.phase = "simulate_TAIL", .site = "copy_hits",
	});
	return 0;
}
