/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A little program that is made up as it runs: the held-out half of the scoreboard.
 *
 * A scenario is written as the loop that the program would have,
 *
 *	while (held_next(&h))
 *		while (held_phase(&h))
 *			if (h.phase == site->phase)
 *				held_alloc(&h, site, 1, 4096, HELD_FOREVER);
 *
 * and every block is booked under its site, birth and death as the tracker would do it.
 * RSS is made of the allocator's pages, of what is mapped, of file pages and of noise, as a
 * kernel would count it.  Around the scenario's own sites there are those of a
 * program that does its work: none of these grows.
 */
#ifndef SEEP_TESTS_HELD_H
#define SEEP_TESTS_HELD_H

#include "score.h"

#define HELD_FOREVER (-1)
#define HELD_EARLY (-1)          /* born before the first event */
#define HELD_PHASES 8
#define HELD_COUNTERS 8
#define HELD_KB 1024.
#define HELD_MB (1024. * 1024.)
#define HELD_PAGE 4096
#define HELD_LARGE (128 * 1024)  /* from here on an allocator maps a block by itself */

enum held_noise {
	HELD_QUIET,      /* a page now and then */
	HELD_WHITE,
	HELD_BURSTS,     /* rises at once, gone in some events */
	HELD_TAILS,      /* mostly small, at times twenty times as much */
	HELD_WANDER,     /* remembers ten events */
	HELD_SLOW,       /* remembers fifty */
	HELD_DAYS,       /* day and night */
	HELD_UNEVEN,     /* the more to do, the more noise */
	HELD_NOISES,
};

struct held_site {
	uint32_t id, kind;
	size_t phase;            /* where in the event its blocks are born */
	double resident;         /* of a mapping: the part that is touched */
	uint64_t *blocks, *bytes; /* that live, by birth event */
	uint64_t early_blocks, early_bytes;
	uint64_t born_blocks, born_bytes, died_blocks, died_bytes, moved_blocks;
	uint64_t ages[SEEP_TRACE_AGE_BINS];
	uint64_t pinned_bytes, pinning_blocks;
};

struct held_lot;                 /* blocks that will die together */
struct held_actor;               /* a site of the background and how it behaves */

/* What of the memory is not a block of the program. */
struct held_memory {
	const char *allocator;
	bool trims;              /* gives back the top of its heap */
	double decay;            /* ... or this part of what is free, in every event */
	double slack_bytes, slack_state; /* lost between blocks */
	double holes_bytes;      /* free, and of no use for what comes */
	double holes_gain, free_gain; /* the part of these, and of what else is free, that a
				       * probe brings back */
	bool probed;             /* for sure */
	double used, large;      /* by small blocks with their headers; by large ones */
	double footprint, touched; /* of the heap: got from the system; resident */

	enum held_noise noise;
	double noise_bytes;      /* its spread */
	bool noise_in_files;
	double level, shot;      /* of the noise, now */
	double warm_bytes, warm_events; /* pages that are touched for the first time */
	size_t n_huge;           /* huge pages that come and go */
	bool huge[8];
	double huge_flips;

	double file_bytes, anon_bytes;
	double read_bytes;       /* of a mapped file, so far */
	double non_heap_bytes, non_heap_resident;
};

struct held {
	struct score_case *c;
	struct noise *noise;
	struct seep_arena arena; /* for what does not outlive the making */
	size_t n;
	int64_t event;           /* HELD_EARLY before the first */
	int64_t index_from;      /* the event that the program calls 0 */
	size_t phase;            /* 0 from the begin on, then the named ones, between at last */
	size_t n_phases;         /* with 0, without between */
	const char *phase_names[HELD_PHASES];
	uint32_t phase_ids[HELD_PHASES];
	double phase_parts[HELD_PHASES + 1]; /* of the time of an event */
	bool ends;               /* events are ended, so that there is a between */
	double event_ns, spread; /* duration, and how it varies */
	double now_event_ns;     /* of this one */
	double day_events;       /* of a program whose work comes and goes by the day */

	struct held_site **sites;
	size_t n_sites, site_room;
	struct held_lot **at_begin, **at_end; /* who dies then, by event */
	struct held_actor **actors;
	size_t n_actors, actor_room;
	int64_t live_bytes, live_blocks;
	struct held_memory memory;
	double *load;            /* how much there is to do, by event; 1 in the mean */

	const char *counters[HELD_COUNTERS];
	double *counts[HELD_COUNTERS];
	size_t n_counters;
	double count_means[HELD_COUNTERS]; /* 0: the scenario counts */
	int64_t next_anchor;
	/* What another thread does in a phase, while so much time passes. */
	void (*meanwhile)(struct held *h, size_t place, double ns);
	void *other_thread;
};

/* Draws a program with its background; heap or only RSS is seen of it. */
void held_open(struct held *h, struct score_case *c, size_t n, struct noise *noise, bool heap);
/* The same, and the scenario names the phases: NULL at the end of the list. */
void held_open_phases(struct held *h, struct score_case *c, size_t n, struct noise *noise,
		      const char *const *phases);
