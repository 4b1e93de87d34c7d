/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A made-up heap, block by block: what each site has alive, by event of birth, how old the
 * others became, and the level that follows from both.  Behind cmocka.h and fake_test.h.
 */
#ifndef SEEP_TESTS_FAKE_BLOCKS_H
#define SEEP_TESTS_FAKE_BLOCKS_H

#include "fake_run.h"

#define FAKE_EVENTS 400
#define FAKE_NEVER FAKE_EVENTS

struct blocks {
	size_t n;                /* events */
	double unit;             /* all sizes are multiplied by it */
	double level[FAKE_EVENTS]; /* at the start of each event */
	double alive[FAKE_EVENTS], died[FAKE_EVENTS]; /* of the site that is being made */
	double growth[FAKE_EVENTS];
};

static inline void blocks_start(struct blocks *b, size_t n, double level, double unit)
{
	size_t e;

	memset(b, 0, sizeof(*b));
	b->n = n;
	b->unit = unit;
	for (e = 0; e < n; e++)
		b->level[e] = level * unit;
}

/* So many blocks are born in one event and freed in another, or never. */
static inline void blocks_add(struct blocks *b, double count, size_t birth, size_t death)
{
	size_t e;

	for (e = birth + 1; e < b->n && e <= death; e++)
		b->growth[e] += count;
	if (death < b->n)
		b->died[death - birth] += count;
	else
		b->alive[birth] += count;
}

/* The blocks that were added are those of one site, and of this size. */
static inline struct seep_site *blocks_close(struct blocks *b, struct fake *fake, double size)
{
	struct seep_site *site = fake_site(fake, b->n, b->alive, size * b->unit);
	size_t e;

	for (e = 0; e < b->n; e++) {
		fake_deaths(site, e, (uint64_t)b->died[e]);
		b->level[e] += b->growth[e] * size * b->unit;
		b->alive[e] = b->died[e] = b->growth[e] = 0;
	}
	site->died_bytes = (uint64_t)((double)site->died_blocks * size * b->unit);
	site->born_bytes = (uint64_t)((double)site->born_blocks * size * b->unit);
	return site;
}

/* The events, with RSS so far above the level, if at all; and the snapshot behind them. */
static inline void blocks_run(struct blocks *b, struct fake *fake, double rss_above)
{
	size_t e;

	for (e = 0; e < b->n; e++) {
		int64_t live = (int64_t)round(b->level[e]);
		int64_t rss = (int64_t)((b->level[e] + rss_above * b->unit) / 4096) * 4096;

		fake_begin(fake, live, rss_above > 0 ? rss : 0);
		fake_end(fake, live, 0);
	}
	fake_snapshot(fake);
}

#endif
