/* SPDX-License-Identifier: MIT */
/*
 * The types of the surviving objects, by site: "312 dict, 208 Order".
 *
 * While a snapshot lists the live blocks, the head of each block from an event is copied from the
 * program's memory, many in one system call.  A block is an object if one of the words where
 * CPython keeps the type of an object leads to a type.  One snapshot does this at a time.
 */
#ifndef SEEP_RECORD_HEAP_PYTHON_PYTHON_OBJECTS_H
#define SEEP_RECORD_HEAP_PYTHON_PYTHON_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/* False if there is no interpreter or no memory; then the other calls do nothing. */
bool seep_python_objects_begin(void);

void seep_python_objects_see(uint32_t site, uintptr_t block, uint64_t bytes);

/* Writes what was found.  The recording is held, inside the snapshot with this ordinal. */
void seep_python_objects_write(uint64_t ordinal);

#endif
