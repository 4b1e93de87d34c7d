/* SPDX-License-Identifier: MIT */
/*
 * What is known of one site's chains (chains.h) by size and by event, in pieces of a cache line:
 * most sites need two or three.
 */
#ifndef SEEP_RECORD_HEAP_CELLS_H
#define SEEP_RECORD_HEAP_CELLS_H

#include <stdint.h>

#define SEEP_CELLS_PEAKS 8u

/* The sizes of one bin: those with the same number of bits. */
struct seep_cells_bin {
	uint64_t firsts;         /* chains that began with this size */
	uint64_t finals, final_bytes; /* chains whose latest size this is */
	uint64_t largest;
	uint64_t growths, moves; /* growths to this size; of these, to another address */
	uint64_t copied_bytes;
};

union seep_cells_cell {
	struct seep_cells_bin bin;
	uint64_t peaks[SEEP_CELLS_PEAKS]; /* the largest size reached, by event */
	uint32_t next;           /* of those that were given back; 0: it is the last */
};

/* Those of a thread. */
struct seep_cells {
	union seep_cells_cell *of; /* of[0] is for what has no room */
	uint32_t n, max;
	uint32_t unused;
};

/* A new one.  Its number is stored there; 0: there is no room. */
__attribute__((cold)) union seep_cells_cell *seep_cells_take(struct seep_cells *cells,
								  uint16_t *number);

static inline union seep_cells_cell *seep_cells_at(struct seep_cells *cells,
							uint16_t *number)
{
	return __builtin_expect(*number != 0, 1) ? &cells->of[*number]
						 : seep_cells_take(cells, number);
}

void seep_cells_give(struct seep_cells *cells, uint16_t number);

/* Of all cells that were ever taken. */
uint64_t seep_cells_bytes(void);

#endif
