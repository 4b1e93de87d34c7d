/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaks of one site: how much, how often, and in proportion to what. */
#include "held.h"

/* A record's header is forgotten in each event; the pages of mapped files move by 10 MB. */
void held_leak_small(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	struct held h;

	held_open(&h, c, n, noise, true);
	h.memory.noise = held_chance(&h, .5) ? HELD_WHITE : HELD_TAILS;
	h.memory.noise_bytes = 10 * HELD_MB;
	h.memory.file_bytes = 80 * HELD_MB;
	h.memory.noise_in_files = true;
	site = held_site_somewhere(&h);
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, 1, 100, HELD_FOREVER);
	held_truth_leak(&h, 100);
	held_planted(&h, site);
	held_close(&h);
}

/* A request's buffer whose owner is never deleted. */
void held_leak_page(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, 1, 4096, HELD_FOREVER);
	held_truth_leak(&h, 4096);
	held_planted(&h, site);
	held_close(&h);
}

/* The same, and only RSS is known: enough of it that it can be seen. */
void held_leak_rss_only(struct score_case *c, size_t n, struct noise *noise)
{
	static const enum held_noise kinds[] = { HELD_QUIET, HELD_WHITE, HELD_BURSTS,
						 HELD_UNEVEN, HELD_WANDER };
	struct held_site *site;
	double rate;
	struct held h;

	held_open(&h, c, n, noise, false);
	h.memory.noise = kinds[held_pick(&h, 5)];
	rate = held_log_between(&h, 4096, 64 * HELD_KB);
	h.memory.noise_bytes = rate * (double)n / held_between(&h, 15, 60);
	h.memory.warm_bytes = h.memory.n_huge = 0;
	site = held_site_somewhere(&h);
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, 4, floor(rate / 4), HELD_FOREVER);
	/* Pages are counted; of each block 16 bytes more are the allocator's. */
	held_truth(&h, SCORE_KIND(SEEP_KIND_GROWTH), floor(rate / 4) * 4 + 64);
	h.c->truth.phase = h.phase_names[site->phase];
	held_close(&h);
}

/* Hits of an event are copied into a collection that the reset behind forgets. */
void held_leak_hits_array(struct score_case *c, size_t n, struct noise *noise)
{
	static const char *const phases[] = { "simulate_HEAD", "simulate_TAIL", "reset", NULL };
	struct held_site *site;
	struct held h;

	held_open_phases(&h, c, n, noise, phases);
	site = held_site(&h, SEEP_MEMORY_HEAP, 2);
	while (held_next(&h)) {
		double bytes = 2197e3 + 48e3 * noise_normal(noise);

		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, (uint64_t)(bytes / 4000), 4000,
					   HELD_FOREVER);
	}
	held_truth_leak(&h, 2197e3 - 2000); /* whole blocks */
	held_planted(&h, site);
	held_close(&h);
}

/* Hits vary with the energy of what came in, far more than their own statistics. */
static double draw_hits(struct held *h, double mean)
{
	return (double)held_poisson(h, mean * exp(.3 * noise_normal(h->noise)));
}

void held_leak_by_hits(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	size_t hits, photons;
	double sum = 0;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	photons = held_counter(&h, "photons");
	hits = held_counter(&h, "hits");
	while (held_next(&h)) {
		h.counts[hits][h.event] = draw_hits(&h, 36000);
		h.counts[photons][h.event] = draw_hits(&h, 1e6);
		sum += h.counts[hits][h.event];
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, (uint64_t)h.counts[hits][h.event], 60,
					   HELD_FOREVER);
	}
	held_truth_leak(&h, 60 * sum / (double)n);
	held_planted(&h, site);
	c->truth.drivers[0] = "hits";
	held_close(&h);
}

/* Hits are photons that were seen, and the light collection varies a little. */
void held_leak_by_photons(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	size_t hits, photons;
	double sum = 0;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	photons = held_counter(&h, "photons");
	hits = held_counter(&h, "hits");
	while (held_next(&h)) {
		double light = draw_hits(&h, 2e4);

		h.counts[photons][h.event] = light;
		h.counts[hits][h.event] = floor(light * .2 * exp(.06 * noise_normal(noise)));
		sum += light;
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, (uint64_t)light, 16, HELD_FOREVER);
	}
	held_truth_leak(&h, 16 * sum / (double)n);
	held_planted(&h, site);
	c->truth.drivers[0] = "photons";
	c->truth.drivers[1] = "hits";
	held_close(&h);
}

