/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites made up by the life of their blocks: five are asked for in every event,
 * and each lives as long as the kind of site says.
 */
#ifndef SEEP_TESTS_FAKE_LIFE_H
#define SEEP_TESTS_FAKE_LIFE_H

#include "fake_run.h"
#include "noise.h"

struct life {
	const char *name;
	double leak;             /* part of the blocks that nobody frees */
	double mean;             /* mean age of the others, exponential; 0: freed in the event */
	double queue;            /* age at which the others die exactly, if not 0 */
	double keys;             /* a cache of this many keys in all, each kept for ever */
};

static const struct life lives[] = {
	{ "every block leaks", 1, 0, 0, 0 },
	{ "1 of 10 leaks, others freed at once", .1, 0, 0, 0 },
	{ "1 of 10 leaks, others live 3 events", .1, 3, 0, 0 },
	{ "freed in the event", 0, 0, 0, 0 },
	{ "lives 1 event in the mean", 0, 1, 0, 0 },
	{ "lives 5 events in the mean", 0, 5, 0, 0 },
	{ "queue of 2 events", 0, 0, 2, 0 },
	{ "queue of 10 events", 0, 0, 10, 0 },
	{ "cache of 100 keys", 0, 0, 0, 100 },
};

#define N_LIVES (sizeof(lives) / sizeof(*lives))

static inline struct seep_site *fake_life(struct fake *fake, const struct life *life, size_t n,
					  struct noise *noise)
{
	double *blocks = seep_arena_array(&fake->arena, n, sizeof(double)), known = 0;
	uint64_t *deaths = seep_arena_array(&fake->arena, n, sizeof(uint64_t));
	struct seep_site *site;
	size_t e, b;

	for (e = 0; e < n; e++)
		for (b = 0; b < 5; b++) {
			double age = INFINITY;

			if (life->keys > 0 && noise_uniform(noise) < known / life->keys)
				continue; /* seen before: no block */
			if (life->keys > 0)
				known++;
			else if (noise_uniform(noise) >= life->leak)
				age = life->queue > 0 ? life->queue
				    : floor(-life->mean * log(noise_uniform(noise)));
			if ((double)e + age >= (double)n)
				blocks[e]++;
			else
				deaths[(size_t)age]++;
		}
	site = fake_site(fake, n, blocks, 100);
	for (e = 0; e < n; e++)
		fake_deaths(site, e, deaths[e]);
	return site;
}

#endif
