/* SPDX-License-Identifier: MIT */
/*
 * Appends records to a trace.  Runs inside the traced process: no malloc, no
 * stdio, no locks of its own (the caller serialises), errno is kept.
 *
 * Each record is one pwrite: what was appended is in the file even if the process is killed the
 * next moment.  Only stamps and counts wait in memory shared with seep run, if there are many of
 * them and seep_writer_share was called; seep run writes them if the process is killed.  A full
 * disk and a file size limit are error codes.  The file is never mapped, since anybody may truncate
 * it, and the next access to a mapping would be a SIGBUS.
 *
 * The descriptor is kept out of the program's way (a high number, close-on-exec)
 * and is checked before each use.  If the program closes all descriptors, or
 * puts its own file at that number, the writer opens the file again, and
 * stops if that fails.
 */
#ifndef SEEP_TRACE_WRITER_H
#define SEEP_TRACE_WRITER_H

#include "os/fd.h"
#include "trace/format.h"
#include "trace/pending.h"

#define SEEP_WRITER_PATH_MAX 4096

/* A record that was written. */
struct seep_writer_mark {
	uint64_t at;             /* its offset; 0: none */
	struct seep_trace_record head;
};

struct seep_writer {
	struct seep_trace_header *header; /* own, or memory shared with others; NULL if not open */
	uint64_t at;             /* offset in the file where the next record goes */
	struct seep_writer_mark last; /* the last record ... */
	struct seep_writer_mark seen; /* ... and that at the last look back, see publish */
	struct seep_pending *pending; /* shared with seep run; NULL: no record waits */
	struct seep_writer_mark waiting; /* the last record that was put there */
	const uint32_t *alive;   /* see seep_writer_hand_over */
	uint64_t flushed;        /* pending->filled when all of it was in the file */
	struct seep_fd fd;
	uint32_t seq;
	uint32_t direct;         /* small records since the last publish */
	int failure;             /* -errno of the first failure; no record is written after it */
	struct seep_trace_header own;
	char path[SEEP_WRITER_PATH_MAX];
	_Alignas(8) unsigned char record[SEEP_TRACE_RECORD_MAX]; /* the one that is being written */
};

/*
 * Creates the trace of process pid (0: this one).  The file must not exist yet
 * (-EEXIST) and symbolic links are not followed; its mode is 0600.
 */
int seep_writer_create(struct seep_writer *writer, const char *path, uint32_t pid);

/*
 * Opens an existing trace and continues after its last record: for the recorder, which
 * finds the file that seep run created.  Returns -ESTALE and leaves the file alone if it is the
 * trace of a process other than pid.
 */
int seep_writer_attach(struct seep_writer *writer, const char *path, uint32_t pid);

/*
 * Appends one record whose payload is head followed by tail (which may be NULL
 * with 0 bytes).  0 or -errno; after a failure every later call fails the same way.
 */
int seep_writer_append(struct seep_writer *writer, uint16_t kind, uint16_t flags,
		       const void *head, size_t head_bytes, const void *tail, size_t tail_bytes);

/*
 * Others have appended to the file since this writer did: goes to its end and returns the header
 * that is there.  -ESTALE if it is not the header of this trace any more.
 */
int seep_writer_resume(struct seep_writer *writer, struct seep_trace_header *found);

/*
 * Lets records wait in memory shared with seep run.  Those that an earlier program of this process
 * left there are written first.  -EBUSY: that memory has been handed over (below).
 */
int seep_writer_share(struct seep_writer *writer, struct seep_pending *pending);

/*
 * From now on the caller makes no system call: all records go to memory, and seep run takes them
 * out.  If there is no room for a second, recording has failed.  Signals can no longer be held
 * back, so a handler may fork in the middle of a record: alive is 0 in the child, or NULL.
 */
int seep_writer_hand_over(struct seep_writer *writer, const uint32_t *alive);

/* For seep run: appends the records that wait.  -EBADMSG: what waits is no record. */
int seep_writer_drain(struct seep_writer *writer, struct seep_pending *pending);

/* Bytes of the trace so far, with records that wait. */
uint64_t seep_writer_bytes(const struct seep_writer *writer);

/*
 * Writes what has changed in the header into the file, and the records that wait.  -ESTALE if
 * somebody has truncated the file or put something else into it; nothing can be recorded then.
 */
int seep_writer_publish(struct seep_writer *writer);

/* Sets the state in the header, publishes and closes.  May be called twice. */
void seep_writer_close(struct seep_writer *writer, enum seep_trace_state state);

/* Closes without changing the file: in the child after fork. */
void seep_writer_abandon(struct seep_writer *writer);

#endif
