/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One buffer of two lines of maximal length.  fill() moves the unread bytes to its front and
 * reads or unpacks more behind them, so that a line is always contiguous, and can be ended
 * with a zero in place.
 */
#include "import/source.h"

#include "import/source_unpack.h"
#include "trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM (2 * SEEP_SOURCE_LINE_MAX)

struct seep_source {
	const char *path;
	struct seep_source_raw raw;
	struct seep_source_unpacker *unpacker; /* NULL: the file is not packed */
	int64_t written_ns;
	uint64_t line_number;
	uint64_t taken;          /* bytes */
	size_t at, end;          /* unread bytes in the buffer */
	bool open;               /* the last line had no line end */
	bool left_out;           /* ... and was therefore skipped */
	bool ended;              /* there are no bytes after these */
	int failure;             /* -errno that ended it */
	struct seep_err err;     /* ... and its text */
	char buffer[ROOM + 1];
};

static int __attribute__((format(printf, 4, 0)))
refuse(struct seep_err *err, int code, const char *place, const char *fmt, va_list args)
{
	char text[sizeof(err->text) / 2];

	vsnprintf(text, sizeof(text), fmt, args);
	return seep_err_set(err, code, "%.200s: %s", place, text);
}

int seep_source_refuse(const struct seep_source *source, int code, struct seep_err *err,
		       const char *fmt, ...)
{
	char place[256];
	va_list args;

	snprintf(place, sizeof(place), "%.170s:%" PRIu64, source->path, source->line_number);
	va_start(args, fmt);
	refuse(err, code, place, fmt, args);
	va_end(args);
	return -code;
}

int seep_source_refuse_byte(const struct seep_source *source, int code, struct seep_err *err,
			    const char *fmt, ...)
{
	char place[256];
	va_list args;

	snprintf(place, sizeof(place), "%.170s: byte %" PRIu64, source->path, source->taken);
	va_start(args, fmt);
	refuse(err, code, place, fmt, args);
	va_end(args);
	return -code;
}

/* Appends more bytes to those in the buffer. */
static void fill(struct seep_source *source)
{
	int64_t n;

	memmove(source->buffer, source->buffer + source->at, source->end - source->at);
	source->end -= source->at;
	source->at = 0;
	if (source->ended || source->end == ROOM)
		return;
	if (source->unpacker)
		n = seep_source_unpack(source->unpacker, &source->raw,
				       source->buffer + source->end, ROOM - source->end,
				       &source->err);
	else
		n = seep_source_raw_read(&source->raw, source->buffer + source->end,
					 ROOM - source->end, &source->err);
	if (n <= 0)
		source->ended = true;
	if (n < 0)
		source->failure = (int)n;
	else
		source->end += (size_t)n;
}

static int fail(const struct seep_source *source, struct seep_err *err)
{
	if (err && !err->code)
		*err = source->err;
	return source->failure;
}

static struct seep_source *begin(const char *path, const struct seep_source_raw *raw,
				 struct seep_err *err)
{
	struct seep_source *source = malloc(sizeof(*source));
	size_t n;

	if (!source) {
		seep_err_set(err, ENOMEM, "%s: out of memory while reading it", path);
		return NULL;
	}
	memset(source, 0, offsetof(struct seep_source, buffer));
	source->path = path;
	source->raw = *raw;
	while (source->end < SEEP_SOURCE_HEAD && !source->ended)
		fill(source);
	n = source->end;
	source->unpacker = seep_source_unpacker_open(source->buffer, n);
	if (source->unpacker) {
		source->raw.kept = malloc(n);
		if (source->raw.kept)
			memcpy(source->raw.kept, source->buffer, n);
		source->raw.n_kept = source->raw.kept ? n : 0;
		source->end = 0;
		source->ended = !source->raw.kept;
		while (source->end < SEEP_SOURCE_HEAD && !source->ended)
			fill(source);
	}
	if (source->failure && !source->end) {
		fail(source, err);
		seep_source_close(source);
		return NULL;
	}
	return source;
}

