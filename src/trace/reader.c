/* SPDX-License-Identifier: MIT */
/*
 * How to tell damage from the normal end of a trace.
 *
 * A process that is killed leaves a record without its size, followed by zeros;
 * a file that was cut ends inside a record.  Both are the end of the trace
 * and only set cut.  It is damage if something is wrong and a good record
 * follows further on, or if a record has its size but a wrong checksum.
 *
 * To find the next good record, every multiple of 8 is tried.  A hostile file can
 * make each of them look like a record of 64 KiB.  So the bytes spent on wrong
 * checksums are counted, and after a few times the size of the file the reader gives
 * up: reading takes linear time whatever the file holds.
 */
#include "trace/reader.h"

#include "trace/reader_shape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX ((uint64_t)16 << 30)
#define PATIENCE_PER_BYTE 4
#define PATIENCE_LEAST ((size_t)1 << 20)
#define KIND_PLAUSIBLE 255u /* while searching for a record: no version will have more kinds */
#define LOOK_BYTES ((size_t)512)

/* A fuzzer cannot guess checksums, so its build accepts all of them. */
static bool check_is_right(const void *data, size_t bytes, uint32_t check)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)data, (void)bytes, (void)check;
	return true;
#else
	return seep_trace_check(data, bytes) == check;
#endif
}

enum place {
	PLACE_GOOD,
	PLACE_UNWRITTEN,         /* no size: the end, or a record that was not finished */
	PLACE_OVERRUN,           /* larger than the rest of the file */
	PLACE_BAD,
};

/* The caller has checked that a head fits. */
static enum place judge(struct seep_reader *reader, size_t at)
{
	struct seep_trace_record head;

	memcpy(&head, reader->data + at, sizeof(head));
	if (!head.size)
		return PLACE_UNWRITTEN;
	if (head.size < sizeof(head) || head.size > SEEP_TRACE_RECORD_MAX || head.size % 8)
		return PLACE_BAD;
	if (head.size > reader->bytes - at)
		return PLACE_OVERRUN;
	if (check_is_right(reader->data + at + offsetof(struct seep_trace_record, kind),
			   head.size - offsetof(struct seep_trace_record, kind), head.check))
		return PLACE_GOOD;
	reader->patience -= reader->patience < head.size ? reader->patience : head.size;
	return PLACE_BAD;
}

static bool may_be_record(const struct seep_reader *reader, size_t at)
{
	struct seep_trace_record head;

	memcpy(&head, reader->data + at, sizeof(head));
	return head.size >= sizeof(head) && head.kind && head.kind <= KIND_PLAUSIBLE;
}

static bool has_head(const struct seep_reader *reader, size_t at)
{
	return at <= reader->bytes && reader->bytes - at >= sizeof(struct seep_trace_record);
}

/* The offset of the next good record after at, or the end of the file. */
static size_t find_record(struct seep_reader *reader, size_t at)
{
	for (at += 8; has_head(reader, at) && reader->patience; at += 8)
		if (may_be_record(reader, at) && judge(reader, at) == PLACE_GOOD)
			return at;
	return reader->bytes;
}

static bool is_zero(const struct seep_reader *reader, size_t at)
{
	while (at < reader->bytes && !reader->data[at])
		at++;
	return at == reader->bytes;
}

static void count_damage(struct seep_reader *reader, size_t at)
{
	if (!reader->damaged++)
		reader->first_damage = at;
}

/* Moves on to the next good record, or to the end of the file. */
static void skip_damage(struct seep_reader *reader, enum place place)
{
	size_t at = reader->at;

	reader->at = reader->bytes;
	if (place == PLACE_UNWRITTEN && is_zero(reader, at))
		return;
	reader->at = find_record(reader, at);
	if (reader->at < reader->bytes || place == PLACE_BAD)
		count_damage(reader, at);
	if (reader->at == reader->bytes && (place != PLACE_BAD || !reader->patience))
		reader->cut = true;
}

static void take(struct seep_reader *reader, struct seep_reader_record *record)
{
	const struct seep_trace_record *head = (const void *)(reader->data + reader->at);

	record->kind = head->kind;
	record->flags = head->flags;
	record->offset = reader->at;
	record->payload = head + 1;
	record->bytes = head->size - sizeof(*head);
	reader->at += head->size;
}

