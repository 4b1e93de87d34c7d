/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real leaks in programs that mark their events. */
#include "lifelike.h"

#define LONG 8                   /* times as many events as were asked for */

/* One block in each event from this one on. */
static size_t leak_each(struct life *l, double size, size_t from)
{
	size_t s = life_site(l), e;

	for (e = from; e < l->n; e++)
		life_blocks(l, s, 1, size, e, LIFE_NEVER);
	return s;
}

static void leak_in_crowd(struct score_case *c, size_t n, struct noise *noise, double low,
			  double high)
{
	struct life l;
	double size;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, low, high);
	size = round(life_log(&l, 4, 64));
	life_leaks(&l, NAN, leak_each(&l, size, 0)); /* the first uses of others are as much */
	life_finish(&l);
}

LIFE(leak_in_crowd)
{
	leak_in_crowd(c, n, noise, 1e4, 5e4);
}

LIFE(leak_in_large_crowd)
{
	leak_in_crowd(c, n, noise, 5e4, 1e5);
}

/* The parts of an object come from several sites, and all of them stay. */
LIFE(leak_graph)
{
	double size, all = 0, most = 0, count;
	struct life l;
	size_t parts, planted = 0, i, e, s;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 5e3, 5e4);
	parts = 3 + life_pick(&l, 6);
	for (i = 0; i < parts; i++) {
		size = 8 * ceil(life_log(&l, 8, 256) / 8);
		count = 1 + (double)life_pick(&l, 4);
		s = life_site(&l);
		for (e = 0; e < n; e++) {
			life_blocks(&l, s, count, size, e, LIFE_NEVER);
			life_blocks(&l, s, 2 * count, size, e, e);
		}
		all += count * size;
		if (count * size > most) {
			most = count * size;
			planted = s;
		}
	}
	life_leaks(&l, all, planted);
	life_finish(&l);
}

/* An error path: one event in 20 to 60.  Smaller blocks could be a table of log lines. */
LIFE(leak_now_and_then)
{
	double size, gap;
	struct life l;
	size_t s, e;

	life_start(&l, c, LONG * n, noise, LIFE_SERVER);
	life_crowd(&l, 5e3, 5e4);
	size = 8 * ceil(life_log(&l, 16384, 262144) / 8);
	gap = fmin(life_between(&l, 20, 60), (double)l.n / 30);
	s = life_site(&l);
	for (e = 0; e < l.n; e++)
		life_blocks(&l, s, noise_uniform(noise) < 1 / gap, size, e, LIFE_NEVER);
	life_leaks(&l, size / gap, s);
	life_finish(&l);
}

LIFE(leak_long_lived)
{
	struct life l;
	double size;
	size_t i;

	life_start(&l, c, LONG * n, noise, LIFE_SERVER);
	life_crowd(&l, 1e3, 2e4);
	for (i = 0; i < 40; i++)
		life_long_lived(&l, life_between(&l, 2, 9), life_log(&l, 32, 1024));
	size = round(life_log(&l, 8, 256));
	life_leaks(&l, NAN, leak_each(&l, size, 0));
	life_finish(&l);
}

/* As much as leaks is freed of what the program had at its start. */
static void hide(struct score_case *c, size_t n, struct noise *noise, double low, double high)
{
	struct life l;
	double size;
	size_t s, e;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 10000);
	size = round(life_log(&l, low, high));
	s = life_site(&l);
	for (e = 0; e < n; e++)
		life_early(&l, s, 1, size * life_between(&l, .8, 1.3), e);
	life_early(&l, s, ceil(life_log(&l, 1, 100)), size, LIFE_NEVER);
	life_leaks(&l, size, leak_each(&l, size, 0));
	c->truth.bytes_per_event = NAN; /* what the heap grows by is another question */
	life_finish(&l);
}

LIFE(leak_hidden)
{
	hide(c, n, noise, 16, 512);
}

LIFE(leak_hidden_large)
{
	hide(c, n, noise, 2048, 65536);
}

LIFE(leak_last_tenth)
{
	struct life l;
	double size;
	size_t from;

	life_start(&l, c, LONG * n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 10000);
	size = life_log(&l, 64, 4096);
	from = (size_t)(life_between(&l, .86, .9) * (double)l.n);
	life_leaks(&l, round(size), leak_each(&l, size, from));
	c->truth.kinds |= IS_UNDECIDED;
	life_finish(&l);
}

LIFE(leak_clean_up)
{
	struct life l;
	double size;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_clean_up(&l);
	life_crowd(&l, 500, 10000);
	size = life_log(&l, 64, 4096);
	life_leaks(&l, round(size), leak_each(&l, size, 0));
	life_finish(&l);
}

LIFE(leak_start_up)
{
	double size, bytes;
	struct life l;
	size_t s, e, last = n / 5;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 10000);
	bytes = life_log(&l, 2e6, 2e7);
	s = life_site(&l);
	for (e = 0; e < last; e++)
		life_blocks(&l, s, bytes / 500 / (double)last, 500, e, LIFE_NEVER);
	size = life_log(&l, 128, 4096);
	life_leaks(&l, round(size), leak_each(&l, size, last));
	life_finish(&l);
}

/* The leak goes on at another site once its code is specialised. */
LIFE(leak_specialised)
{
	size_t sites[2], middle, e;
	struct life l;
	double size;

	life_start(&l, c, n, noise, LIFE_SERVER);
	life_crowd(&l, 500, 10000);
	size = life_log(&l, 64, 2048);
	middle = (size_t)(life_between(&l, .35, .6) * (double)n);
	sites[0] = life_site(&l);
	sites[1] = life_site(&l);
	for (e = 0; e < n; e++) {
		life_blocks(&l, sites[e >= middle], 1, size, e, LIFE_NEVER);
		life_blocks(&l, sites[e >= middle], 5, size, e, e);
	}
	life_leaks(&l, round(size), sites[1]);
	life_finish(&l);
}

/* --- in an extension of CPython */

LIFE(leak_python)
{
	struct life l;
	double size;
	size_t s;

	life_start(&l, c, n, noise, LIFE_PYTHON);
	life_crowd(&l, 2e3, 2e4);
	size = life_log(&l, 32, 2048);
	s = leak_each(&l, size, 0);
	life_stack(&l, s, LIFE_BY_EXTENSION);
	life_leaks(&l, round(size), s);
	life_finish(&l);
}

LIFE(leak_python_slices)
{
	struct life l;

	life_start(&l, c, n, noise, LIFE_PYTHON_SLICES);
	life_draw_load(&l, 0);
	life_crowd(&l, 2e3, 2e4);
	life_stack(&l, life_leak_requests(&l, life_log(&l, 1e6, 2e7)), LIFE_BY_EXTENSION);
	life_finish(&l);
}