struct seep_source *seep_source_open(const char *path, struct seep_err *err)
{
	struct seep_source_raw raw = { .path = path,
		.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) };
	struct seep_source *source;
	struct stat st;

	if (raw.fd < 0 || fstat(raw.fd, &st)) {
		seep_err_set(err, errno, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		seep_err_set(err, EINVAL, "%s: it is %s", path, seep_reader_name_type(st.st_mode));
	} else {
		posix_fadvise(raw.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		source = begin(path, &raw, err);
		if (source)
			source->written_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 +
					     st.st_mtim.tv_nsec;
		return source;
	}
	if (raw.fd >= 0)
		close(raw.fd);
	return NULL;
}

struct seep_source *seep_source_open_bytes(const char *path, const void *data, size_t bytes,
					   struct seep_err *err)
{
	struct seep_source_raw raw = { .path = path, .fd = -1, .data = data, .bytes = bytes };

	return begin(path, &raw, err);
}

void seep_source_close(struct seep_source *source)
{
	if (!source)
		return;
	seep_source_unpacker_close(source->unpacker);
	free(source->raw.kept);
	if (source->raw.fd >= 0)
		close(source->raw.fd);
	free(source);
}

const char *seep_source_path(const struct seep_source *source)
{
	return source->path;
}

int64_t seep_source_written_ns(const struct seep_source *source)
{
	return source->written_ns;
}

const unsigned char *seep_source_head(struct seep_source *source, size_t *bytes)
{
	size_t n = source->end - source->at;

	*bytes = n < SEEP_SOURCE_HEAD ? n : SEEP_SOURCE_HEAD;
	return (const unsigned char *)source->buffer + source->at;
}

/* Finds the end of the line without searching any byte twice. */
static char *find_end(struct seep_source *source)
{
	size_t looked = 0;
	char *end;

	for (;;) {
		end = memchr(source->buffer + source->at + looked, '\n',
			     source->end - source->at - looked);
		if (end || source->ended || source->end - source->at > SEEP_SOURCE_LINE_MAX)
			return end;
		looked = source->end - source->at;
		fill(source);
	}
}

int seep_source_line(struct seep_source *source, char **line, size_t *n, struct seep_err *err)
{
	char *end = find_end(source);
	size_t bytes;

	if (!end && source->failure)
		return fail(source, err);
	if (!end && source->at == source->end)
		return 0;
	source->line_number++;
	source->open = !end;
	bytes = end ? (size_t)(end - source->buffer) - source->at : source->end - source->at;
	if (bytes > SEEP_SOURCE_LINE_MAX)
		return seep_source_refuse(source, EBADMSG, err, "a line of more than %zu bytes",
					  SEEP_SOURCE_LINE_MAX);
	*line = source->buffer + source->at;
	source->at += bytes + (end ? 1 : 0);
	source->taken += bytes + (end ? 1 : 0);
	if (memchr(*line, 0, bytes))
		return seep_source_refuse(source, EBADMSG, err, "a zero byte in a line of text");
	if (bytes && (*line)[bytes - 1] == '\r')
		bytes--;
	(*line)[bytes] = 0;
	*n = bytes;
	return 1;
}

int seep_source_whole_line(struct seep_source *source, char **line, size_t *n,
			   struct seep_err *err)
{
	int rc = seep_source_line(source, line, n, err);

	source->left_out = rc > 0 && source->open;
	return source->left_out ? 0 : rc;
}

bool seep_source_left_out(const struct seep_source *source)
{
	return source->left_out;
}

bool seep_source_was_cut(const struct seep_source *source)
{
	return source->failure && source->raw.cut;
}

bool seep_source_line_open(const struct seep_source *source)
{
	return source->open;
}

uint64_t seep_source_line_number(const struct seep_source *source)
{
	return source->line_number;
}

int64_t seep_source_read(struct seep_source *source, void *to, size_t bytes, struct seep_err *err)
{
	size_t done = 0;

	while (done < bytes) {
		size_t n = source->end - source->at;

		if (!n && source->ended)
			break;
		if (!n) {
			fill(source);
			continue;
		}
		n = n < bytes - done ? n : bytes - done;
		memcpy((char *)to + done, source->buffer + source->at, n);
		source->at += n;
		done += n;
	}
	source->taken += done;
	return done < bytes && source->failure ? fail(source, err) : (int64_t)done;
}
