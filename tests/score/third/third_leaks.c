/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that forget blocks. */
#include "third_scenarios.h"

/* So few that it may be luck: then it is fair to leave it open. */
static void allow_doubt(struct score_case *c, size_t leaks)
{
	if (leaks < 8)
		c->truth.kinds |= SCORE_KIND(SEEP_KIND_UNDECIDED);
}

/* So many blocks in each event. */
void third_leak_constant(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	size_t blocks = 1 + third_pick(p, 15), k;
	double bytes = floor(third_log(p, 64, 4000));

	while (third_next(p))
		for (k = blocks; k; k--)
			third_alloc(p, site, bytes);
	third_truth_leak(p, (double)blocks * bytes, site);
	third_close(p);
}

/* One small block, and RSS that shows nothing of it. */
void third_leak_small(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_LOUD_RSS);
	uint32_t site = third_site(p, third_any_slot(p));
	double bytes = 16.0 * (double)(1 + third_pick(p, 8));

	while (third_next(p))
		third_alloc(p, site, bytes);
	third_truth_leak(p, bytes, site);
	third_close(p);
}

/* Megabytes, of varying size, in the last phase. */
void third_leak_large(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES);
	uint32_t site = third_site(p, third_last_slot(p));
	double bytes = third_log(p, 3e5, 4e6), spread = third_between(p, 0, .1);

	while (third_next(p))
		third_alloc(p, site, third_lopsided(p, bytes, spread));
	third_truth_leak(p, bytes, site);
	third_close(p);
}

/* Sizes with a heavy tail. */
void third_leak_lopsided(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double bytes = third_log(p, 500, 30000), mean = third_log(p, 1, 8);
	size_t k;

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--)
			third_alloc(p, site, third_lopsided(p, bytes, 1));
	third_truth_leak(p, mean * bytes, site);
	third_close(p);
}

/* --- drivers */

/* A block for each hit. */
void third_leak_hits(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double *hits = third_counter(p, "hits"), mean = third_log(p, 5, 150);
	double bytes = floor(third_log(p, 24, 600)), spread = third_between(p, 0, .5);
	size_t k;

	while (third_next(p)) {
		k = third_poisson(p, third_lopsided(p, mean, spread));
		hits[p->event] = (double)k;
		for (; k; k--)
			third_alloc(p, site, bytes);
	}
	third_truth_leak(p, mean * bytes, site);
	c->truth.drivers[0] = "hits";
	third_close(p);
}

/* Hits follow the photons closely, and are innocent. */
void third_leak_photons(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double *photons = third_counter(p, "photons"), *hits = third_counter(p, "hits");
	double mean = third_log(p, 30, 150);
	size_t k;

	while (third_next(p)) {
		k = third_poisson(p, third_lopsided(p, mean, .4));
		photons[p->event] = (double)k;
		hits[p->event] = floor(.7 * (double)k + .2 * mean +
				       .05 * mean * noise_normal(noise));
		for (; k; k--)
			third_alloc(p, site, 72);
	}
	third_truth_leak(p, mean * 72, site);
	c->truth.drivers[0] = "photons";
	third_close(p);
}

/* On the path that is taken for errors, of which there are few. */
void third_leak_errors(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double *errors = third_counter(p, "errors"), mean = third_between(p, .25, .8);
	double bytes = floor(third_log(p, 300, 8000));
	size_t k;

	while (third_next(p)) {
		k = third_poisson(p, mean);
		errors[p->event] = (double)k;
		for (; k; k--)
			third_alloc(p, site, bytes);
	}
	third_truth_leak(p, mean * bytes, site);
	c->truth.drivers[0] = "errors";
	third_close(p);
}

/* Only where a counter is above its bound. */
void third_leak_overflow(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double *size = third_counter(p, "length"), part = third_between(p, .12, .4);
	double bytes = floor(third_log(p, 1000, 20000));
	size_t leaks = 0;

	while (third_next(p)) {
		double u = noise_uniform(noise);

		size[p->event] = floor(100 / (u + .01));
		if (u < part) {
			third_alloc(p, site, bytes);
			leaks++;
		}
	}
	third_truth_leak(p, part * bytes, site);
	allow_doubt(c, leaks);
	third_close(p);
}

