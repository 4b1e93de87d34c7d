/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A world for made-up runs, in which all that a trace tells comes from the same blocks.
 *
 * A generator says which blocks a site asks for in which event and in which event each of
 * them is given back.  From these alone come the live bytes at every stamp, the survivors
 * by birth, the ages of the dead, and, with what the allocator keeps, what is mapped and
 * some noise, RSS.  No number can contradict another one.
 *
 * An event is a row of stamps, BEGIN, the named ones, END; place k of an event is the
 * time behind its stamp k, so the last place lies between this event and the next.
 */
#ifndef SEEP_TESTS_SCORE_WORLD_H
#define SEEP_TESTS_SCORE_WORLD_H

#include "score.h"

#define WORLD_NEVER SIZE_MAX     /* the event in which a leaked block is given back */
#define WORLD_NO_SITE SIZE_MAX
#define WORLD_NAMES_MAX 8
#define WORLD_COUNTERS_MAX 8

enum world_counter { HITS, PHOTONS, BYTES, REQUESTS, WORLD_COUNTERS };

struct world_site {
	uint32_t kind;           /* enum seep_memory_kind */
	size_t born_at, dies_at; /* places */
	uint64_t born_blocks, born_bytes, died_blocks, died_bytes, moved_blocks;
	uint64_t early_blocks, early_bytes;
	uint64_t pinned_bytes, pinning_blocks;
	uint64_t ages[SEEP_TRACE_AGE_BINS];
	uint64_t *live_blocks, *live_bytes, *samples; /* by bin */
	double *variance;
};

/* Drawn by world_start; a generator may change them before it adds a site. */
struct world_knobs {
	double rss_sd;
	enum colour rss_colour;
	double rss_quantum;
	double heap_sd;          /* of the live heap at the begins, by blocks that come and go */
	double period_s, period_spread;
	double hits_mean, hits_spread;
	double sample_bytes;     /* one block in so many bytes is tracked; 0: every one is */
	double probe_gain;       /* of the allocator's free bytes, what a trim gives back */
	double slack_part;       /* of the live heap, what the allocator needs besides */
	double return_part;      /* per event, of what is free because less is alive than was */
	double base_bytes;       /* of RSS, neither heap nor file */
};

struct world {
	struct score_case *c;
	struct noise *noise;
	struct world_knobs knobs;
	size_t n;                /* events */
	size_t n_names, places;  /* named stamps; places of an event */
	const char *names[WORLD_NAMES_MAX];
	uint32_t name_ids[WORLD_NAMES_MAX];
	double *seconds;         /* when each event begins; n + 1 */
	double *bytes, *blocks;  /* what each place of each event adds to the live heap */
	double *unsampled;       /* bytes likewise, where the tracker saw a sample only */
	double early_bytes, early_blocks;
	double *mapped, *resident, *file; /* likewise, to what is not heap, and of it of files */
	double *slack;           /* per event: free in the allocator, besides the usual */
	double *beside;          /* per event: bytes of RSS that nobody asked for */
	int64_t *index;          /* per event: what the program calls it */
	double *counters[WORLD_COUNTERS_MAX];
	const char *counter_names[WORLD_COUNTERS_MAX];
	size_t n_counters;
	struct world_site *sites;
	size_t n_sites, site_room, bins;
	int64_t events_per_bin;
	size_t planted;           /* the site of the truth, or WORLD_NO_SITE */
};

/* Times, counters, stamps and knobs are drawn; heap says whether the tracker was there. */
void world_start(struct world *w, struct score_case *c, size_t n, struct noise *noise, bool heap);

/* Other named stamps than those drawn; NULL ends the list. */
void world_name_stamps(struct world *w, const char *const *names);

/* Draws times and counters again, after knobs were changed. */
void world_draw_times(struct world *w);
void world_draw_counters(struct world *w);
double *world_add_counter(struct world *w, const char *name);

/*
 * Now and then the tracker takes samples only, at most as coarse as leaves so many of
 * these bytes.  To be called before the first block.
 */
void world_draw_sampling(struct world *w, double bytes, double samples);

/* Puts in the sites that are in every program, and fills the case. */
void world_finish(struct world *w);

size_t world_add_site(struct world *w, size_t born_at, size_t dies_at);
size_t world_add_other(struct world *w, uint32_t kind, size_t born_at);

/* A place strictly inside the event, so that its phase has a beginning with a name. */
size_t world_inner_place(struct world *w);
/* The name of the stamp that begins the phase of that place, or NULL if there are no names. */
const char *world_phase(const struct world *w, size_t place);

/* count blocks born in event e, given back in event d. */
void world_blocks(struct world *w, size_t site, double count, double size, size_t e, size_t d);
/* ... born before the first event. */
void world_early(struct world *w, size_t site, double count, double size, size_t d);
/* The block born in event birth becomes larger in event e; it is never given back. */
void world_regrow(struct world *w, size_t site, double bytes, size_t birth, size_t e);
/* Mapped memory of a site that is not of the heap, never unmapped. */
void world_map(struct world *w, size_t site, double bytes, double resident, size_t e);
/* Bytes of a file that was mapped are read for the first time. */
void world_read_file(struct world *w, size_t site, double bytes, size_t e);

/* The event that runs at that time, n if it is behind the last. */
size_t world_event_at(const struct world *w, double seconds);

/* The truth of a leak: its kind, rate, site and phase. */
void world_leaks(struct world *w, double bytes_per_event, size_t site);
/* The truth of anything else: one kind or several, none of which leaks. */
void world_is(struct world *w, unsigned int kinds);

/* background.c: sites that no program is without, and that mean nothing. */
void world_add_background(struct world *w);

/* draws.c */
double draw_between(struct noise *noise, double low, double high);
double draw_log(struct noise *noise, double low, double high);
size_t draw_index(struct noise *noise, size_t n);
bool draw_chance(struct noise *noise, double p);
double draw_poisson(struct noise *noise, double mean);
double draw_binomial(struct noise *noise, double n, double p);
size_t draw_life(struct noise *noise, double mean); /* events, at least 1, geometric */
double draw_block_size(struct noise *noise);

#endif
