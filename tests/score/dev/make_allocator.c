/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RSS grows and the live heap does not. */
#include "make.h"

#define STACK_BYTES 8388608.0

/* Noise of RSS that leaves a growth of so many bytes to be seen. */
static void keep_quiet(struct world *w, double bytes)
{
	w->knobs.rss_sd = fmin(w->knobs.rss_sd, .02 * bytes);
	w->knobs.rss_quantum = 4096;
	w->knobs.base_bytes = fmin(w->knobs.base_bytes, 15 * bytes);
}

/* Every event, or now and then, a hole stays behind that nobody fills. */
static void retain(struct world *w, double bytes_per_event)
{
	size_t every = draw_chance(w->noise, .5) ? 1 : 2 + draw_index(w->noise, 5), e;
	double held = 0;

	for (e = 0; e < w->n; e++) {
		w->slack[e] = held;
		if (e % every == 0)
			held += (double)every * bytes_per_event * draw_between(w->noise, .7, 1.3);
	}
	w->knobs.probe_gain = draw_between(w->noise, .85, 1);
}

void make_retention_pinned(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = draw_log(noise, 2e4, 2e5);
	struct world w;

	world_start(&w, c, n, noise, true);
	keep_quiet(&w, bytes * (double)n);
	retain(&w, bytes);
	world_is(&w, RETENTION);
	world_finish(&w);
}

/* New maxima behind the first events, and by how much they go beyond those. */
static bool has_records(const double *steps, size_t n)
{
	double most = 0, first = 0;
	size_t e, records = 0;

	for (e = 0; e < n; e++) {
		if (e >= n / 10 && steps[e] > most)
			records++;
		most = fmax(most, steps[e]);
		if (e < n / 10)
			first = most;
	}
	return records >= 3 && most > 1.5 * first;
}

/* A vector that grows within the event and is given back; its maximum stays. */
void make_retention_maximum(struct score_case *c, size_t n, struct noise *noise)
{
	static const char *const names[] = { "collect", "process", "reset", NULL };
	double *steps, item = draw_log(noise, 16, 256), most = 0;
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	world_name_stamps(&w, names); /* a peak has to last from one place to another */
	steps = world_add_counter(&w, "steps");
	do {
		for (e = 0; e < n; e++)
			steps[e] = round(3e4 * exp(.8 * noise_normal(noise)));
	} while (!has_records(steps, n));
	s = world_add_site(&w, 1, w.n_names);
	for (e = 0; e < n; e++) {
		most = fmax(most, item * steps[e]);
		world_blocks(&w, s, 1, item * steps[e], e, e);
	}
	keep_quiet(&w, most / 2);
	w.knobs.return_part = 0;
	w.knobs.probe_gain = draw_between(noise, .85, 1);
	c->truth.drivers[0] = "steps";
	world_is(&w, RETENTION);
	world_finish(&w);
}

/* Long lives, as many at the end as at the start, which hold pages that are nearly empty. */
static size_t add_pins(struct world *w)
{
	double life = fmax(2, .06 * (double)w->n), mean = draw_log(w->noise, 2, 20), b, count;
	double size = draw_log(w->noise, 32, 256);
	size_t s = world_add_site(w, world_inner_place(w), 0), e;

	for (b = 0; b < mean * life; b++)
		world_early(w, s, 1, size, draw_life(w->noise, life) - 1);
	for (e = 0; e < w->n; e++) {
		count = draw_poisson(w->noise, mean);
		for (b = 0; b < count; b++)
			world_blocks(w, s, 1, size, e, e + draw_life(w->noise, life));
	}
	return s;
}

static void pin(struct world *w, size_t s, double bytes)
{
	struct world_site *site = &w->sites[s];
	size_t b;

	for (b = 0; b < w->bins; b++)
		site->pinning_blocks += site->live_blocks[b];
	site->pinned_bytes = (uint64_t)bytes;
	w->knobs.probe_gain = draw_between(w->noise, 0, .1);
	world_is(w, FRAGMENTATION);
	world_finish(w);
}

void make_fragmentation_log(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = draw_log(noise, 2e6, 4e7), tau = .05 * (double)n;
	struct world w;
	size_t e;

	world_start(&w, c, n, noise, true);
	keep_quiet(&w, bytes / 2);
	for (e = 0; e < n; e++)
		w.slack[e] = bytes * log(1 + (double)e / tau) / log(1 + (double)n / tau);
	pin(&w, add_pins(&w), w.slack[n - 1]);
}

void make_fragmentation_plateau(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = draw_log(noise, 2e6, 4e7), end = draw_between(noise, .4, .7) * (double)n;
	struct world w;
	size_t e;

	world_start(&w, c, n, noise, true);
	keep_quiet(&w, bytes);
	for (e = 0; e < n; e++)
		w.slack[e] = bytes * fmin((double)e / end, 1);
	pin(&w, add_pins(&w), w.slack[n - 1]);
}

void make_leak_and_retention(struct score_case *c, size_t n, struct noise *noise)
{
	double leak = round(draw_log(noise, 1e4, 4e4)), blocks = floor(draw_log(noise, 1, 20));
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	s = world_add_site(&w, world_inner_place(&w), 0);
	leak = blocks * round(leak / blocks);
	for (e = 0; e < n; e++)
		world_blocks(&w, s, blocks, leak / blocks, e, WORLD_NEVER);
	retain(&w, 3 * leak);
	world_leaks(&w, leak, s);
	world_finish(&w);
}

/* A file is mapped at the start and read through little by little. */
static void read_file_through(struct world *w, double bytes)
{
	size_t s = world_add_other(w, SEEP_MEMORY_MMAP, world_inner_place(w)), e;

	world_map(w, s, 2 * bytes * (double)w->n, 0, 0);
	for (e = 0; e < w->n; e++)
		world_read_file(w, s, bytes, e);
}

void make_non_heap(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = 4096 * ceil(draw_log(noise, 16384, 1e6) / 4096);
	size_t which = draw_index(noise, 3), every = 1 + draw_index(noise, 3), s, e;
	struct world w;

	world_start(&w, c, n, noise, true);
	keep_quiet(&w, bytes * (double)n);
	world_is(&w, NON_HEAP);
	c->truth.bytes_per_event = bytes;
	if (which == 0) {
		read_file_through(&w, bytes);
		world_finish(&w);
		return;
	}
	s = world_add_other(&w, which == 1 ? SEEP_MEMORY_MMAP : SEEP_MEMORY_STACK,
			    world_inner_place(&w));
	for (e = 0; e < n; e += every)
		world_map(&w, s, which == 1 ? bytes * (double)every : STACK_BYTES,
			  fmin(bytes * (double)every, STACK_BYTES), e);
	w.planted = s;
	c->truth.phase = world_phase(&w, w.sites[s].born_at);
	world_finish(&w);
}
