/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many events a program has done, as it tells in a file: a log that grows, or a heartbeat
 * that is written over.  Only the end of the file is read, and only when it has changed.
 */
#ifndef SEEP_CLI_WATCH_WATCH_EVENTS_H
#define SEEP_CLI_WATCH_WATCH_EVENTS_H

#include "base/err.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define SEEP_WATCH_EVENTS_TAIL 65536 /* bytes that are looked at */

struct seep_watch_events {
	bool wanted;
	regex_t regex;
	const char *path;
	bool seen;               /* a number was found */
	int64_t number;          /* the last one */
	int64_t before;          /* events of loops that were counted before this one began anew */
	bool looked;             /* at a file like this: */
	dev_t device;
	ino_t inode;
	off_t bytes;
	struct timespec changed;
	char text[SEEP_WATCH_EVENTS_TAIL + 1];
};

/* From "REGEX:PATH": the last colon counts, and the regex must have a group. */
int seep_watch_events_init(struct seep_watch_events *events, const char *option,
			   struct seep_err *err);
void seep_watch_events_release(struct seep_watch_events *events);

/* Reads what is new.  A file that is not there, or says nothing, changes nothing. */
void seep_watch_events_look(struct seep_watch_events *events);

/* Events done in all, if seen. */
static inline int64_t seep_watch_events_done(const struct seep_watch_events *events)
{
	return events->before + events->number;
}

/* The end of the file as a text, with room for a zero behind it; it is changed. */
void seep_watch_events_read(struct seep_watch_events *events, char *text, size_t bytes);

#endif