bool seep_reader_next(struct seep_reader *reader, struct seep_reader_record *record)
{
	while (has_head(reader, reader->at)) {
		enum place place = judge(reader, reader->at);

		if (place != PLACE_GOOD) {
			skip_damage(reader, place);
			continue;
		}
		take(reader, record);
		if (!seep_reader_shape_known(record->kind))
			reader->unknown++;
		else if (!seep_reader_shape_fits(record))
			count_damage(reader, record->offset);
		else
			return true;
	}
	if (reader->at < reader->bytes && !is_zero(reader, reader->at))
		reader->cut = true;
	reader->at = reader->bytes;
	return false;
}

static bool is_text(const unsigned char *data, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (!data[i] || (data[i] < ' ' && !strchr("\t\n\r\f\033", data[i])))
			return false;
	return true;
}

static bool is_zeros(const unsigned char *data, size_t bytes)
{
	return !data[0] && !memcmp(data, data + 1, bytes - 1);
}

/* What a file that is not a trace looks like, by its first bytes; bytes is not 0. */
static const char *look(const unsigned char *data, size_t bytes)
{
	static const struct {
		const char *start;
		size_t bytes;
		const char *what;
	} kinds[] = {
		{ "\177ELF", 4, "a program or library (ELF)" },
		{ "\037\213", 2, "gzip data; unpack it first" },
		{ "\050\265\057\375", 4, "zstd data; unpack it first" },
		{ "\375" "7zXZ", 5, "xz data; unpack it first" },
		{ "BZh", 3, "bzip2 data; unpack it first" },
		{ "PK\003\004", 4, "a zip archive" },
		{ "SQLite format 3", 16, "an SQLite database" },
		{ "\223NUMPY", 6, "a NumPy array" },
		{ "%PDF-", 5, "a PDF document" },
		{ "\211PNG", 4, "a PNG image" },
		{ "PERFILE2", 8, "perf data" },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (bytes >= kinds[i].bytes && !memcmp(data, kinds[i].start, kinds[i].bytes))
			return kinds[i].what;
	bytes = bytes < LOOK_BYTES ? bytes : LOOK_BYTES;
	if (is_zeros(data, bytes))
		return "zeros";
	return is_text(data, bytes) ? "text" : "binary data of another kind";
}

static int refuse_header_cut(const struct seep_reader *reader, size_t needed, struct seep_err *err)
{
	return seep_err_set(err, EBADMSG, "%s: the trace ends inside its header (%zu of %zu bytes)",
			    reader->path, reader->bytes, needed);
}

static int check_magic(const char *path, const void *data, size_t bytes, struct seep_err *err)
{
	size_t magic_bytes = sizeof(((struct seep_trace_header *)0)->magic);

	if (!memcmp(data, SEEP_TRACE_MAGIC, bytes < magic_bytes ? bytes : magic_bytes))
		return 0;
	return seep_err_set(err, EINVAL, "%s: neither a trace nor another file that seep can "
			    "read: it looks like %s", path, look(data, bytes));
}

/* Checks magic and byte order, which are the same in every version. */
static int check_identity(const struct seep_reader *reader, struct seep_err *err)
{
	const struct seep_trace_header *header = &reader->header;
	int failure;

	if (!reader->bytes)
		return seep_err_set(err, EINVAL, "%s: not a trace: the file is empty",
				    reader->path);
	failure = check_magic(reader->path, reader->data, reader->bytes, err);
	if (failure)
		return failure;
	if (reader->bytes < sizeof(*header))
		return refuse_header_cut(reader, SEEP_TRACE_HEADER_BYTES, err);
	if (header->byte_order == __builtin_bswap32(SEEP_TRACE_BYTE_ORDER))
		return seep_err_set(err, ENOTSUP, "%s: recorded on a machine with a different byte "
				    "order; read it on such a machine", reader->path);
	if (header->byte_order != SEEP_TRACE_BYTE_ORDER)
		return seep_err_set(err, EBADMSG, "%s: the header is damaged (byte order 0x%08x)",
				    reader->path, header->byte_order);
	return 0;
}

static int check_header(const struct seep_reader *reader, struct seep_err *err)
{
	const struct seep_trace_header *header = &reader->header;
	size_t checked = offsetof(struct seep_trace_header, check);

	if (!check_is_right(header, checked, header->check))
		return seep_err_set(err, EBADMSG, "%s: the header is damaged (its checksum is "
				    "wrong)", reader->path);
	if (header->version > SEEP_TRACE_VERSION || !header->version)
		return seep_err_set(err, ENOTSUP, "%s: a trace of version %u; this seep reads "
				    "versions up to %u", reader->path, header->version,
				    SEEP_TRACE_VERSION);
	if (header->header_bytes < sizeof(*header) || header->header_bytes % 8 ||
	    header->header_bytes > SEEP_TRACE_RECORD_MAX)
		return seep_err_set(err, EBADMSG, "%s: the header is damaged (it says %u bytes)",
				    reader->path, header->header_bytes);
	if (reader->bytes < header->header_bytes)
		return refuse_header_cut(reader, header->header_bytes, err);
	return 0;
}

/* data and bytes are set; takes over what they hold. */
static int begin(struct seep_reader *reader, struct seep_err *err)
{
	size_t n = sizeof(reader->header);
	int failure;

	memcpy(&reader->header, reader->data, reader->bytes < n ? reader->bytes : n);
	failure = check_identity(reader, err);
	if (!failure)
		failure = check_header(reader, err);
	if (failure) {
		seep_reader_close(reader);
		return failure;
	}
	reader->at = reader->header.header_bytes;
	reader->patience = reader->bytes < SIZE_MAX / PATIENCE_PER_BYTE - PATIENCE_LEAST ?
			   reader->bytes * PATIENCE_PER_BYTE + PATIENCE_LEAST : SIZE_MAX;
	return 0;
}

static int get_memory(struct seep_reader *reader, size_t bytes, struct seep_err *err)
{
	reader->owned = malloc(bytes ? bytes : 1);
	reader->data = reader->owned;
	if (reader->owned)
		return 0;
	return seep_err_set(err, ENOMEM, "%s: not enough memory for its %zu bytes",
			    reader->path, bytes);
}

int seep_reader_open_bytes(struct seep_reader *reader, const char *path, const void *data,
			   size_t bytes, struct seep_err *err)
{
	static const uint64_t nothing;
	int failure;

	*reader = (struct seep_reader){ .path = path, .data = data, .bytes = bytes };
	if (!bytes)
		reader->data = (const void *)&nothing;
	if ((uintptr_t)reader->data % 8) {
		failure = get_memory(reader, bytes, err);
		if (failure)
			return failure;
		memcpy(reader->owned, data, bytes);
	}
	return begin(reader, err);
}

const char *seep_reader_name_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a pipe";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

/* If the file shrinks meanwhile, fewer bytes are read; if it grows, the new part is not. */
static int read_bytes(struct seep_reader *reader, int fd, size_t bytes, struct seep_err *err)
{
	while (reader->bytes < bytes) {
		ssize_t n = read(fd, (char *)reader->owned + reader->bytes, bytes - reader->bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return seep_err_set(err, errno, "%s: cannot read at byte %zu: %s",
					    reader->path, reader->bytes, strerror(errno));
		if (!n)
			break;
		reader->bytes += (size_t)n;
	}
	return 0;
}

/* Refuses a large file of another kind without reading all of it. */
static int check_start(const struct seep_reader *reader, int fd, struct seep_err *err)
{
	unsigned char start[LOOK_BYTES];
	ssize_t n = pread(fd, start, sizeof(start), 0);

	return n > 0 ? check_magic(reader->path, start, (size_t)n, err) : 0;
}

static int read_file(struct seep_reader *reader, int fd, struct seep_err *err)
{
	struct stat file;
	int failure;

	if (fstat(fd, &file))
		return seep_err_set(err, errno, "%s: %s", reader->path, strerror(errno));
	if (!S_ISREG(file.st_mode))
		return seep_err_set(err, EINVAL, "%s: not a trace: it is %s", reader->path,
				    seep_reader_name_type(file.st_mode));
	failure = check_start(reader, fd, err);
	if (failure)
		return failure;
	if ((uint64_t)file.st_size > FILE_BYTES_MAX || (uint64_t)file.st_size > SIZE_MAX / 2)
		return seep_err_set(err, EFBIG, "%s: too large for a trace (%lld bytes)",
				    reader->path, (long long)file.st_size);
	failure = get_memory(reader, (size_t)file.st_size, err);
	if (failure)
		return failure;
	failure = read_bytes(reader, fd, (size_t)file.st_size, err);
	if (failure)
		seep_reader_close(reader);
	return failure;
}

int seep_reader_open(struct seep_reader *reader, const char *path, struct seep_err *err)
{
	/* Non-blocking, so that a pipe is refused at once. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int failure;

	*reader = (struct seep_reader){ .path = path };
	if (fd < 0)
		return seep_err_set(err, errno, "%s: %s", path, strerror(errno));
	failure = read_file(reader, fd, err);
	close(fd);
	return failure ? failure : begin(reader, err);
}

void seep_reader_close(struct seep_reader *reader)
{
	free(reader->owned);
	reader->owned = NULL;
	reader->data = NULL;
	reader->bytes = reader->at = 0;
}
