/* SPDX-License-Identifier: MIT */
/*
 * Programs that the tracked one starts: which of them are followed, and what they have
 * from its trace.  path is always that of the trace that seep run made.
 */
#ifndef SEEP_RECORD_FOLLOW_H
#define SEEP_RECORD_FOLLOW_H

#include "trace/format.h"

#include <stdbool.h>

/*
 * Whether this program is among the names: globs with * and ?, separated by commas,
 * held against the file name of the program and of its argv[0].
 */
bool seep_follow_is_named(const char *names);

/* Maps the first page of a trace, shared; NULL if the file is not a trace. */
struct seep_trace_header *seep_follow_map(const char *path, bool write);

/* A program to be followed has begun. */
void seep_follow_count(const char *path);

/* Whether one more child may make a trace. */
bool seep_follow_claim(const char *path);

/* Copies the limits that seep run found into the trace of this process. */
void seep_follow_write_limits(const char *path);

/* Whether an open file belongs to this user and to nobody else. */
bool seep_follow_is_private(int fd);

/*
 * In a program that the tracked one has started: says so in the header of that
 * one's trace, and nothing more.
 */
void seep_follow_count_started(const char *path);

#endif
