/* SPDX-License-Identifier: MIT */
/*
 * The live blocks of each site by birth, counted for one snapshot.
 *
 * Most sites have no blocks, or blocks of one or two bins, and some have all.  So a site has a
 * chain of up to four slots, one per bin; if it needs more, it gets a row with a slot for each bin.
 *
 *	heads[site] ---> slot: bin ---> slot: bin        or, marked:        row of slots
 *
 * Two more bins, which do not count among the four, are for blocks that were born before the first
 * event, and for those that have grown, whenever they were born.
 */
#ifndef SEEP_RECORD_HEAP_BIRTHS_H
#define SEEP_RECORD_HEAP_BIRTHS_H

#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_BIRTHS_EARLY SEEP_TRACE_COHORT_BINS
#define SEEP_BIRTHS_GROWN (SEEP_TRACE_COHORT_BINS + 1)

struct seep_births_count {
	uint64_t blocks, bytes;
};

/* With sampling: the blocks that were really seen, and the variance. */
struct seep_births_sure {
	uint64_t blocks;
	__extension__ unsigned __int128 variance; /* of bytes */
};

struct seep_births {
	struct seep_births_sure *sure; /* by slot; NULL without sampling */
	struct seep_births_count *counts; /* by slot */
	struct seep_births_link {
		uint32_t next, bin;
	} *links;                      /* by slot, in chains */
	uint32_t *heads;               /* by site; 0: no blocks */
	uint32_t n, max;               /* slots */
	size_t bytes;                  /* of all tables, which begin at counts, or at sure */
};

/* False if there is no address space.  blocks: as many as there may be, more or less. */
bool seep_births_init(struct seep_births *births, uint32_t sites, uint64_t blocks, bool sampled);
void seep_births_release(struct seep_births *births);

/* Where a site's blocks of this bin are counted; 0: there is no room. */
uint32_t seep_births_slot(struct seep_births *births, uint32_t site, uint32_t bin);

/* The slots of a site, by bin; 0 where it has no blocks. */
void seep_births_list(const struct seep_births *births, uint32_t site,
		      uint32_t slots[SEEP_TRACE_COHORT_BINS]);

/* What was counted for one bin, and whether anything was born in an event. */
struct seep_births_count seep_births_look(const struct seep_births *births, uint32_t site,
					  uint32_t bin);
bool seep_births_has_events(const struct seep_births *births, uint32_t site);

#endif
