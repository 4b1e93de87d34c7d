/* SPDX-License-Identifier: MIT */
/*
 * What of the allocator's memory is resident.
 *
 * The allocator is not asked: it does not know.  It is anonymous memory in which there were
 * blocks, less what is known to be of others: mappings of the program, stacks of
 * threads, the data of objects, ourselves.
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
 * False if it cannot be told, or if the heap could not be given back, since it is
 * locked.  Some 20 ms for a gigabyte; one at a time.
 */
bool seep_footprint_find(struct seep_footprint *footprint);

#endif
