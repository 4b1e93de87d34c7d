/* SPDX-License-Identifier: MIT */
/*
 * The heap profiler of jemalloc or tcmalloc, asked to write a dump at the end of an event.
 * In libseep only: the tracker takes the place of other profilers.
 */
#ifndef SEEP_RECORD_ALONE_PROFILER_REAL_H
#define SEEP_RECORD_ALONE_PROFILER_REAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Looks for the profiler of that name in this process.  Returns NULL, or a message that says what
 * is wrong.  prefix: how the names of its files begin; it is copied.
 */
const char *seep_profiler_find(const char *name, const char *prefix);

/*
 * Writes a dump.  Its file is named as the profiler names its files, with the event before the
 * ending: "jeprof.4131.0.m0.event49.heap".
 *
 * Calls the allocator: no lock of ours may be held.  One thread at a time.
 */
bool seep_profiler_dump(uint32_t event);

#endif
