/* SPDX-License-Identifier: MIT */
/*
 * Which addresses the program has mapped itself, and from which site.
 *
 * What can be read or written is held (holdings.h).  A range that was mapped without
 * any access is only reserved: it holds nothing until mprotect opens it, and is the
 * holding of whoever did that.
 *
 * A range leaves before the kernel is asked to unmap it, since another thread may
 * be given it the next moment, and comes back if the kernel refused.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_MAPPINGS_H
#define SEEP_RECORD_HEAP_BOOK_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

struct seep_mappings_range {
	uintptr_t start, end;
};

bool seep_mappings_init(void);

/* Whether there is anything that could be taken. */
bool seep_mappings_any(void);

/* Takes what is known in the range out of the map; 0 is nothing. */
uint32_t seep_mappings_take(struct seep_mappings_range range);

/* ... which was not unmapped after all */
void seep_mappings_put_back(uint32_t taken);

/* ... and has gone. */
void seep_mappings_forget(uint32_t taken, const void *frame_address);

/* ... and is at another place now, or larger or smaller. */
void seep_mappings_move(uint32_t taken, struct seep_mappings_range from,
			struct seep_mappings_range to);

/* A new one of this site (0: reserved only); what was known in the range has gone. */
void seep_mappings_add(struct seep_mappings_range range, uint32_t site,
		       const void *frame_address);

/* What was reserved in the range is now held by this site; or the other way round. */
void seep_mappings_open(struct seep_mappings_range range, uint32_t site);
void seep_mappings_reserve(struct seep_mappings_range range, const void *frame_address);

/* Whether the range has something reserved; a guess that may be yes. */
bool seep_mappings_any_reserved(void);

/* Calls visit for every range that is held.  The lock of holdings.h is taken. */
void seep_mappings_visit(void (*visit)(struct seep_mappings_range range, void *context),
			 void *context);

uint64_t seep_mappings_own_bytes(void);

#endif
