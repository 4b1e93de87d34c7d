/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases between two others: several steps, two planted leaks, what has ended, what is small. */
#include "make.h"

static size_t add_keeper(struct world *w)
{
	return world_add_site(w, world_inner_place(w), 0);
}

/* Two tables are read in, one after the other, each in one event. */
void make_steps_two(struct score_case *c, size_t n, struct noise *noise)
{
	size_t first = (size_t)(draw_between(noise, .15, .4) * (double)n);
	size_t second = (size_t)(draw_between(noise, .5, .8) * (double)n), s;
	double bytes = draw_log(noise, 1e6, 16e6), size = draw_log(noise, 1000, 3e5);
	double other = bytes * draw_log(noise, .4, 2.5);
	struct world w;

	world_start(&w, c, n, noise, true);
	s = add_keeper(&w);
	world_blocks(&w, s, ceil(bytes / size), size, first, WORLD_NEVER);
	if (draw_chance(noise, .5))
		s = add_keeper(&w);
	world_blocks(&w, s, ceil(other / size), size, second, WORLD_NEVER);
	world_is(&w, STEP);
	world_finish(&w);
}

/* Nodes that are lost, and an array elsewhere that remembers each of them. */
void make_leak_and_array(struct score_case *c, size_t n, struct noise *noise)
{
	double node = 16 * ceil(draw_log(noise, 64, 2048) / 16);
	double nodes = floor(draw_log(noise, 1, 8)), item = 8 * ceil(draw_log(noise, 1, 12));
	size_t every = 1 + draw_index(noise, 4), s, array, e;
	struct world w;

	world_start(&w, c, n, noise, true);
	w.knobs.heap_sd = draw_log(noise, 20, 500);
	s = add_keeper(&w);
	array = add_keeper(&w);
	item *= nodes;
	world_blocks(&w, array, 1, item * (double)every, 0, WORLD_NEVER);
	for (e = 0; e < n; e++) {
		world_blocks(&w, s, nodes, node, e, WORLD_NEVER);
		if (e && e % every == 0)
			world_regrow(&w, array, item * (double)every, 0, e);
	}
	world_leaks(&w, nodes * node + item, s);
	world_finish(&w);
}

/* Before something breaks, its blocks live for some events, and a few of them stay. */
void make_leak_breaks(struct score_case *c, size_t n, struct noise *noise)
{
	double size = draw_block_size(noise), blocks = draw_log(noise, 1, 30), count;
	size_t first = (size_t)(draw_between(noise, .15, .7) * (double)n), s, e;
	size_t late = draw_index(noise, 4), early = draw_index(noise, 4);
	double stray = draw_chance(noise, .5) ? draw_log(noise, .005, .05) : 0;
	bool even = draw_chance(noise, .5);
	struct world w;

	world_start(&w, c, n, noise, true);
	s = world_add_site(&w, world_inner_place(&w), w.places - 1);
	if (even)
		blocks = floor(blocks);
	for (e = 0; e < n; e++) {
		bool stays = e >= first || e < early || draw_chance(noise, stray);

		count = even ? blocks : draw_poisson(noise, blocks);
		world_blocks(&w, s, count, size, e, stays ? WORLD_NEVER : e + late);
	}
	world_leaks(&w, blocks * round(size), s);
	world_finish(&w);
}

/* Two leaks, three to one, of a load that wanders over the run. */
void make_leak_two_wander(struct score_case *c, size_t n, struct noise *noise)
{
	double size = 8 * ceil(draw_log(noise, 64, 1024) / 8), mean = draw_log(noise, 3, 20);
	double less = draw_between(noise, .02, .2), count, sum = 0;
	size_t one, two, e;
	struct world w;

	world_start(&w, c, n, noise, true);
	w.knobs.heap_sd = fmin(w.knobs.heap_sd, 2 * mean * size);
	one = world_add_site(&w, world_inner_place(&w), 0);
	two = world_add_site(&w, world_inner_place(&w), 0);
	for (e = 0; e < n; e++) {
		double load = 1 + less * cos(3.14159 * (double)e / (double)n);

		count = draw_poisson(noise, 3 * mean * load);
		world_blocks(&w, one, count, size, e, WORLD_NEVER);
		world_blocks(&w, two, draw_poisson(noise, mean), size, e, WORLD_NEVER);
		sum += count * size / (double)n;
	}
	world_leaks(&w, sum + mean * size, one);
	c->truth.bytes_per_event = NAN; /* of the whole run, or of its end? */
	world_finish(&w);
}

/* Code is translated and kept, until all of it has been met. */
void make_mapped_stops(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = 4096 * ceil(draw_log(noise, 16384, 1e6) / 4096);
	double until = draw_between(noise, .15, .6) * (double)n;
	bool slower = draw_chance(noise, .4), file = draw_chance(noise, .3);
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	w.knobs.rss_sd = fmin(w.knobs.rss_sd, .02 * bytes * until);
	w.knobs.rss_quantum = 4096;
	w.knobs.base_bytes = fmin(w.knobs.base_bytes, 15 * bytes * until);
	s = world_add_other(&w, SEEP_MEMORY_MMAP, world_inner_place(&w));
	if (file)
		world_map(&w, s, 2 * bytes * until, 0, 0);
	for (e = 0; (double)e < until; e++) {
		double part = slower ? 2 * (1 - (double)e / until) : 1;
		double pages = 4096 * ceil(part * bytes / 4096);

		if (file)
			world_read_file(&w, s, pages, e);
		else
			world_map(&w, s, pages, pages, e);
	}
	world_is(&w, SATURATING);
	world_finish(&w);
}

