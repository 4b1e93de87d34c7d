/* SPDX-License-Identifier: MIT */
/*
 * Child programs of the tracked program: which of them are followed, and what they share with
 * it.
 *
 * The part of the header that changes while the program runs is memory shared between seep run,
 * the program and those that it starts, and no mapping of the trace: see os/shared.h.
 */
#ifndef SEEP_RECORD_FOLLOW_H
#define SEEP_RECORD_FOLLOW_H

#include "trace/told.h"

#include <stdbool.h>

/*
 * Whether this program is among the names: globs with * and ?, separated by commas,
 * compared with the file name of the program and of its argv[0].
 */
bool seep_follow_is_named(const char *names);

/* The memory shared with the seep run that tracks the process pid (0: any); NULL: none. */
struct seep_trace_header *seep_follow_share(const char *name, uint32_t pid);

/*
 * For the process that seep run started: where its records may wait.  NULL: none, or the address
 * space is limited.
 */
struct seep_pending *seep_follow_pending(const char *name);

/* Where events are that seep run has seen from outside; NULL: none, or not possible. */
struct seep_told *seep_follow_told(const char *name, const struct seep_trace_header *shared);

/* Counts a program that is followed. */
void seep_follow_count(struct seep_trace_header *shared);

/* Whether one more child may create a trace. */
bool seep_follow_claim(struct seep_trace_header *shared);

/* Writes the command; seep run does that only for the program that it starts itself. */
void seep_follow_write_run(void);

/* Copies the limits that seep run found, from its trace into that of this process. */
void seep_follow_write_limits(const char *path);

/* Whether only this user can access an open file. */
bool seep_follow_is_private(int fd);

/*
 * Counts and names this program in the trace of the program that started it, and gives the
 * memory back.  That is all that is recorded of a program that is not followed.
 */
void seep_follow_count_started(struct seep_trace_header *shared);

#endif
