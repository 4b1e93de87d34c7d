/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a file, in order and once, whatever its size; unpacked where it is packed by gzip
 * or zstd.  Text comes a line at a time.
 *
 * What the file holds is not trusted: a line that is too long is an error with its number,
 * and memory does not depend on what a file says.
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

/* Fails for what cannot be read; a pipe is not waited for.  path is kept, not copied. */
struct seep_source *seep_source_open(const char *path, struct seep_err *err);

/* The same for bytes in memory, which must outlive it (fuzzing, tests). */
struct seep_source *seep_source_open_bytes(const char *path, const void *data, size_t bytes,
					   struct seep_err *err);
void seep_source_close(struct seep_source *source);

const char *seep_source_path(const struct seep_source *source);

/* When the file was last written, since the epoch; 0: not known. */
int64_t seep_source_written_ns(const struct seep_source *source);

/* The first bytes, at most SEEP_SOURCE_HEAD, without taking them. */
const unsigned char *seep_source_head(struct seep_source *source, size_t *bytes);

/*
 * 1: *line is the next line, without its end ("\n" or "\r\n"), followed by a zero; it may be
 * changed and holds until the next call.  A last line without end counts.  0: there is
 * none.  -errno: it cannot be read, it is too long, it holds a zero byte.
 */
int seep_source_line(struct seep_source *source, char **line, size_t *n, struct seep_err *err);

/*
 * The same, but for a last line that has no end: who wrote it was killed, or writes still, and
 * a number at its end may be a part of one.
 */
int seep_source_whole_line(struct seep_source *source, char **line, size_t *n,
			   struct seep_err *err);

/* Whether there was such a line. */
bool seep_source_left_out(const struct seep_source *source);

/* Whether a packed file ended too early, which was the error of the last call. */
bool seep_source_was_cut(const struct seep_source *source);

/* Whether the last line had no end, so that some of it may be missing. */
bool seep_source_line_open(const struct seep_source *source);

/* Of the last line, from 1. */
uint64_t seep_source_line_number(const struct seep_source *source);

/* The next bytes: as many as were asked for unless the file ends; -errno. */
int64_t seep_source_read(struct seep_source *source, void *to, size_t bytes, struct seep_err *err);

/* Bytes that have been taken, of the unpacked file. */
uint64_t seep_source_offset(const struct seep_source *source);

/* Fills err with a text that names the file and the line ("run.txt:12: ..."); -code. */
int seep_source_refuse(const struct seep_source *source, int code, struct seep_err *err,
		       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same with the byte instead of the line. */
int seep_source_refuse_byte(const struct seep_source *source, int code, struct seep_err *err,
			    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
