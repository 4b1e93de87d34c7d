/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world.h"

/* Most sites of a program: asked for and given back within the event. */
static void add_short(struct world *w)
{
	size_t place = draw_index(w->noise, w->places), e;
	size_t s = world_add_site(w, place, place + draw_index(w->noise, w->places - place));
	double mean = draw_log(w->noise, .05, 40), size = draw_block_size(w->noise);

	for (e = 0; e < w->n; e++)
		world_blocks(w, s, draw_poisson(w->noise, mean), size, e, e);
}

/* Blocks that come and go over a few events: the noise of the live heap, sd in all. */
static void add_lingering(struct world *w, double sd)
{
	double most = fmin(4, (double)w->n / 20), life = draw_between(w->noise, 1, fmax(most, 1));
	double mean = draw_log(w->noise, .5, 12), size = sd / sqrt(mean * life), b, count;
	size_t s = world_add_site(w, draw_index(w->noise, w->places), 0), e;

	for (e = 0; e < mean * life; e++)
		world_early(w, s, 1, size, draw_life(w->noise, life) - 1);
	for (e = 0; e < w->n; e++) {
		count = draw_poisson(w->noise, mean);
		for (b = 0; b < count; b++)
			world_blocks(w, s, 1, size, e, e + draw_life(w->noise, life));
	}
}

/* A queue: everything is given back a fixed number of events later. */
static void add_queue(struct world *w)
{
	size_t s = world_add_site(w, draw_index(w->noise, w->places), w->places - 1), e;
	size_t age = 1 + draw_index(w->noise, 3), i;
	double size = draw_block_size(w->noise);

	for (i = 0; i < age; i++)
		world_early(w, s, 1, size, i);
	for (e = 0; e < w->n; e++)
		world_blocks(w, s, 1, size, e, e + age);
}

/* What is set up before or in the first event, and stays. */
static void add_setup(struct world *w)
{
	size_t s = world_add_site(w, draw_index(w->noise, w->places), 0);
	double size = draw_block_size(w->noise), count = draw_log(w->noise, 1, 300);

	if (draw_chance(w->noise, .5))
		world_early(w, s, ceil(count), size, WORLD_NEVER);
	else
		world_blocks(w, s, ceil(count), size, 0, WORLD_NEVER);
}

/* ... or in one of the first few, when it is needed for the first time. */
static void add_lazy(struct world *w)
{
	size_t s = world_add_site(w, draw_index(w->noise, w->places), 0);
	size_t last = (size_t)fmax(2, .02 * (double)w->n), i, blocks = 1 + draw_index(w->noise, 4);

	for (i = 0; i < blocks; i++)
		world_blocks(w, s, 1, draw_block_size(w->noise), draw_index(w->noise, last),
			     WORLD_NEVER);
}

void world_add_background(struct world *w)
{
	size_t lingering = 1 + draw_index(w->noise, 5), i;
	size_t others = (size_t)draw_log(w->noise, 10, 200);

	for (i = 0; i < lingering; i++)
		add_lingering(w, w->knobs.heap_sd / sqrt((double)lingering));
	for (i = 0; i < others; i++) {
		double kind = noise_uniform(w->noise);

		if (kind < .7)
			add_short(w);
		else if (kind < .8)
			add_queue(w);
		else if (kind < .95)
			add_setup(w);
		else
			add_lazy(w);
	}
}
