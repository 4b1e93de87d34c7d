/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches, pools and all that grows to a bound. */
#include "third_scenarios.h"

#define FLAT SCORE_KIND(SEEP_KIND_FLAT)
#define SATURATING SCORE_KIND(SEEP_KIND_SATURATING)
#define STEP SCORE_KIND(SEEP_KIND_STEP)
#define CACHE SCORE_KIND(SEEP_KIND_CACHE)
#define LEAK SCORE_KIND(SEEP_KIND_LEAK)
#define UNDECIDED SCORE_KIND(SEEP_KIND_UNDECIDED)

/* Grows as 1 - exp(-event / tau), from blocks that are kept. */
static void run_exponential(struct third *p, double tau)
{
	uint32_t site = third_site(p, third_any_slot(p));
	double amplitude = third_log(p, 300, 5000), bytes = third_log(p, 200, 4000);
	size_t k;

	while (third_next(p)) {
		double e = (double)p->event;

		k = third_poisson(p, amplitude * (exp(-e / tau) - exp(-(e + 1) / tau)));
		for (; k; k--)
			third_alloc(p, site, bytes);
	}
}

void third_saturating(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);

	run_exponential(p, third_between(p, .08, .15) * (double)n);
	third_truth(p, SATURATING | CACHE);
	third_close(p);
}

void third_saturating_slowly(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);

	run_exponential(p, third_between(p, .2, .3) * (double)n);
	third_truth(p, SATURATING | CACHE | UNDECIDED);
	third_close(p);
}

/* A bug on a path that is taken no more. */
void third_stopped(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	int64_t end = (int64_t)(third_between(p, .4, .6) * (double)n);
	double mean = third_log(p, 1, 10), bytes = third_log(p, 500, 20000);
	size_t k;

	while (third_next(p))
		for (k = p->event < end ? third_poisson(p, mean) : 0; k; k--)
			third_alloc(p, site, bytes);
	third_truth(p, SATURATING | CACHE);
	third_close(p);
}

/* --- caches */

struct cache {
	uint32_t *blocks;
	size_t capacity, n;
};

static struct cache open_cache(struct third *p, size_t capacity)
{
	return (struct cache){
		.blocks = seep_arena_array(&p->c->fake.arena, capacity, sizeof(uint32_t)),
		.capacity = capacity,
	};
}

/* A newcomer drives out the oldest, or any one. */
static void insert(struct third *p, struct cache *cache, uint32_t block, bool oldest)
{
	size_t at = oldest ? 0 : third_pick(p, cache->n);

	if (cache->n == cache->capacity) {
		third_free(p, cache->blocks[at]);
		memmove(&cache->blocks[at], &cache->blocks[at + 1],
			(cache->n - at - 1) * sizeof(*cache->blocks));
		cache->n--;
	}
	cache->blocks[cache->n++] = block;
}

static uint32_t alloc_entry(struct third *p, uint32_t site, double bytes)
{
	return third_alloc(p, site, third_lopsided(p, bytes, .3));
}

/* The capacity is reached in the middle of the run. */
void third_cache_fills(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double mean = third_log(p, 2, 20), bytes = third_log(p, 300, 5000);
	double full = third_between(p, .25, .5) * (double)n;
	bool oldest = third_chance(p, .6);
	struct cache cache = open_cache(p, (size_t)(mean * full) + 2);
	size_t k;

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--)
			insert(p, &cache, alloc_entry(p, site, bytes), oldest);
	third_truth(p, SATURATING | CACHE);
	third_close(p);
}

/* Full from the start: read back from a disk before the first event. */
void third_cache_steady(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t early = third_site(p, 0), site = third_site(p, third_any_slot(p));
	double mean = third_log(p, 2, 20), bytes = third_log(p, 300, 5000);
	double age = third_between(p, .08, .4) * (double)n;
	bool oldest = third_chance(p, .6);
	struct cache cache = open_cache(p, (size_t)(mean * age) + 2);
	size_t k;

	while (cache.n < cache.capacity)
		insert(p, &cache, alloc_entry(p, early, bytes), oldest);
	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--)
			insert(p, &cache, alloc_entry(p, site, bytes), oldest);
	third_truth(p, CACHE | FLAT);
	third_close(p);
}

