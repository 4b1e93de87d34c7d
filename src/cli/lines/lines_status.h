/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What seep run and the process that reads the lines tell each other, in memory that both have.
 *
 * The lock is around the terminal, where both write: the program's output is never torn apart by
 * the status line.  If its owner is killed, the other goes on.
 */
#ifndef SEEP_CLI_LINES_LINES_STATUS_H
#define SEEP_CLI_LINES_LINES_STATUS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_LINES_RECENT 3u
#define SEEP_LINES_RECENT_BYTES 160u

struct seep_lines_status {
	pthread_mutex_t terminal;
	bool drawn;              /* a status line stands in the terminal */
	bool inside_line;        /* the program has written a part of a line after the last \n */

	/* The rest is written by the reader alone. */
	uint64_t lines;
	uint64_t events;         /* lines that matched */
	uint64_t gave_up;        /* lines whose match took too many steps */
	uint64_t odd;            /* groups that matched something else than a number */
	uint64_t readings;       /* that had an event */
	uint64_t bursts;         /* readings that had several, and ended inside a line */
	uint64_t burst_events;   /* in all of these */
	int failure;             /* errno of the write that failed; 0: none */
	uint32_t n_recent;
	char recent[SEEP_LINES_RECENT][SEEP_LINES_RECENT_BYTES]; /* at n % SEEP_LINES_RECENT */
};

/* NULL: out of memory. */
struct seep_lines_status *seep_lines_status_create(void);

/* The terminal, for a moment; with NULL, nothing is to be done.  try: false if it is taken. */
bool seep_lines_status_try(struct seep_lines_status *status);
void seep_lines_status_take(struct seep_lines_status *status);
void seep_lines_status_give(struct seep_lines_status *status);

/* Keeps a line for the error message. */
void seep_lines_status_keep(struct seep_lines_status *status, const char *line, size_t bytes);

/* Whether the program collects its output and writes many lines at once, again and again. */
bool seep_lines_status_bursts(const struct seep_lines_status *status);

/* Whether it wrote all of them at once; asked when it has ended. */
bool seep_lines_status_was_one_burst(const struct seep_lines_status *status);

#endif
