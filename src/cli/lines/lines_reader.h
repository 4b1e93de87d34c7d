/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes, as they come, to lines, to events, which go to the tracker. */
#ifndef SEEP_CLI_LINES_LINES_READER_H
#define SEEP_CLI_LINES_LINES_READER_H

#include "cli/lines/lines_regex.h"
#include "cli/lines/lines_status.h"

#define SEEP_LINES_LINE_BYTES 4096 /* of a line that are looked at */
#define SEEP_LINES_READ_BYTES 65536

/* Where the events of all streams go.  The lock is around all of it. */
struct seep_lines_sink {
	pthread_mutex_t lock;
	const struct seep_lines_regex *regex;
	struct seep_told *told;
	struct seep_lines_status *status;
	int64_t next_index;      /* of a line that does not say it */
};

/* One stream of bytes. */
struct seep_lines_reader {
	struct seep_lines_sink *sink;
	bool may_burst;          /* no terminal, which cuts lines where it likes */
	bool after_return;       /* the last byte was \r: a \n belongs to it */
	size_t held;             /* bytes of a line that has not ended */
	char line[SEEP_LINES_LINE_BYTES];
};

void seep_lines_sink_init(struct seep_lines_sink *sink, const struct seep_lines_regex *regex,
			  struct seep_told *told, struct seep_lines_status *status);

/* What one read returned; at most SEEP_LINES_READ_BYTES. */
void seep_lines_reader_take(struct seep_lines_reader *reader, const char *text, size_t bytes);

#endif
