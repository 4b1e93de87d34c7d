/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stamp line of Opticks: name:<us since the epoch>,<VM>,<RSS>[ # k=v,k=v] The time has 16
 * digits, which distinguishes such a line from all others.
 */
#ifndef SEEP_IMPORT_SERIES_SPROF_LINE_H
#define SEEP_IMPORT_SERIES_SPROF_LINE_H

#include "import/series/stamp_lines.h"

/*
 * Ignores surrounding blanks.  Returns 0, -EINVAL if the text is not a stamp, or -ERANGE if its
 * numbers are impossible.
 */
int seep_sprof_line(const char *text, size_t n, int64_t unit_bytes,
		    struct seep_stamp_lines_line *line);

/* The value of "key:value", up to the end of the text; NULL: the key is a different one. */
const char *seep_sprof_value(const char *text, size_t n, const char *key);

/*
 * The next whole line at *at in the first bytes of a file; moves *at past it.  The last line
 * counts only if the file ends there.  Returns false if there is none.
 */
bool seep_sprof_head_line(const struct seep_import_head *head, size_t *at, const char **line,
			  size_t *n);

#endif
