/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line of the stamps that Opticks writes: name:<us since the epoch>,<VM>,<RSS>[ # k=v,k=v]
 * The time has 16 digits, which is how such a line is told from any other.
 */
#ifndef SEEP_IMPORT_SERIES_SPROF_LINE_H
#define SEEP_IMPORT_SERIES_SPROF_LINE_H

#include "import/series/stamp_lines.h"

/* Blanks around it do not count.  0, -EINVAL: no stamp, -ERANGE: one with impossible numbers. */
int seep_sprof_line(const char *text, size_t n, int64_t unit_bytes,
		    struct seep_stamp_lines_line *line);

/* The value of "key:value", which is ended as the text is; NULL: it is of another key. */
const char *seep_sprof_value(const char *text, size_t n, const char *key);

/*
 * The next whole line of the first bytes of a file at *at, which is moved behind it; the last
 * one counts if the file has no more.  False: there is none.
 */
bool seep_sprof_head_line(const struct seep_import_head *head, size_t *at, const char **line,
			  size_t *n);

#endif