bool held_next(struct held *h);
bool held_phase(struct held *h);
void held_close(struct held *h);

/* place: of a phase, or n_phases for between. */
struct held_site *held_site(struct held *h, uint32_t kind, size_t place);
/* A site of the heap in one of the named phases. */
struct held_site *held_site_somewhere(struct held *h);

/*
 * blocks of that size each; they live for so many events (0: until this one's end) or for
 * ever.  Before the first event is "early".
 */
void held_alloc(struct held *h, struct held_site *site, uint64_t blocks, double size, double life);
/* The same, in one piece in the allocator's heap however large it is. */
void held_alloc_heap(struct held *h, struct held_site *site, double size, double life);
/* Some that were born in event birth die now. */
void held_free(struct held *h, struct held_site *site, int64_t birth, uint64_t blocks,
	       double bytes);
/* realloc: the block born in event birth has so many bytes more. */
void held_grow(struct held *h, struct held_site *site, int64_t birth, double bytes);
/* Blocks and bytes of the site that live. */
uint64_t held_blocks(const struct held_site *site);
double held_bytes(const struct held_site *site);

/* Free memory that the allocator cannot use again. */
void held_add_holes(struct held *h, double bytes);

/* A counter of its own; values are set in h->counts[place] as the events pass. */
size_t held_counter(struct held *h, const char *name);

void held_truth(struct held *h, unsigned int kinds, double bytes_per_event);
/* ... and it is a leak. */
void held_truth_leak(struct held *h, double bytes_per_event);
void held_planted(struct held *h, const struct held_site *site);

/* held_background.c */
void held_background(struct held *h);
void held_background_act(struct held *h);

/* held_memory.c */
void held_memory_draw(struct held *h);
void held_memory_turn(struct held *h);
void held_memory_settle(struct held *h); /* blocks were born or died */
void held_memory_probe(struct held *h);
void held_memory_anchor(struct held *h);
double held_memory_rss(struct held *h);

/* Numbers. */
double held_between(struct held *h, double low, double high);
double held_log_between(struct held *h, double low, double high);
size_t held_pick(struct held *h, size_t n);
bool held_chance(struct held *h, double probability);
double held_exponential(struct held *h, double mean);
uint64_t held_poisson(struct held *h, double mean);
uint64_t held_binomial(struct held *h, uint64_t n, double probability);

/* The scenarios, a file each for those that are alike. */
#define HELD_MAKE(name) void name(struct score_case *c, size_t n, struct noise *noise)

HELD_MAKE(held_flat_quiet);
HELD_MAKE(held_flat_tails);
HELD_MAKE(held_flat_days);
HELD_MAKE(held_flat_wander);
HELD_MAKE(held_flat_huge_pages);
HELD_MAKE(held_flat_lru_short);
HELD_MAKE(held_flat_lru_long);
HELD_MAKE(held_flat_ttl);
HELD_MAKE(held_flat_first_event);
HELD_MAKE(held_flat_deferred);
HELD_MAKE(held_flat_double_buffer);
HELD_MAKE(held_flat_rss_only);

HELD_MAKE(held_leak_small);
HELD_MAKE(held_leak_page);
HELD_MAKE(held_leak_hits_array);
HELD_MAKE(held_leak_by_hits);
HELD_MAKE(held_leak_by_photons);
HELD_MAKE(held_leak_over_threshold);
HELD_MAKE(held_leak_rare);
HELD_MAKE(held_leak_one_percent);
HELD_MAKE(held_leak_and_lifetimes);
HELD_MAKE(held_leak_warm_up);
HELD_MAKE(held_leak_late);
HELD_MAKE(held_leak_faster);
HELD_MAKE(held_leak_timer);
HELD_MAKE(held_leak_two);
HELD_MAKE(held_leak_unbalanced);
HELD_MAKE(held_leak_wrap_around);
HELD_MAKE(held_leak_other_thread);
HELD_MAKE(held_leak_under_collector);
HELD_MAKE(held_leak_and_retention);
HELD_MAKE(held_leak_history);
HELD_MAKE(held_leak_backlog);
HELD_MAKE(held_leak_restarts);
HELD_MAKE(held_leak_rss_only);

HELD_MAKE(held_fill_stopped);
HELD_MAKE(held_fill_eighth);
HELD_MAKE(held_fill_quarter);
HELD_MAKE(held_fill_half);
HELD_MAKE(held_fill_linear);
HELD_MAKE(held_fill_keys);
HELD_MAKE(held_fill_zipf);
HELD_MAKE(held_fill_pool);
HELD_MAKE(held_fill_step);
HELD_MAKE(held_fill_collector);
HELD_MAKE(held_fill_rss_only);

HELD_MAKE(held_pages_retention);
HELD_MAKE(held_pages_running_maximum);
HELD_MAKE(held_pages_fragments);
HELD_MAKE(held_pages_fragments_plateau);
HELD_MAKE(held_pages_mappings);
HELD_MAKE(held_pages_stacks);
HELD_MAKE(held_pages_file);

#endif
