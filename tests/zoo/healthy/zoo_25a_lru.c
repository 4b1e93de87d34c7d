/* SPDX-License-Identifier: MIT */
/*
 * A cache that drops what was not used for longest.  It is full after .08 of the run,
 * and stays so.
 */
#include "work.h"

#define MISSES 5                 /* new entries per event */
#define LOOKUPS 10

/* Variants of this program have other ones. */
#ifndef FULL
#define FULL .08
#define KINDS { "cache", "flat" }
#endif

struct entry {
	struct entry *newer, *older;
	char value[];
};

static struct entry ring = { &ring, &ring }; /* its older one is the newest, and so on */
static long used;

static ZOO_SITE struct entry *make_entry(size_t bytes)
{
	return zoo_touch(malloc(sizeof(struct entry) + bytes), bytes);
}

static void take_out(struct entry *entry)
{
	entry->newer->older = entry->older;
	entry->older->newer = entry->newer;
}

static void put_first(struct entry *entry)
{
	entry->newer = &ring;
	entry->older = ring.older;
	ring.older->newer = entry;
	ring.older = entry;
}

static void insert(long capacity)
{
	struct entry *oldest = ring.newer;

	if (used == capacity) {
		take_out(oldest);
		free(oldest);
		used--;
	}
	put_first(make_entry(150 + (size_t)work_below(400)));
	used++;
}

/* Most of what is asked for again is rather new. */
static void look_up(void)
{
	double u = zoo_uniform();
	long k, n = (long)((double)used * u * u * u);
	struct entry *entry = ring.older;

	for (k = 0; k < n; k++)
		entry = entry->older;
	take_out(entry);
	put_first(entry);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = KINDS, .bytes_per_event = NAN };
	long i, k, n = zoo_start(argc, argv, 500), capacity = (long)(FULL * (double)n) * MISSES;

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("cache");
		for (k = 0; k < MISSES; k++)
			insert(capacity);
		for (k = 0; k < LOOKUPS; k++)
			look_up();
		seep_stamp("answer");
		work_handle(i);
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