/* Only showers of many tracks take the way on which a copy is lost. */
void held_leak_over_threshold(struct score_case *c, size_t n, struct noise *noise)
{
	double part, size;
	struct held_site *site;
	size_t showers, counter;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	counter = held_counter(&h, "shower_tracks");
	part = fmax(held_between(&h, .08, .2), 10 / (double)n);
	size = held_log_between(&h, 4096, 65536);
	for (showers = 0; held_next(&h);) {
		bool large = held_chance(&h, part);

		/* A threshold of 100: exponential on both sides of it. */
		h.counts[counter][h.event] = large ? 100 + floor(held_exponential(&h, 60))
						   : floor(held_between(&h, 1, 99));
		showers += large;
		while (held_phase(&h))
			if (h.phase == site->phase && large)
				held_alloc(&h, site, 1, size, HELD_FOREVER);
	}
	held_truth_leak(&h, part * floor(size));
	held_planted(&h, site);
	if (showers < 5)
		c->truth.kinds |= SCORE_KIND(SEEP_KIND_UNDECIDED);
	held_close(&h);
}

/* A connection breaks off in one event of twenty, and its buffer is lost. */
void held_leak_rare(struct score_case *c, size_t n, struct noise *noise)
{
	double part = fmax(.05, 8 / (double)n);
	struct held_site *site;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	while (held_next(&h)) {
		bool breaks = held_chance(&h, part);

		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, 1, 65536, breaks ? HELD_FOREVER : 0);
	}
	held_truth_leak(&h, part * 65536);
	held_planted(&h, site);
	if (held_blocks(site) < 5)
		c->truth.kinds |= SCORE_KIND(SEEP_KIND_UNDECIDED);
	held_close(&h);
}

/* Of 200 objects in an event two have a reference too many. */
void held_leak_one_percent(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	double size;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	size = floor(held_log_between(&h, 80, 2000));
	while (held_next(&h)) {
		uint64_t lost = held_binomial(&h, 200, .01);

		while (held_phase(&h))
			if (h.phase == site->phase) {
				held_alloc(&h, site, 200 - lost, size, 0);
				held_alloc(&h, site, lost, size, HELD_FOREVER);
			}
	}
	held_truth_leak(&h, 2 * size);
	held_planted(&h, site);
	held_close(&h);
}

/* Futures that wait for some events; one of ten is never fulfilled. */
void held_leak_and_lifetimes(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	double size, rate;
	struct held h;
	uint64_t i, born;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	size = floor(held_log_between(&h, 100, 4000));
	rate = held_between(&h, 10, 40);
	while (held_next(&h)) {
		born = held_poisson(&h, rate);
		while (held_phase(&h))
			for (i = 0; h.phase == site->phase && i < born; i++)
				held_alloc(&h, site, 1, size,
					   held_chance(&h, .1) ? HELD_FOREVER
							       : floor(held_exponential(&h, 5)));
	}
	held_truth_leak(&h, .1 * rate * size);
	held_planted(&h, site);
	held_close(&h);
}

/* While caches fill, a leak begins that is there for the whole run. */
void held_leak_warm_up(struct score_case *c, size_t n, struct noise *noise)
{
	double size, tau, entries, entry;
	struct held_site *site, *cache;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	cache = held_site_somewhere(&h);
	size = floor(held_log_between(&h, 1000, 30000));
	tau = (double)n / held_between(&h, 15, 30);
	entry = floor(held_log_between(&h, 200, 2000));
	entries = fmax(200, size * (double)n * held_between(&h, .5, 1.5) / entry);
	while (held_next(&h)) {
		double left = entries - (double)held_blocks(cache);
		uint64_t born = held_poisson(&h, left * (1 - exp(-1 / tau)));

		while (held_phase(&h)) {
			if (h.phase == cache->phase)
				held_alloc(&h, cache, born, entry, HELD_FOREVER);
			if (h.phase == site->phase)
				held_alloc(&h, site, 1, size, HELD_FOREVER);
		}
	}
	held_truth_leak(&h, size);
	held_planted(&h, site);
	held_close(&h);
}

/* From .4 n on the other side sends what is not understood, and that is kept. */
void held_leak_late(struct score_case *c, size_t n, struct noise *noise)
{
	int64_t first = (int64_t)(.4 * (double)n);
	struct held_site *site;
	double size;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	size = floor(held_log_between(&h, 2000, 60000));
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase) {
				held_alloc(&h, site, 3, size, 0);
				if (h.event >= first)
					held_alloc(&h, site, 1, size, HELD_FOREVER);
			}
	held_truth_leak(&h, size);
	held_planted(&h, site);
	held_close(&h);
}

/* A list gets one item longer in each event, is copied in each, and the copy is lost. */
void held_leak_faster(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	double size;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	size = floor(held_log_between(&h, 32, 400));
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, (uint64_t)h.event + 1, size, HELD_FOREVER);
	held_truth_leak(&h, .875 * (double)n * size);
	held_planted(&h, site);
	held_close(&h);
}
