/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands between the program and its standard output and standard error, so that they can be
 * read: a terminal where it was a terminal, else a pipe.  If both are the same open file, both go
 * through one channel, and what is written to them stays in order.
 *
 * A terminal in between is only a device.  The program keeps its controlling terminal, so Ctrl-C,
 * Ctrl-Z and standard input are as they were.
 */
#ifndef SEEP_CLI_LINES_LINES_CHANNEL_H
#define SEEP_CLI_LINES_LINES_CHANNEL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct seep_lines_channel {
	int to;                  /* 1 or 2: where the output belongs */
	int from;                /* we read here */
	int given;               /* the program writes here; -1 once it has it */
	bool out, error;         /* whether it is the program's stdout, stderr */
	bool terminal;
};

struct seep_lines_channels {
	struct seep_lines_channel items[2];
	size_t n;
};

int seep_lines_channels_open(struct seep_lines_channels *channels, struct seep_err *err);
void seep_lines_channels_close(struct seep_lines_channels *channels);

/* In the child that will be the program.  Returns 0 or errno. */
int seep_lines_channels_use(const struct seep_lines_channels *channels);

/* Closes the program's ends: it has them, or never will. */
void seep_lines_channels_give(struct seep_lines_channels *channels);

/*
 * In the process that reads them, to be called by one thread: passes changes of the window's size
 * on.
 */
void seep_lines_channels_follow_window(const struct seep_lines_channels *channels);

#endif
