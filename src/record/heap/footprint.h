/* SPDX-License-Identifier: MIT */
/*
 * What of the allocator's memory is resident.
 *
 * The allocator is not asked: it does not know.  It is anonymous memory in which there were
 * blocks, less what is known to be of others: mappings of the program, stacks of
 * threads, the data of objects, ourselves.
 */
#ifndef SEEP_RECORD_HEAP_FOOTPRINT_H
#define SEEP_RECORD_HEAP_FOOTPRINT_H

#include <stdint.h>

/*
 * -1 if it cannot be told, or if it could not be given back, since it is locked.  A
 * millisecond or more; one at a time.
 */
int64_t seep_footprint_resident(void);

#endif
