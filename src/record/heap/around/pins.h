/* SPDX-License-Identifier: MIT */
/*
 * Which sites keep nearly empty heap pages in memory.
 *
 * An allocator can give a page back only if no live block is on it.  If live blocks fill at most
 * a quarter of a page, they pin it: the free bytes of the page are divided equally among the
 * blocks on it, and each site gets the share of its blocks.
 *
 * The live blocks are scanned once, in the order of their addresses, so only one page has to be
 * remembered.  With sampling there are no pins: the other blocks on a page are not known.
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
	 * All live blocks, rounded up as the allocator does it, if that is known.  Large blocks,
	 * which the program may not have touched completely, count as far as they are resident.
	 */
	uint64_t live_bytes;
};

/* False if it cannot be found out.  One thread at a time. */
bool seep_pins_find(struct seep_pins *pins);

/* The recording is held. */
void seep_pins_write(const struct seep_pins *pins);

void seep_pins_release(struct seep_pins *pins);

#endif