/* Some sessions that come and go, of lives that are long for the run, with that deviation. */
static void wander(struct world *w, double deviation)
{
	double mean = draw_log(w->noise, 3, 30), life = draw_log(w->noise, .05, .2) * (double)w->n;
	double size = deviation / sqrt(mean), b;
	size_t s = add_keeper(w), e;

	for (b = 0; b < mean; b++)
		world_early(w, s, 1, size, draw_life(w->noise, life) - 1);
	for (e = 0; e < w->n; e++)
		for (b = draw_poisson(w->noise, mean / life); b > 0; b--)
			world_blocks(w, s, 1, size, e, e + draw_life(w->noise, life));
}

/* Some megabytes of holes came early; the heap comes and goes by a good part of that. */
void make_fragmentation_ended(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = draw_log(noise, 2e6, 8e6), end = draw_between(noise, .08, .6) * (double)n;
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	w.knobs.rss_sd = fmin(w.knobs.rss_sd, draw_log(noise, .01, .1) * bytes);
	w.knobs.rss_quantum = 4096;
	w.knobs.base_bytes = fmin(w.knobs.base_bytes, 15 * bytes);
	w.knobs.heap_sd = draw_log(noise, .02, .3) * bytes;
	w.knobs.probe_gain = draw_between(noise, 0, .1);
	s = add_keeper(&w);
	wander(&w, draw_log(noise, .02, .3) * bytes);
	for (e = 0; e < n; e++) {
		w.slack[e] = bytes * fmin((double)e / end, 1);
		world_blocks(&w, s, draw_poisson(noise, 20), 64, e,
			     e + draw_life(noise, .05 * (double)n));
	}
	w.sites[s].pinned_bytes = (uint64_t)bytes;
	world_is(&w, FRAGMENTATION);
	world_finish(&w);
}

/* What was there at the start is given back bit by bit; the allocator keeps the room. */
void make_draining(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = draw_log(noise, 2e6, 3e7), size = draw_block_size(noise);
	double until = draw_between(noise, .3, 1) * (double)n, blocks = ceil(bytes / size), b;
	struct world w;
	size_t s;

	world_start(&w, c, n, noise, true);
	w.knobs.rss_sd = fmin(w.knobs.rss_sd, .02 * bytes);
	w.knobs.rss_quantum = 4096;
	w.knobs.base_bytes = fmin(w.knobs.base_bytes, 15 * bytes);
	w.knobs.return_part = 0;
	w.knobs.probe_gain = draw_between(noise, 0, 1);
	s = add_keeper(&w);
	for (b = 0; b < blocks; b++)
		world_early(&w, s, 1, size, (size_t)(b / blocks * until));
	world_is(&w, FLAT);
	world_finish(&w);
}

/* Teeth whose peaks the allocator keeps, on pages that it cannot give back. */
void make_sawtooth_kept(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = draw_log(noise, 1e5, 1e6), size = draw_block_size(noise), period;
	struct world w;
	size_t s, e, *next;

	world_start(&w, c, n, noise, true);
	period = draw_between(noise, 5, fmin(30, (double)n / 7));
	w.knobs.heap_sd = fmin(w.knobs.heap_sd, .03 * bytes * period);
	w.knobs.rss_sd = fmin(w.knobs.rss_sd, .02 * bytes * period);
	w.knobs.rss_quantum = 4096;
	w.knobs.base_bytes = fmin(w.knobs.base_bytes, 5 * bytes * period);
	w.knobs.return_part = draw_between(noise, 0, .02);
	w.knobs.probe_gain = draw_between(noise, 0, .3);
	next = make_collections(&w, period);
	s = world_add_site(&w, world_inner_place(&w), w.places - 1);
	for (e = 0; e < n; e++)
		world_blocks(&w, s, draw_poisson(noise, bytes / size), size, e, next[e]);
	world_is(&w, SAWTOOTH);
	world_finish(&w);
}

/* Tens of times the noise, and a few hundred kB. */
void make_saturating_small(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = draw_log(noise, 6e4, 4e5), blocks = floor(draw_log(noise, 100, 1000));
	double end = draw_between(noise, .2, .45) * (double)n, kept = 0, level;
	bool curve = draw_chance(noise, .5);
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	w.knobs.heap_sd = bytes / draw_log(noise, 15, 100);
	s = add_keeper(&w);
	for (e = 0; e < n; e++) {
		double x = ((double)e + 1) / end;

		level = floor(blocks * (curve ? 1 - exp(-3 * x) : fmin(x, 1)));
		world_blocks(&w, s, level - kept, bytes / blocks, e, WORLD_NEVER);
		kept = level;
	}
	world_is(&w, SATURATING | CACHE);
	world_finish(&w);
}

/* Levels that come and go by little, and have for ever: some sessions, some buffers. */
void make_flat_small(struct score_case *c, size_t n, struct noise *noise)
{
	double size = draw_log(noise, 500, 2e4), mean = draw_log(noise, .2, 5), b, count;
	double life = draw_log(noise, .02, .15) * (double)n;
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	w.knobs.heap_sd = draw_log(noise, 500, 2e4);
	s = world_add_site(&w, world_inner_place(&w), w.places - 1);
	for (b = 0; b < mean * life; b++)
		world_early(&w, s, 1, size, draw_life(noise, life) - 1);
	for (e = 0; e < n; e++)
		for (count = draw_poisson(noise, mean); count > 0; count--)
			world_blocks(&w, s, 1, size, e, e + draw_life(noise, life));
	world_is(&w, FLAT);
	world_finish(&w);
}
