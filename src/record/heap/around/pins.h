/* SPDX-License-Identifier: MIT */
/*
 * Who keeps pages of the heap in memory that are nearly empty.
 *
 * An allocator can give a page back only when no live block is on it.  A page of
 * which blocks take at most a quarter is pinned by them: its free rest is shared
 * out equally over the blocks on it, and each site gets what falls to its own.
 *
 * The live blocks are scanned once, in the order of their addresses, so one page at a time
 * is enough to remember.  Not in a sample: there the other blocks on a page are not known.
 */
#ifndef SEEP_RECORD_HEAP_AROUND_PINS_H
#define SEEP_RECORD_HEAP_AROUND_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_pin {
	uint64_t bytes, blocks;
};

struct seep_pins {
	struct seep_pin *sites;  /* by id */
	uint32_t n_sites;
	size_t map_bytes;
	/*
	 * All live blocks, as large as the allocator makes them where that is known; of those
	 * that are so large that they may be partly untouched, what is in memory.
	 */
	uint64_t live_bytes;
};

/* False if it cannot be told.  One at a time. */
bool seep_pins_find(struct seep_pins *pins);

/* The recording is the caller's. */
void seep_pins_write(const struct seep_pins *pins);

void seep_pins_release(struct seep_pins *pins);

#endif
