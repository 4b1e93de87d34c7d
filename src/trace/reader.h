/* SPDX-License-Identifier: MIT */
/*
 * From bytes to records: hands over one checked record at a time.
 *
 * Everything that can be wrong with a file is handled here: a record from
 * seep_reader_next has a good checksum, a known head and the size that its kind
 * requires.  A cut tail is normal (the process was killed) and ends the trace;
 * a damaged record is skipped if the next one can be found, and counted.
 */
#ifndef SEEP_TRACE_READER_H
#define SEEP_TRACE_READER_H

#include "base/err.h"
#include "trace/format.h"

#include <stdbool.h>
#include <sys/types.h>

struct seep_reader {
	const char *path;
	const unsigned char *data;
	size_t bytes;
	size_t at;               /* offset of the next record */
	struct seep_trace_header header;
	uint64_t damaged;        /* places where the checksum or the size was wrong */
	uint64_t unknown;        /* records of kinds that this version does not know */
	size_t first_damage;     /* offset of the first of them */
	bool cut;                /* the file ends inside a record */
	uint64_t last_event;     /* set by the caller, who ignores later events; 0: none */
	size_t whole_bytes;      /* what bytes was before a caller reduced it; 0: nobody did */
	size_t patience;         /* bytes that may still be spent on wrong checksums */
	void *owned;             /* memory to free at the end, or NULL */
};

struct seep_reader_record {
	uint16_t kind;
	uint16_t flags;
	size_t offset;           /* in the file, for messages */
	const void *payload;     /* aligned to 8; lives until seep_reader_close */
	size_t bytes;            /* of the payload, padding included */
};

/*
 * path is kept, not copied.  Fails for a file that is not a trace, and the message says
 * what it looks like: -EINVAL if it is something else, -EBADMSG for a trace whose
 * header is cut or damaged, -ENOTSUP for a newer version or a foreign byte order.
 * The file is read at once and may grow, shrink or vanish afterwards.
 */
int seep_reader_open(struct seep_reader *reader, const char *path, struct seep_err *err);

/* The same for bytes in memory, which must outlive the reader (fuzzing, tests). */
int seep_reader_open_bytes(struct seep_reader *reader, const char *path, const void *data,
			   size_t bytes, struct seep_err *err);

/* True: *record is the next one.  False: the trace has ended. */
bool seep_reader_next(struct seep_reader *reader, struct seep_reader_record *record);

void seep_reader_close(struct seep_reader *reader);

/* What a path is if it is not a regular file: "a directory", "a pipe", ... */
const char *seep_reader_name_type(mode_t mode);

#endif
