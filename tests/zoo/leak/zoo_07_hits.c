/* SPDX-License-Identifier: MIT */
/*
 * A detector: 60 bytes for each of some 36000 hits of an event stay.  Tracks are counted,
 * too, and have nothing to do with it.
 */
#include "work.h"

#define HIT_BYTES 60
#define HITS 36000

struct hit {
	struct hit *next;
	float where[4];
};

static struct hit *collection;

static ZOO_SITE void add_hit(long i)
{
	struct hit *hit = zoo_touch(malloc(HIT_BYTES), sizeof(*hit));

	hit->where[0] = (float)i;
	hit->next = collection;
	collection = hit;
}

/* Counts them and forgets them. */
static long digitise(void)
{
	long n = 0;

	for (; collection; collection = collection->next)
		n++;
	return n;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = HIT_BYTES * HITS,
				   .phase = "simulate", .site = "add_hit",
				   .drivers = { "hits" } };
	long i, k, hits, digits = 0, n = zoo_start(argc, argv, 60);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("generate");
		work_read(i);
		seep_stamp("simulate");
		hits = work_poisson(HITS);
		for (k = 0; k < hits; k++)
			add_hit(k);
		seep_count("hits", (double)hits);
		seep_count("tracks", (double)work_poisson(400));
		seep_stamp("digitise");
		work_handle(i);
		digits += digitise();
		seep_stamp("store");
		work_write(i);
		seep_event_end();
	}
	printf("%ld digits\n", digits);
	zoo_tell(&truth);
	return 0;
}
