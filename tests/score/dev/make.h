/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The development generators; dev.c lists them. */
#ifndef SEEP_TESTS_SCORE_MAKE_H
#define SEEP_TESTS_SCORE_MAKE_H

#include "world.h"

#define SATURATING SCORE_KIND(SEEP_KIND_SATURATING)
#define STEP SCORE_KIND(SEEP_KIND_STEP)
#define CACHE SCORE_KIND(SEEP_KIND_CACHE)
#define SAWTOOTH SCORE_KIND(SEEP_KIND_SAWTOOTH)
#define RETENTION SCORE_KIND(SEEP_KIND_RETENTION)
#define FRAGMENTATION SCORE_KIND(SEEP_KIND_FRAGMENTATION)
#define NON_HEAP SCORE_KIND(SEEP_KIND_NON_HEAP)
#define GROWTH SCORE_KIND(SEEP_KIND_GROWTH)
#define FLAT SCORE_KIND(SEEP_KIND_FLAT)
#define UNDECIDED SCORE_KIND(SEEP_KIND_UNDECIDED)

#define MAKE(name) void make_##name(struct score_case *c, size_t n, struct noise *noise)

/* make_flat.c */
MAKE(flat_white);
MAKE(flat_wander);
MAKE(flat_huge_pages);
MAKE(first_event);
MAKE(deferred);
MAKE(rss_flat);
MAKE(rss_leak);
MAKE(rss_saturating);

/* make_leaks.c */
MAKE(leak_tiny);
MAKE(leak_constant);
MAKE(leak_notes);
MAKE(leak_hits);
MAKE(leak_photons);
MAKE(leak_threshold);
MAKE(leak_rare);
MAKE(leak_few);
MAKE(leak_among_living);
MAKE(leak_two);
MAKE(leak_unbalanced);
MAKE(leak_between);
MAKE(leak_thread);

/* make_leaks_late.c */
MAKE(leak_warmup);
MAKE(leak_onset);
MAKE(leak_accelerating);
MAKE(leak_timer);
MAKE(leak_stops);
MAKE(leak_garbage);
MAKE(growing_structure);
MAKE(leak_restarts);

/* make_caches.c */
MAKE(saturating);
MAKE(saturating_slow);
MAKE(cache_fill);
MAKE(cache_steady);
MAKE(cache_keys);
MAKE(cache_zipf);
MAKE(cache_ttl);
MAKE(pool);
MAKE(step);
MAKE(sawtooth);

/* make_allocator.c */
MAKE(retention_pinned);
MAKE(retention_maximum);
MAKE(fragmentation_log);
MAKE(fragmentation_plateau);
MAKE(leak_and_retention);
MAKE(non_heap);

/* make_edges.c */
MAKE(steps_two);
MAKE(leak_and_array);
MAKE(leak_breaks);
MAKE(leak_two_wander);
MAKE(mapped_stops);
MAKE(fragmentation_ended);
MAKE(draining);
MAKE(sawtooth_kept);
MAKE(saturating_small);
MAKE(flat_small);

/* Sizes of so many blocks that are not too little to matter, whatever the noise. */
static inline double make_matter(double size, double blocks)
{
	return fmax(size, 1e6 / blocks);
}

/* Per event, the one in which what was born in it is collected as garbage. */
size_t *make_collections(struct world *w, double period);

#endif
