/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reader does (lines.h) until nobody writes any more. */
#ifndef SEEP_CLI_LINES_LINES_COPY_H
#define SEEP_CLI_LINES_LINES_COPY_H

#include "cli/lines/lines_channel.h"
#include "cli/lines/lines_reader.h"
#include "cli/lines/lines_tail.h"

/*
 * Copies what comes through the channels.  When nobody holds the other end of over any more, the
 * program has ended: done is closed once all that it wrote has been copied.
 */
void seep_lines_copy(const struct seep_lines_channels *channels, struct seep_lines_sink *sink,
		     int over, int done);

/* Follows the file until nobody holds the other end of over any more. */
void seep_lines_copy_tail(struct seep_lines_tail *tail, struct seep_lines_sink *sink, int over);

#endif
