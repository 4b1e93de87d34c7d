/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many events a program has processed, according to a file that it writes: a growing log, or
 * a heartbeat file that is overwritten.  Only the end of the file is read, and only when the
 * file has changed.
 */
#ifndef SEEP_CLI_WATCH_WATCH_EVENTS_H
#define SEEP_CLI_WATCH_WATCH_EVENTS_H

#include "base/err.h"
#include "cli/lines/lines_regex.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define SEEP_WATCH_EVENTS_TAIL 65536 /* bytes read from the end of the file */

struct seep_watch_events {
	bool wanted;
	struct seep_lines_regex regex;
	const char *path;
	bool seen;               /* a number was found at least once */
	int64_t number;          /* the last one */
	int64_t before;          /* events counted before the program restarted its count */
	bool looked;             /* the fields below describe the file at the last reading */
	dev_t device;
	ino_t inode;
	off_t bytes;
	struct timespec changed;
	char text[SEEP_WATCH_EVENTS_TAIL + 1];
};

/*
 * Parses "REGEX:PATH".  The last colon is the separator; the regex must have a group: one
 * named event, or the first.
 */
int seep_watch_events_init(struct seep_watch_events *events, const char *option,
			   struct seep_err *err);
void seep_watch_events_release(struct seep_watch_events *events);

/* Reads the file if it has changed.  A missing file, or one without a match, has no effect. */
void seep_watch_events_look(struct seep_watch_events *events);

/* All events so far; valid if seen. */
static inline int64_t seep_watch_events_done(const struct seep_watch_events *events)
{
	return events->before + events->number;
}

/* Takes the number from text, the end of the file; modifies text, which has room for a 0. */
void seep_watch_events_read(struct seep_watch_events *events, char *text, size_t bytes);

#endif
