/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lives for most of the run, and caches that fill in all of it. */
#include "lifelike.h"

/* Each event makes a few blocks, and those of .8 n events ago die. */
static void add_window(struct life *l, size_t from, bool full)
{
	double mean = life_log(l, .5, 10), size = life_log(l, 64, 4096);
	size_t age = (size_t)(life_between(l, .75, .85) * (double)l->n), s = life_site(l), e;

	for (e = 0; full && e < age; e++)
		life_early(l, s, life_count(l, mean), size, e);
	for (e = from; e < l->n; e++)
		life_blocks(l, s, life_count(l, mean), size, e, e + age);
}

LIFE(window_level)
{
	struct life l;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 5000);
	add_window(&l, 0, true);
	life_is(&l, NOT_LEAK);
	life_finish(&l);
}

LIFE(window_fills)
{
	struct life l;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 5000);
	add_window(&l, 0, false);
	life_is(&l, NOT_LEAK);
	life_finish(&l);
}

LIFE(windows_overlap)
{
	struct life l;
	size_t windows, i;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 5000);
	windows = 2 + life_pick(&l, 4);
	for (i = 0; i < windows; i++)
		add_window(&l, life_pick(&l, n / 8), i % 2 == 0);
	life_is(&l, NOT_LEAK);
	life_finish(&l);
}

/* The leak is one of the sites; the windows are level. */
LIFE(leak_window)
{
	double size;
	struct life l;
	size_t s, e;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 5000);
	add_window(&l, 0, true);
	size = life_log(&l, 64, 2048);
	s = life_site(&l);
	for (e = 0; e < n; e++)
		life_blocks(&l, s, 1, size, e, LIFE_NEVER);
	life_leaks(&l, round(size), s);
	life_finish(&l);
}

/* Keys of a known number; each event asks for some of them, and most are known in the end. */
LIFE(cache_slows_down)
{
	double keys, size, asked, known = 0;
	struct life l;
	size_t s, e;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 5000);
	keys = life_log(&l, 500, 20000);
	size = life_log(&l, 64, 2048);
	asked = life_between(&l, 3, 6) * keys / (double)n;
	s = life_site(&l);
	for (e = 0; e < n; e++) {
		double new = fmin(life_count(&l, asked * (1 - known / keys)), keys - known);

		life_blocks(&l, s, new, size, e, LIFE_NEVER);
		life_blocks(&l, s, life_count(&l, asked), 40, e, e);
		known += new;
	}
	life_is(&l, IS_SATURATING | IS_CACHE);
	life_finish(&l);
}

/* Words of a language: ever fewer are new, but some always are. */
LIFE(cache_of_words)
{
	double power, most, size, before = 0, now;
	struct life l;
	size_t s, e;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 5000);
	power = life_between(&l, .15, .4);
	most = life_log(&l, 1e3, 3e4);
	size = life_log(&l, 32, 256);
	s = life_site(&l);
	for (e = 0; e < n; e++, before = now) {
		now = most * pow((double)(e + 1) / (double)n, power);
		life_blocks(&l, s, life_count(&l, now - before), size, e, LIFE_NEVER);
		life_blocks(&l, s, life_count(&l, now), size, e, e);
	}
	life_is(&l, IS_SATURATING | IS_CACHE | IS_UNDECIDED);
	life_finish(&l);
}
