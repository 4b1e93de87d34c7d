/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scenarios of third.c, by the file that has them. */
#ifndef SEEP_TESTS_SCORE_THIRD_SCENARIOS_H
#define SEEP_TESTS_SCORE_THIRD_SCENARIOS_H

#include "third.h"

typedef void third_make(struct score_case *c, size_t n, struct noise *noise);

/* third_flat.c */
extern third_make
	third_flat_quiet, third_flat_loud, third_flat_requests, third_flat_sessions,
	third_flat_huge_pages, third_flat_init, third_flat_deferred, third_flat_doubling,
	third_flat_mappings, third_flat_tides, third_flat_peak, third_flat_draining, third_step,
	third_two_steps, third_sawtooth, third_flushes;

/* third_fill.c */
extern third_make
	third_saturating, third_saturating_slowly, third_stopped, third_cache_fills,
	third_cache_steady, third_cache_of_keys, third_cache_of_words, third_cache_by_time,
	third_long_sessions, third_pool, third_workers;

/* third_leaks.c */
extern third_make
	third_leak_constant, third_leak_small, third_leak_large, third_leak_lopsided,
	third_leak_hits, third_leak_photons, third_leak_errors, third_leak_overflow,
	third_leak_timer, third_leak_rare, third_leak_periodic, third_leak_part,
	third_leak_among_living, third_leak_unbalanced, third_leak_tree;

/* third_leaks_more.c */
extern third_make
	third_leak_warm, third_leak_late, third_leak_faster, third_leak_two, third_leak_between,
	third_leak_thread, third_leak_under_teeth, third_leak_of_keys, third_leak_listeners,
	third_history, third_history_doubles, third_backlog, third_leak_sampled,
	third_flat_sampled;

/* third_outside.c */
extern third_make
	third_retention, third_retention_by_maximum, third_retention_by_records,
	third_fragmentation, third_fragmentation_ends, third_leak_and_retention, third_mappings,
	third_stacks, third_break, third_file, third_jit, third_rss_flat, third_rss_growth,
	third_rss_saturating, third_rss_step, third_rss_teeth;

#endif
