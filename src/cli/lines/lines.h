/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * seep run --event lines:REGEX and file:REGEX:PATH: an event begins with each line that matches.
 *
 *	program --> terminal or pipe --> reader --> seep's own stdout, stderr
 *	                                   |
 *	                                   +------> shared memory (trace/told.h) --> tracker
 *
 * The reader is a process of its own, so that the program's output survives whatever happens to
 * seep run: if that is killed, or has ended while programs in the background still write, the
 * reader goes on until nobody can write any more.  If there is nobody to read what it copies, it
 * closes its end, and the program is told by its next write.
 */
#ifndef SEEP_CLI_LINES_LINES_H
#define SEEP_CLI_LINES_LINES_H

#include "base/err.h"
#include "cli/lines/lines_channel.h"
#include "cli/lines/lines_regex.h"
#include "cli/lines/lines_status.h"
#include "cli/lines/lines_tail.h"
#include "trace/format.h"

#include <sys/types.h>

struct seep_lines {
	enum seep_trace_source source;
	const char *text;        /* REGEX or REGEX:PATH */
	struct seep_lines_regex regex;
	struct seep_lines_channels channels;
	struct seep_lines_tail tail;
	struct seep_lines_status *status;
	int over;                /* closed when the program has ended */
	int done;                /* closed by the reader when all was read that was written then */
	pid_t reader;            /* 0: not started */
};

/* The checks of run_event.c. */
int seep_lines_check(const char *text, struct seep_err *err);
int seep_lines_check_file(const char *text, struct seep_err *err);

/* Before the program is forked.  text stays where it is. */
int seep_lines_open(struct seep_lines *lines, enum seep_trace_source source, const char *text,
		    struct seep_err *err);

/* In the child that will be the program.  Returns 0 or errno. */
int seep_lines_use(const struct seep_lines *lines);

/* Starts the reader, before the program. */
int seep_lines_start(struct seep_lines *lines, struct seep_told *told, struct seep_err *err);

/* The program has ended, or never ran: waits until what it wrote is where it belongs. */
void seep_lines_finish(struct seep_lines *lines);
void seep_lines_close(struct seep_lines *lines);

#endif
