/* SPDX-License-Identifier: MIT */
/*
 * The heap profiler that jemalloc or tcmalloc bring along, asked to write a dump at the
 * end of an event.  In libseep only: with the tracker, nobody else profiles.
 */
#ifndef SEEP_RECORD_ALONE_PROFILER_REAL_H
#define SEEP_RECORD_ALONE_PROFILER_REAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Looks for the profiler of that name in this process.  What is wrong with it in
 * words, or NULL.  prefix: what the names of its files begin with; it is copied.
 */
const char *seep_profiler_find(const char *name, const char *prefix);

/*
 * Writes a dump.  Its file is named as the profiler does it, with the event before the
 * ending: "jeprof.4131.0.m0.event49.heap".
 *
 * Calls the allocator: nothing of ours may be held.  One thread at a time.
 */
bool seep_profiler_dump(uint32_t event);

#endif
