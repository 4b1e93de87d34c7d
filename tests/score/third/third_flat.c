/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs whose memory does not grow, or did so once. */
#include "third_scenarios.h"

#define FLAT SCORE_KIND(SEEP_KIND_FLAT)
#define STEP SCORE_KIND(SEEP_KIND_STEP)
#define SAWTOOTH SCORE_KIND(SEEP_KIND_SAWTOOTH)
#define RETENTION SCORE_KIND(SEEP_KIND_RETENTION)
#define UNDECIDED SCORE_KIND(SEEP_KIND_UNDECIDED)

void third_flat_quiet(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);

	while (third_next(p))
		;
	third_truth(p, FLAT);
	third_close(p);
}

void third_flat_loud(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_LOUD_RSS);

	while (third_next(p))
		;
	third_truth(p, FLAT);
	third_close(p);
}

/* Requests of very different size, all freed with their answer. */
void third_flat_requests(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES);
	uint32_t site = third_site(p, third_any_slot(p));
	double *requests = third_counter(p, "requests"), mean = third_log(p, 5, 80);

	while (third_next(p)) {
		size_t k = third_poisson(p, third_lopsided(p, mean, .7));

		requests[p->event] = (double)k;
		for (; k; k--)
			third_due(p, third_alloc(p, site, third_lopsided(p, 2000, 1.2)), p->event,
				  third_last_slot(p));
	}
	third_truth(p, FLAT);
	third_close(p);
}

/* The number of open sessions has a long memory, and no trend. */
void third_flat_sessions(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p)), *open;
	double phi = third_between(p, .8, .97), state = noise_normal(noise);
	double mean = third_log(p, 30, 300), spread = mean * third_between(p, .1, .25);
	size_t n_open = 0, most = (size_t)(3 * mean) + 1;

	open = seep_arena_array(&c->fake.arena, most, sizeof(*open));
	while (third_next(p)) {
		double level = mean + spread * state;
		size_t want = level > 0 ? (size_t)level : 0;

		third_go(p, p->sites[site].slot);
		while (n_open && n_open > want) {
			size_t at = third_pick(p, n_open);

			third_free(p, open[at]);
			open[at] = open[--n_open];
		}
		while (n_open < want && n_open < most)
			open[n_open++] = third_alloc(p, site, 3000);
		state = phi * state + sqrt(1 - phi * phi) * noise_normal(noise);
	}
	third_truth(p, FLAT | UNDECIDED);
	third_close(p);
}

/* Huge pages come and go, as often up as down. */
void third_flat_huge_pages(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	double rate = third_between(p, .03, .15);
	int level = 0;
	size_t e;

	for (e = 0; e < n; e++) {
		if (third_chance(p, rate))
			level += level >= 3 ? -1 : level <= -3 || third_chance(p, .5) ? 1 : -1;
		p->wander[e] += level * 2097152.0;
	}
	p->base_rss += 8388608;
	while (third_next(p))
		;
	third_truth(p, FLAT);
	third_close(p);
}

/* Tables that the first event builds. */
void third_flat_init(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	size_t k = 1 + third_pick(p, 400);
	double bytes = third_log(p, 1e6, 2e7) / (double)k;

	while (third_next(p))
		for (; k; k--)
			third_alloc(p, site, bytes);
	third_truth(p, FLAT);
	third_close(p);
}

/* Freed some events late, as by an epoch or a double buffer. */
void third_flat_deferred(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	int64_t late = 2 + (int64_t)third_pick(p, 8);
	double mean = third_log(p, 2, 60), bytes = third_log(p, 50, 8000);
	size_t k;

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--)
			third_due(p, third_alloc(p, site, bytes), p->event + late, 0);
	third_truth(p, FLAT);
	third_close(p);
}

/* Vectors that double while a request is served, and are freed with it. */
void third_flat_doubling(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double mean = third_log(p, 2, 10), length = third_log(p, 50, 1000);

	while (third_next(p)) {
		size_t k = 1 + third_poisson(p, mean);

		for (; k; k--) {
			double want = 8 * third_lopsided(p, length, .5), bytes = 64;
			uint32_t block = third_alloc(p, site, bytes), larger;

			for (; bytes < want; block = larger) {
				larger = third_alloc(p, site, bytes *= 2);
				third_free(p, block);
			}
			third_free(p, block);
		}
	}
	third_truth(p, FLAT);
	third_close(p);
}