/* A timer: so much a second, and events of all lengths. */
void third_leak_timer(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double whole = 0, since = 0, tick, bytes = floor(third_log(p, 100, 3000));
	size_t e;

	for (e = 0; e < n; e++)
		whole += p->seconds[e];
	tick = whole / (double)n / third_between(p, .5, 5);
	while (third_next(p))
		for (since += p->seconds[p->event]; since > tick; since -= tick)
			third_alloc(p, site, bytes);
	third_truth_leak(p, bytes * whole / (double)n / tick, site);
	third_close(p);
}

/* --- now and then */

void third_leak_rare(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double part = third_between(p, .04, .09), bytes = floor(third_log(p, 5e3, 2e5));
	size_t leaks = 0;

	part = part < 14.0 / (double)n ? 14.0 / (double)n : part;
	while (third_next(p))
		if (third_chance(p, part)) {
			third_alloc(p, site, bytes);
			leaks++;
		}
	third_truth_leak(p, part * bytes, site);
	allow_doubt(c, leaks);
	third_close(p);
}

/* Every so many events, like a clock. */
void third_leak_periodic(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	int64_t period = 2 + (int64_t)third_pick(p, n / 12 < 10 ? n / 12 : 10);
	double bytes = floor(third_log(p, 500, 50000));

	while (third_next(p))
		if (p->event % period == period / 2)
			third_alloc(p, site, bytes);
	third_truth_leak(p, bytes / (double)period, site);
	third_close(p);
}

/* --- among blocks that are freed */

/* Of many blocks some are forgotten; the others die in their event or the next ones. */
void third_leak_part(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double mean = third_log(p, 60, 300), part = third_between(p, .008, .04);
	double bytes = floor(third_log(p, 40, 1500));
	int64_t late = (int64_t)third_pick(p, 3);
	size_t k;

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--) {
			uint32_t block = third_alloc(p, site, bytes);

			if (!third_chance(p, part))
				third_due(p, block, p->event + late, third_last_slot(p));
		}
	third_truth_leak(p, mean * part * bytes, site);
	third_close(p);
}

/* The others live for some events, without a fixed age. */
void third_leak_among_living(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double mean = third_log(p, 5, 60), part = third_between(p, .05, .3);
	double life = third_between(p, 1.5, 7), bytes = floor(third_log(p, 60, 3000));
	size_t k;

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--) {
			uint32_t block = third_alloc(p, site, bytes);

			if (!third_chance(p, part))
				third_due(p, block, p->event +
					  (int64_t)(-life * log(noise_uniform(noise))), 0);
		}
	third_truth_leak(p, mean * part * bytes, site);
	third_close(p);
}

/* Made in one phase, and in a later one not always freed. */
void third_leak_unbalanced(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES);
	uint32_t site = third_site(p, (uint32_t)third_pick(p, third_last_slot(p)));
	double mean = third_log(p, 5, 60), part = third_between(p, .08, .25);
	double bytes = floor(third_log(p, 60, 3000));
	size_t k;

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--) {
			uint32_t block = third_alloc(p, site, bytes);

			if (!third_chance(p, part))
				third_due(p, block, p->event, third_last_slot(p));
		}
	third_truth_leak(p, mean * part * bytes, site);
	third_close(p);
}

/* A count of references that is lost: an object with all that hangs on it. */
void third_leak_tree(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t slot = third_any_slot(p), object = third_site(p, slot);
	uint32_t name = third_site(p, slot), buffer = third_site(p, slot);
	double mean = third_log(p, 20, 100), part = third_between(p, .01, .05);
	size_t k, leaks = 0;

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--) {
			bool kept = third_chance(p, part);
			uint32_t first = third_alloc(p, object, 96);
			uint32_t second = third_alloc(p, name, 40);
			uint32_t third = third_alloc(p, buffer, 1024);

			leaks += kept;
			if (kept)
				continue;
			third_free(p, third);
			third_free(p, second);
			third_free(p, first);
		}
	third_truth_leak(p, mean * part * 1160, buffer);
	allow_doubt(c, leaks);
	third_close(p);
}