/* True if the key was not known; then it is. */
static bool is_new(unsigned char *known, size_t key)
{
	bool new = !known[key];

	known[key] = 1;
	return new;
}

/* So many keys and no more; nothing is ever thrown out. */
void third_cache_of_keys(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double mean = third_log(p, 5, 60);
	size_t keys = (size_t)(mean * third_between(p, .08, .15) * (double)n) + 10, k;
	unsigned char *known = seep_arena_array(&c->fake.arena, keys, 1);

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--)
			if (is_new(known, third_pick(p, keys)))
				third_alloc(p, site, third_lopsided(p, 3000, .4));
	third_truth(p, SATURATING | CACHE);
	third_close(p);
}

/*
 * Keys without end, of which the frequent ones are soon known.  Nothing is given back, and the
 * growth goes on more and more slowly: only that it rests is wrong to say.
 */
void third_cache_of_words(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double mean = third_log(p, 10, 60), alpha = third_between(p, .6, .9);
	size_t keys = 200000, k;
	unsigned char *known = seep_arena_array(&c->fake.arena, keys, 1);

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--) {
			double key = pow(noise_uniform(noise), -1 / alpha);

			if (key < (double)keys && is_new(known, (size_t)key))
				third_alloc(p, site, 1200);
		}
	third_truth(p, CACHE | SATURATING | LEAK | UNDECIDED);
	third_close(p);
}

/* Entries live for some seconds, whatever the events do. */
void third_cache_by_time(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double mean = third_log(p, 2, 20), whole = 0, ttl;
	size_t e, k;

	for (e = 0; e < n; e++)
		whole += p->seconds[e];
	ttl = whole * third_between(p, .04, .15);
	while (third_next(p)) {
		double left = ttl;
		int64_t end = p->event;

		while (end < (int64_t)n && left > 0)
			left -= p->seconds[end++];
		for (k = third_poisson(p, mean); k; k--)
			third_due(p, third_alloc(p, site, 2500), end, 0);
	}
	third_truth(p, CACHE | FLAT | SATURATING);
	third_close(p);
}

/* Sessions that live long, some very long, but none for ever. */
void third_long_sessions(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double mean = third_log(p, 2, 20), most = third_between(p, .12, .2) * (double)n;
	size_t k;

	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--) {
			double life = pow(noise_uniform(noise), -1 / 1.1);

			life = life < most ? life : most;
			third_due(p, third_alloc(p, site, 2000), p->event + (int64_t)life, 0);
		}
	third_truth(p, CACHE | FLAT | SATURATING);
	third_close(p);
}

/* Objects are taken from a pool, which grows while the load does. */
void third_pool(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p));
	double ramp = third_between(p, .15, .35) * (double)n, mean = third_log(p, 100, 800);
	size_t pool = 0;

	while (third_next(p)) {
		double part = (double)p->event / ramp;
		size_t want = third_poisson(p, mean * (part < 1 ? part : 1));

		for (; pool < want; pool++)
			third_alloc(p, site, 4000);
	}
	third_truth(p, SATURATING | CACHE);
	third_close(p);
}

/* Workers are started on demand, each with its arena; there is a largest number of them. */
void third_workers(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t slot = third_any_slot(p);
	uint32_t stack = third_outside(p, slot, SEEP_MEMORY_STACK, .01), arena = third_site(p,
											    slot);
	size_t most = 4 + third_pick(p, 28), workers = 0;
	double rate = (double)most / (third_between(p, .05, .12) * (double)n);

	while (third_next(p)) {
		size_t k = third_poisson(p, rate);

		for (; k && workers < most; k--, workers++) {
			third_alloc(p, stack, 8388608);
			third_alloc(p, arena, 40000);
		}
	}
	third_truth(p, SATURATING | CACHE | FLAT | STEP);
	third_close(p);
}
