/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The third set: a made-up program that allocates block by block, with a made-up allocator
 * under it.  A scenario is written as a program would be:
 *
 *	struct third *p = third_open(c, n, noise, 0);
 *	uint32_t site = third_site(p, third_any_slot(p));
 *
 *	while (third_next(p))
 *		third_alloc(p, site, 100);
 *	third_close(p);
 *
 * An event is a walk through slots: slot 0 follows BEGIN, slot k the k-th named stamp, and the
 * one behind END lies between the events.  third_alloc walks on to the slot of its site, so a
 * program uses its sites in that order.  What the books say (born, died, ages, survivors by
 * birth, chains) is counted as the tracker counts it, and RSS follows from the pages that the
 * allocator holds.
 */
#ifndef SEEP_TESTS_SCORE_THIRD_H
#define SEEP_TESTS_SCORE_THIRD_H

#include "score.h"

#define THIRD_SLOTS 9
#define THIRD_CLASSES 40
#define THIRD_PAGE 4096
#define THIRD_UNIT_PAGES 4
#define THIRD_UNIT (THIRD_UNIT_PAGES * THIRD_PAGE)
#define THIRD_SMALL_MOST 8192
#define THIRD_COUNTERS 8
#define THIRD_NONE UINT32_MAX

/* Wishes of a scenario; all else is drawn. */
#define THIRD_NO_HEAP 1u        /* stamps only: no tracker */
#define THIRD_SAMPLED 2u        /* the tracker takes samples */
#define THIRD_HAS_END 4u        /* events end before the next one begins */
#define THIRD_STEADY_RSS 8u     /* little noise of RSS, so that RSS alone can be judged */
#define THIRD_LOUD_RSS 16u      /* much of it */
#define THIRD_KEEPS_PAGES 32u   /* the allocator gives nothing back by itself */
#define THIRD_PHASES 64u        /* two named stamps at least */

struct third_block {
	uint64_t bytes;
	uint32_t site;
	uint32_t weight;         /* for how many it counts in the books; 0: not tracked */
	uint32_t unit;           /* of pages; THIRD_NONE: it has pages of its own */
	uint32_t next;           /* of those that are due at the same time, or that are spare */
	int64_t birth;           /* event, SEEP_EVENT_NONE before the first */
	bool alive, grown;
};

struct third_site {
	uint32_t slot, kind, phase;
	double resident_part;    /* of what is not heap */
	uint64_t born_blocks, born_bytes, died_blocks, died_bytes, moved_blocks;
	uint64_t ages[SEEP_TRACE_AGE_BINS], freed[SEEP_TRACE_AGE_BINS];
	uint64_t early_blocks, early_bytes; /* that live */
	uint64_t *live_blocks, *live_bytes, *samples; /* by event of birth */
	double *variance;
	struct seep_moves *moves;
};

/* Pages in units of four; a unit holds blocks of one class, until all of them have died. */
struct third_unit {
	uint32_t blocks, generation;
	uint64_t bytes;
};

struct third_hole {
	uint32_t unit, generation;
};

struct third_class {
	struct third_hole *holes;
	size_t n, room;
};

struct third_heap {
	struct third_unit *units;
	size_t n_units, unit_room;
	uint32_t *spare;
	size_t n_spare, spare_room;
	struct third_class classes[THIRD_CLASSES];
	int64_t used_units, large_pages, free_pages; /* in memory */
	int64_t mapped_pages;    /* that it ever had from the system and did not return */
	bool returns_large;      /* blocks of 128 KiB and more go back to the system at once */
	double decay;            /* part of the free pages that go back in each event */
	const char *name;
};

/* Sites that have nothing to do with the scenario. */
enum third_habit { TEMPORARY, LINGERING, RING, RARE, BURST, SWAP, N_HABITS };

struct third_actor {
	enum third_habit habit;
	uint32_t site;
	double mean, bytes, spread, life;
	uint32_t *ring;
	size_t capacity, n, at;
};

struct third_counter {
	const char *name;
	double *values;
};

struct third {
	struct score_case *c;
	struct noise *noise;
	size_t n;                /* events */
	unsigned int wishes;
	int64_t event;           /* now */
	uint32_t slot, named;    /* now; and how many slots begin with a named stamp */
	uint32_t names[THIRD_SLOTS];
	bool has_end;

	struct third_site *sites;
	size_t n_sites, site_room;
	struct third_block *blocks;
	size_t n_blocks, block_room;
	uint32_t spare_block;
	uint32_t *due;           /* first block by event and slot */
	struct third_heap heap;
	struct third_actor *actors;
	size_t n_actors;
	struct third_counter counters[THIRD_COUNTERS];
	size_t n_counters;

	int64_t live_bytes, live_blocks; /* in the books */
	int64_t real_bytes;              /* of all blocks */
	int64_t most_blocks;
	int64_t held_bytes, file_bytes;  /* outside the heap, of files */
	double held_resident;
	uint32_t last_site;              /* of the last birth, for blocks that are replaced */
	uint32_t last_block;

	double mean_sample;              /* 0: all blocks are tracked */
	double *seconds;                 /* how long each event takes */
	double *wander;                  /* noise of RSS, by event */
	double jitter, base_rss, tracker_base;
	int64_t event_start_ns, last_anchor;
};

/* third_world.c */
struct third *third_open(struct score_case *c, size_t n, struct noise *noise,
			 unsigned int wishes);
uint32_t third_site(struct third *p, uint32_t slot);
uint32_t third_outside(struct third *p, uint32_t slot, uint32_t kind, double resident_part);
bool third_next(struct third *p);
void third_go(struct third *p, uint32_t slot);
uint32_t third_alloc(struct third *p, uint32_t site, double bytes);
void third_free(struct third *p, uint32_t block);
void third_due(struct third *p, uint32_t block, int64_t event, uint32_t slot);
void third_resize(struct third *p, uint32_t block, double bytes);
double *third_counter(struct third *p, const char *name);
uint32_t third_last_slot(const struct third *p); /* the last one of an event, before END */

/* third_close.c */
void third_close(struct third *p);

/* third_stamp.c */
void third_stamp(struct third *p, uint32_t name, uint16_t flags, double part);
void third_anchor(struct third *p, uint16_t flags);
int64_t third_rss(const struct third *p);

/* third_heap.c */
void third_heap_put(struct third *p, struct third_block *block);
void third_heap_take(struct third *p, struct third_block *block);
void third_heap_decay(struct third_heap *heap);
int64_t third_heap_resident(const struct third_heap *heap);
double third_heap_class_bytes(uint32_t class); /* the largest block of it */

/* third_chains.c */
void third_chain_on(struct third *p, uint32_t site, const struct third_block *old,
		    uint64_t bytes, bool replaced, bool moved);

/* third_background.c */
void third_background_open(struct third *p);
void third_background_enter(struct third *p);
void third_fill_wander(struct third *p);

/* third_draw.c */
double third_between(struct third *p, double low, double high);
double third_log(struct third *p, double low, double high);
size_t third_pick(struct third *p, size_t n); /* 0 to n - 1 */
bool third_chance(struct third *p, double probability);
size_t third_poisson(struct third *p, double mean);
double third_lopsided(struct third *p, double mean, double spread); /* log-normal */
uint32_t third_any_slot(struct third *p);

/* third_draw.c: truths */
void third_truth(struct third *p, unsigned int kinds);
void third_truth_leak(struct third *p, double bytes_per_event, uint32_t site);
void third_truth_rate(struct third *p, unsigned int kinds, double bytes_per_event,
		      uint32_t site);

#endif
