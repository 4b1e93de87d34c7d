/* SPDX-License-Identifier: MIT */
/*
 * How much of the allocator's memory is resident.
 *
 * The allocator itself does not know.  Its memory is all anonymous memory in which there were
 * blocks, minus what is known to belong to others: mappings of the program, stacks of
 * threads, the data of loaded objects, and the tracker.
 */
#ifndef SEEP_RECORD_HEAP_AROUND_FOOTPRINT_H
#define SEEP_RECORD_HEAP_AROUND_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct seep_footprint {
	int64_t heap_bytes;      /* of the allocator */
	int64_t anonymous_bytes; /* of the whole process */
};

/*
 * False if it cannot be found out, or if the heap is locked and could not be given back.
 * Takes some 20 ms per gigabyte.  One thread at a time.
 */
bool seep_footprint_find(struct seep_footprint *footprint);

#endif
