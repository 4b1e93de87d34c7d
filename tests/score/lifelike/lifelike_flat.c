/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Healthy programs that mark their events. */
#include "lifelike.h"

#define LONG 8                   /* times as many events as were asked for */

static void flat(struct score_case *c, size_t n, struct noise *noise, double low, double high)
{
	struct life l;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, low, high);
	life_is(&l, IS_FLAT);
	life_finish(&l);
}

LIFE(flat_crowd)
{
	flat(c, n, noise, 5e3, 3e4);
}

LIFE(flat_large_crowd)
{
	flat(c, n, noise, 3e4, 1e5);
}

/* --- blocks that live long, at one of many sites or at many */

LIFE(long_lived)
{
	struct life l;

	life_start(&l, c, LONG * n, noise, LIFE_SERVER);
	life_crowd(&l, 1e3, 2e4);
	life_long_lived(&l, life_between(&l, 4, 9), life_log(&l, 64, 8192));
	life_is(&l, NOT_LEAK);
	life_finish(&l);
}

LIFE(long_lived_many)
{
	struct life l;
	size_t sites, i;

	life_start(&l, c, LONG * n, noise, LIFE_SERVER);
	life_crowd(&l, 1e3, 2e4);
	sites = (size_t)life_log(&l, 20, 400);
	for (i = 0; i < sites; i++)
		life_long_lived(&l, life_between(&l, 2, 9), life_log(&l, 32, 1024));
	life_is(&l, NOT_LEAK);
	life_finish(&l);
}

/* --- a table that has one entry for each line that was ever logged */

static void log_table(struct score_case *c, size_t n, struct noise *noise, bool slow)
{
	struct life l;
	double gap, at, size;
	size_t s;

	life_start(&l, c, LONG * n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 5000);
	gap = slow ? life_log(&l, 500, 5000) : life_log(&l, 100, 500);
	size = 8 * ceil(life_log(&l, 32, 256) / 8);
	s = life_site(&l);
	life_early(&l, s, ceil(life_log(&l, 4, 60)), size, LIFE_NEVER);
	at = gap * noise_uniform(noise);
	for (; at < (double)l.n; at += gap * life_between(&l, .3, 1.7))
		life_blocks(&l, s, 1, size, (size_t)at, LIFE_NEVER);
	life_is(&l, NOT_LEAK);
	life_finish(&l);
}

LIFE(log_table)
{
	log_table(c, n, noise, false);
}

LIFE(log_table_slow)
{
	log_table(c, n, noise, true);
}

/* --- code that is specialised: another site makes what one site made so far */

static void specialise(struct score_case *c, size_t n, struct noise *noise, double from, double to)
{
	struct life l;
	size_t objects, old, new, i;
	double size;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 5000);
	objects = (size_t)life_log(&l, 50, 2000);
	size = life_log(&l, 64, 2048);
	old = life_site(&l);
	new = life_site(&l);
	for (i = 0; i < objects; i++) {
		size_t e = (size_t)(life_between(&l, from, to) * (double)n);

		life_early(&l, old, 1, size, e);
		life_blocks(&l, new, 1, size, e, LIFE_NEVER);
	}
	life_finish(&l);
}

LIFE(specialised)
{
	specialise(c, n, noise, .35, .6);
	c->truth.kinds = IS_FLAT;
}

/* ... a few at a time, for most of the run. */
LIFE(specialised_on)
{
	specialise(c, n, noise, .1, .85);
	c->truth.kinds = IS_FLAT | IS_CACHE | IS_SATURATING;
}

/* What the events need for a while comes from the new site. */
LIFE(specialised_traffic)
{
	double life, mean, size, k;
	size_t sites[2], middle, e;
	struct life l;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 5000);
	life = life_between(&l, 1, .05 * (double)n);
	mean = life_log(&l, 1, 20);
	size = life_log(&l, 64, 2048);
	middle = (size_t)(life_between(&l, .3, .8) * (double)n);
	sites[0] = life_site(&l);
	sites[1] = life_site(&l);
	for (k = life_count(&l, mean * life); k > 0; k--)
		life_early(&l, sites[0], 1, size, life_age(&l, life) - 1);
	for (e = 0; e < n; e++)
		for (k = life_count(&l, mean); k > 0; k--)
			life_blocks(&l, sites[e >= middle], 1, size, e, e + life_age(&l, life));
	life_is(&l, IS_FLAT);
	life_finish(&l);
}

/* --- start-up and end */

static void start_up(struct score_case *c, size_t n, struct noise *noise, enum life_program program)
{
	double bytes, size, part;
	struct life l;
	size_t s, e, last;

	life_start(&l, c, n, noise, program);
	life_crowd(&l, 500, 5000);
	part = life_between(&l, .15, .25);
	bytes = life_log(&l, 2e6, 5e7);
	size = life_log(&l, 64, 8192);
	last = (size_t)(part * (double)n);
	s = life_site(&l);
	for (e = 0; e < last; e++)
		life_blocks(&l, s, bytes / size / (double)last * life_between(&l, .5, 1.5), size, e,
			    LIFE_NEVER);
	life_is(&l, IS_FLAT | IS_SATURATING | IS_STEP | IS_CACHE);
	life_finish(&l);
}

LIFE(start_up)
{
	start_up(c, n, noise, LIFE_SERVER);
}

LIFE(start_up_slices)
{
	start_up(c, n, noise, LIFE_SLICES);
}

static void clean_up(struct score_case *c, size_t n, struct noise *noise, enum life_program program)
{
	struct life l;

	life_start(&l, c, n, noise, program);
	life_clean_up(&l);
	life_crowd(&l, 500, 2e4);
	life_is(&l, IS_FLAT);
	life_finish(&l);
}

LIFE(clean_up)
{
	clean_up(c, n, noise, LIFE_SERVER);
}

LIFE(clean_up_slices)
{
	clean_up(c, n, noise, LIFE_SLICES);
}
