/* SPDX-License-Identifier: MIT */
/*
 * Which addresses the program has mapped itself, and from which site.
 *
 * Memory that can be read or written is held (holdings.h).  A range that was mapped without
 * any access is only reserved: it holds nothing until mprotect opens it, and then belongs to the
 * site of that call.
 *
 * A range leaves the map before the kernel is asked to unmap it, since another thread may
 * get the same addresses at once.  It comes back if the kernel refuses.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_MAPPINGS_H
#define SEEP_RECORD_HEAP_BOOK_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

struct seep_mappings_range {
	uintptr_t start, end;
};

bool seep_mappings_init(void);

/* Whether the map is not empty. */
bool seep_mappings_any(void);

/* Takes everything in the range out of the map; 0: nothing was there. */
uint32_t seep_mappings_take(struct seep_mappings_range range);

/* ... which was not unmapped after all. */
void seep_mappings_put_back(uint32_t taken);

/* ... and has gone. */
void seep_mappings_forget(uint32_t taken, const void *frame_address);

/* ... and is now elsewhere, or larger, or smaller. */
void seep_mappings_move(uint32_t taken, struct seep_mappings_range from,
			struct seep_mappings_range to);

/* Enters a new range of this site (0: reserved only); what was in the range before has gone. */
void seep_mappings_add(struct seep_mappings_range range, uint32_t site,
		       const void *frame_address);

/* What was reserved in the range is now held by this site; and the reverse. */
void seep_mappings_open(struct seep_mappings_range range, uint32_t site);
void seep_mappings_reserve(struct seep_mappings_range range, const void *frame_address);

/* Whether any range may be reserved.  May say yes without need. */
bool seep_mappings_any_reserved(void);

/* Calls visit for every range that is held.  The lock of holdings.h is taken. */
void seep_mappings_visit(void (*visit)(struct seep_mappings_range range, void *context),
			 void *context);

uint64_t seep_mappings_own_bytes(void);

#endif
