/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of a log file that a program writes: what is added is read.  A file that gets shorter is
 * read from its start, and so is another file that takes its name; what was added to the old one
 * until then is read first.
 */
#ifndef SEEP_CLI_LINES_LINES_TAIL_H
#define SEEP_CLI_LINES_LINES_TAIL_H

#include "base/err.h"
#include "cli/lines/lines_reader.h"

#include <sys/types.h>

struct seep_lines_tail {
	const char *path;
	int fd;                  /* -1: there is no file yet */
	off_t at;                /* bytes read so far */
	int notify;              /* inotify; -1: not possible, the file is looked at now and then */
	int watched;             /* the file, to inotify; -1: none */
	struct seep_lines_reader reader;
};

/* Splits "REGEX:PATH" at the last colon: the length of REGEX, or 0 if it is not such a text. */
size_t seep_lines_tail_split(const char *text);

/* What is in the file by now does not count. */
int seep_lines_tail_init(struct seep_lines_tail *tail, const char *path, struct seep_err *err);
void seep_lines_tail_release(struct seep_lines_tail *tail);

/* Reads what was added. */
void seep_lines_tail_look(struct seep_lines_tail *tail);

#endif
