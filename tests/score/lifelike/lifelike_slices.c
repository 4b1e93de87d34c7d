/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that mark no events: slices of time, with idle time and load that varies. */
#include "lifelike.h"

#define LARGE 1e6                /* bytes that leak in a run, at least */
#define SMALL 1e4

/* Requests with sessions that live for some slices. */
static void add_sessions(struct life *l)
{
	double life = life_between(l, 1, .03 * (double)l->n), mean = life_log(l, .5, 20), k;
	double size = life_log(l, 100, 4000);
	size_t s = life_site(l), e;

	for (e = 0; e < l->n; e++)
		for (k = life_count(l, mean * l->load[e]); k > 0; k--)
			life_blocks(l, s, 1, size, e, e + life_age(l, life));
}

LIFE(slices_idle)
{
	struct life l;

	life_start(&l, c, n, noise, LIFE_SLICES);
	life_draw_load(&l, life_between(&l, .3, .8));
	life_crowd(&l, 500, 10000);
	add_sessions(&l);
	life_is(&l, IS_FLAT);
	life_finish(&l);
}

/* All work is done between these two slices. */
static void work_between(struct life *l, double from, double to)
{
	size_t e;

	for (e = 0; e < l->n; e++)
		if ((double)e < from * (double)l->n || (double)e >= to * (double)l->n)
			l->load[e] = 0;
}

/* A client comes, works, and goes.  Its data goes with it. */
LIFE(slices_load_ends)
{
	double size, count, from, to;
	struct life l;
	size_t s, e;

	life_start(&l, c, n, noise, LIFE_SLICES);
	from = life_between(&l, .1, .4);
	to = life_between(&l, .5, .85);
	work_between(&l, from, to);
	life_crowd(&l, 500, 10000);
	add_sessions(&l);
	size = life_log(&l, 100, 4000);
	count = life_log(&l, 1, 50);
	s = life_site(&l);
	for (e = 0; e < n; e++)
		life_blocks(&l, s, l.load[e] * life_count(&l, count), size, e,
			    (size_t)(to * (double)n) + life_age(&l, 2));
	life_is(&l, IS_FLAT | IS_SAWTOOTH);
	life_finish(&l);
}

/* The pool that the work needed stays; there is a second round of work, which reuses it. */
LIFE(slices_pool)
{
	double size, count, first, again;
	struct life l;
	size_t s, e;

	life_start(&l, c, n, noise, LIFE_SLICES);
	first = life_between(&l, .1, .3);
	again = life_between(&l, .5, .6);
	life_draw_load(&l, 0);
	for (e = 0; e < n; e++)
		if ((double)e > first * (double)n && (double)e < again * (double)n)
			l.load[e] = 0;
	life_crowd(&l, 500, 10000);
	add_sessions(&l);
	size = life_log(&l, 1000, 20000);
	count = life_log(&l, 1, 20);
	s = life_site(&l);
	for (e = 0; e < n && (double)e < first * (double)n; e++)
		life_blocks(&l, s, life_count(&l, count), size, e, LIFE_NEVER);
	life_is(&l, IS_FLAT | IS_SATURATING | IS_STEP | IS_CACHE);
	life_finish(&l);
}

/* --- leaks */

/* A block of each request stays; in all, about so many bytes. */
size_t life_leak_requests(struct life *l, double total)
{
	double size = 8 * ceil(life_log(l, 16, 512) / 8), work = 0, kept = 0, k;
	size_t s = life_site(l), e;

	for (e = 0; e < l->n; e++)
		work += l->load[e];
	for (e = 0; e < l->n; e++) {
		k = life_count(l, total / size * l->load[e] / work);
		life_blocks(l, s, k, size, e, LIFE_NEVER);
		life_blocks(l, s, 3 * k, size, e, e);
		kept += k * size;
	}
	life_leaks(l, kept / (double)l->n, s);
	return s;
}

static void leak_slices(struct score_case *c, size_t n, struct noise *noise, double idle,
			double total)
{
	struct life l;

	life_start(&l, c, n, noise, LIFE_SLICES);
	life_draw_load(&l, idle * life_between(&l, .3, .7));
	life_crowd(&l, 500, 10000);
	add_sessions(&l);
	life_leak_requests(&l, total * life_log(&l, 1, 30));
	life_finish(&l);
}

LIFE(leak_slices)
{
	leak_slices(c, n, noise, 0, LARGE);
}

LIFE(leak_slices_idle)
{
	leak_slices(c, n, noise, 1, LARGE);
}

LIFE(leak_slices_small)
{
	leak_slices(c, n, noise, 1, SMALL);
}

/* Idle at the end: it leaked, and whether it would again is open.  It was not level. */
LIFE(leak_load_ended)
{
	struct life l;

	life_start(&l, c, n, noise, LIFE_SLICES);
	work_between(&l, life_between(&l, .05, .2), life_between(&l, .6, .8));
	life_crowd(&l, 500, 10000);
	add_sessions(&l);
	life_leak_requests(&l, LARGE * life_log(&l, 1, 30));
	c->truth.bytes_per_event = NAN;
	c->truth.leaks = false;
	l.planted = SIZE_MAX;
	life_is(&l, IS_LEAK | IS_UNDECIDED | IS_SATURATING | IS_STEP | IS_CACHE);
	life_finish(&l);
}
