/* SPDX-License-Identifier: MIT */
/*
 * Child programs of the tracked program: which of them are followed, and what they share with
 * its trace.  path is always that of the trace that seep run created.
 */
#ifndef SEEP_RECORD_FOLLOW_H
#define SEEP_RECORD_FOLLOW_H

#include "trace/format.h"

#include <stdbool.h>

/*
 * Whether this program is among the names: globs with * and ?, separated by commas,
 * compared with the file name of the program and of its argv[0].
 */
bool seep_follow_is_named(const char *names);

/* Maps the first page of a trace, shared; NULL if the file is not a trace. */
struct seep_trace_header *seep_follow_map(const char *path, bool write);

/* Counts a program that is followed. */
void seep_follow_count(const char *path);

/* Whether one more child may create a trace. */
bool seep_follow_claim(const char *path);

/* Copies the limits that seep run found into the trace of this process. */
void seep_follow_write_limits(const char *path);

/* Whether only this user can access an open file. */
bool seep_follow_is_private(int fd);

/*
 * Counts and names this program in the header of the trace of the program that started it.
 * That is all that is recorded of a program that is not followed.
 */
void seep_follow_count_started(const char *path);

#endif
