/* SPDX-License-Identifier: MIT */
/*
 * Appends records to a trace.  Runs inside the traced process: no malloc, no
 * stdio, no locks of its own (the caller serialises), errno is kept.
 *
 * The file is grown by fallocate before it is mapped, so that a full disk is
 * an error code here and never a SIGBUS in the host; a file size limit is
 * respected the same way.  Records are stored through a shared mapping: what
 * was appended is in the file even if the process is killed the next moment.
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

#define SEEP_WRITER_PATH_MAX 4096

struct seep_writer {
	struct seep_trace_header *header; /* the mapped first page, or NULL if not open */
	unsigned char *window;   /* the mapped part of the file that is being filled */
	size_t window_bytes;
	uint64_t window_at;      /* offset of the window in the file */
	uint64_t ready;          /* offset up to which the window's pages are in memory */
	uint64_t at;             /* offset in the file where the next record goes */
	uint64_t file_bytes;     /* allocated on disk so far */
	struct seep_fd fd;
	uint32_t seq;
	int failure;             /* -errno of the first failure; nothing is written after it */
	char path[SEEP_WRITER_PATH_MAX];
};

/*
 * Creates the trace of process pid (0: this one).  The file must not exist yet
 * (-EEXIST) and symbolic links are not followed; its mode is 0600.
 */
int seep_writer_create(struct seep_writer *writer, const char *path, uint32_t pid);

/*
 * Opens an existing trace and continues after its last record: for the recorder, which
 * finds the file that seep run created, and for seep run, which adds the exit status at
 * the end.
 */
int seep_writer_attach(struct seep_writer *writer, const char *path);

/*
 * Appends one record whose payload is head followed by tail (which may be NULL
 * with 0 bytes).  0 or -errno; after a failure every later call fails the same way.
 */
int seep_writer_append(struct seep_writer *writer, uint16_t kind, uint16_t flags,
		       const void *head, size_t head_bytes, const void *tail, size_t tail_bytes);

/* Sets the state in the header, cuts off the unused end, unmaps.  May be called twice. */
void seep_writer_close(struct seep_writer *writer, enum seep_trace_state state);

/* Unmaps and closes without changing the file: in the child after fork. */
void seep_writer_abandon(struct seep_writer *writer);

#endif
