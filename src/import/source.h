/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a file of any size once, in order, and unpacks gzip and zstd.  Text comes line by line.
 *
 * The content is not trusted: a line that is too long is an error that names the line, and
 * memory use does not depend on the content.
 */
#ifndef SEEP_IMPORT_SOURCE_H
#define SEEP_IMPORT_SOURCE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_SOURCE_LINE_MAX ((size_t)1 << 20)
#define SEEP_SOURCE_HEAD ((size_t)4096)

struct seep_source;

/*
 * Fails for anything but a regular file, so it never waits for a pipe.  path is kept, not
 * copied.
 */
struct seep_source *seep_source_open(const char *path, struct seep_err *err);

/* The same for bytes in memory, which must outlive it (fuzzing, tests). */
struct seep_source *seep_source_open_bytes(const char *path, const void *data, size_t bytes,
					   struct seep_err *err);
void seep_source_close(struct seep_source *source);

const char *seep_source_path(const struct seep_source *source);

/* When the file was last written, in ns since the epoch; 0: unknown. */
int64_t seep_source_written_ns(const struct seep_source *source);

/* The first bytes, at most SEEP_SOURCE_HEAD, without consuming them. */
const unsigned char *seep_source_head(struct seep_source *source, size_t *bytes);

/*
 * Returns 1 if there is a next line.  *line is zero-terminated, without "\n" or "\r\n"; it may
 * be changed and is valid until the next call.  A last line without a line end counts.  Returns
 * 0 at the end of the file, or -errno if the line cannot be read, is too long or holds a zero
 * byte.
 */
int seep_source_line(struct seep_source *source, char **line, size_t *n, struct seep_err *err);

/*
 * The same, but skips a last line without a line end: its writer was killed or is still writing,
 * so a number at its end may be cut.
 */
int seep_source_whole_line(struct seep_source *source, char **line, size_t *n,
			   struct seep_err *err);

/* Whether seep_source_whole_line skipped such a line. */
bool seep_source_left_out(const struct seep_source *source);

/* Whether the last call failed because a packed file ended too early. */
bool seep_source_was_cut(const struct seep_source *source);

/* Whether the last line had no line end, so that it may be cut. */
bool seep_source_line_open(const struct seep_source *source);

/* The number of the last line, from 1. */
uint64_t seep_source_line_number(const struct seep_source *source);

/* Reads the next bytes; returns fewer than asked for only at the end of the file, or -errno. */
int64_t seep_source_read(struct seep_source *source, void *to, size_t bytes, struct seep_err *err);

/* Fills err with a text that names the file and the line ("run.txt:12: ...").  Returns -code. */
int seep_source_refuse(const struct seep_source *source, int code, struct seep_err *err,
		       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same with the byte offset instead of the line. */
int seep_source_refuse_byte(const struct seep_source *source, int code, struct seep_err *err,
			    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