/* Arenas of a request, mapped and unmapped by the program itself. */
void third_flat_mappings(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_outside(p, third_any_slot(p), SEEP_MEMORY_MMAP, 1);
	int64_t late = (int64_t)third_pick(p, 4);
	size_t k;

	while (third_next(p))
		for (k = 1 + third_poisson(p, 2); k; k--) {
			double bytes = 65536.0 * (double)(1 + third_pick(p, 16));

			third_due(p, third_alloc(p, site, bytes), p->event + late,
				  third_last_slot(p));
		}
	third_truth(p, FLAT);
	third_close(p);
}

/* Day and night: what is open follows the load, several times up and down. */
void third_flat_tides(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double tides = third_between(p, 4, 9), mean = third_log(p, 5, 60);
	double depth = third_between(p, .3, .9), start = third_between(p, 0, 6.28);
	double step = 6.2832 * tides / (double)n;
	size_t k;

	while (third_next(p)) {
		double load = 1 + depth * sin(start + step * (double)p->event);

		for (k = third_poisson(p, mean * load); k; k--) {
			int64_t age = 1 + (int64_t)third_pick(p, 4);

			third_due(p, third_alloc(p, site, 1500), p->event + age, 0);
		}
	}
	third_truth(p, FLAT | SAWTOOTH | UNDECIDED);
	third_close(p);
}

/* One report that takes much for some events; the allocator may keep its pages. */
void third_flat_peak(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	int64_t when = (int64_t)(third_between(p, .2, .7) * (double)n);
	int64_t late = 1 + (int64_t)third_pick(p, 4);
	size_t k;

	while (third_next(p))
		for (k = p->event == when ? 200 + third_pick(p, 2000) : 0; k; k--)
			third_due(p, third_alloc(p, site, 6000), p->event + late, 0);
	third_truth(p, FLAT | STEP | RETENTION);
	third_close(p);
}

/* What was loaded at the start is given back little by little. */
void third_flat_draining(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, 0);
	size_t k = n / 2 + third_pick(p, 4 * n);
	double bytes = third_log(p, 100, 4000);

	for (; k; k--) {
		uint32_t block = third_alloc(p, site, bytes);

		third_due(p, block, (int64_t)third_pick(p, n + n / 4), 0);
	}
	while (third_next(p))
		;
	third_truth(p, FLAT | UNDECIDED);
	third_close(p);
}

/* --- once */

void third_step(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	int64_t when = (int64_t)(third_between(p, .25, .75) * (double)n);
	size_t blocks = 1 + third_pick(p, 300), k;
	double bytes = third_log(p, 2e6, 3e7) / (double)blocks;

	while (third_next(p))
		for (k = p->event == when ? blocks : 0; k; k--)
			third_alloc(p, site, bytes);
	third_truth(p, STEP);
	third_close(p);
}

/* Two plug-ins are loaded, one after the other. */
void third_two_steps(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	int64_t first = (int64_t)(third_between(p, .15, .35) * (double)n);
	int64_t second = (int64_t)(third_between(p, .5, .7) * (double)n);
	size_t blocks = 1 + third_pick(p, 300), k;
	double bytes = third_log(p, 2e6, 2e7) / (double)blocks;

	while (third_next(p)) {
		double part = p->event == first ? 1 : third_between(p, .4, 1.5);

		for (k = p->event == first || p->event == second ? blocks : 0; k; k--)
			third_alloc(p, site, part * bytes);
	}
	third_truth(p, STEP);
	third_close(p);
}

/* --- teeth */

/* Garbage that is collected when there is enough of it. */
void third_sawtooth(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p)), *garbage;
	double mean = third_log(p, 5, 40), period = third_between(p, 4, .12 * (double)n);
	double limit = mean * period;
	size_t n_garbage = 0, k, room = (size_t)(mean * (double)n * 2) + 200;

	garbage = seep_arena_array(&c->fake.arena, room, sizeof(*garbage));
	while (third_next(p)) {
		for (k = third_poisson(p, mean); k && n_garbage < room; k--)
			garbage[n_garbage++] = third_alloc(p, site, third_lopsided(p, 2000, .5));
		if ((double)n_garbage > limit) {
			while (n_garbage)
				third_free(p, garbage[--n_garbage]);
			limit = mean * period * third_between(p, .7, 1.3);
		}
	}
	third_truth(p, SAWTOOTH);
	third_close(p);
}

/* A log buffer that is written when full, every so many events. */
void third_flushes(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	int64_t period = 4 + (int64_t)third_pick(p, n / 12), next = period;
	double bytes = third_log(p, 20000, 300000);

	while (third_next(p)) {
		if (p->event >= next)
			next += period;
		third_due(p, third_alloc(p, site, bytes), next, 0);
	}
	third_truth(p, SAWTOOTH);
	third_close(p);
}
