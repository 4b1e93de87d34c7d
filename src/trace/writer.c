/* SPDX-License-Identifier: MIT */
/*
 * - A record is made in writer->record and written by one pwrite, unless it may wait (is_small).
 *   If that fails or writes only a part, the file is cut behind the record before it.
 * - Records that wait are written by one pwrite before the next one that does not.
 * - After a failure, writer->failure stays set and nothing is written any more but the header.
 * - The heads of two records are kept.  If one is no longer in the file, somebody has truncated it.
 */
#include "trace/writer.h"

#include "os/clock.h"
#include "os/silence.h"
#include "trace/frame.h"
#include "trace/writer_end.h"
#include "trace/writer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define DIRECT_MAX 16u          /* records from one publish to the next that do not wait */
#define TRIES_MAX 40000000u     /* to find room, while seep run takes records out: a second or so */

static int fail(struct seep_writer *writer, int failure)
{
	if (!writer->failure)
		writer->failure = failure;
	return writer->failure;
}

static void fill_header(struct seep_trace_header *header, uint32_t pid)
{
	memset(header, 0, sizeof(*header));
	memcpy(header->magic, SEEP_TRACE_MAGIC, sizeof(header->magic));
	header->version = SEEP_TRACE_VERSION;
	header->byte_order = SEEP_TRACE_BYTE_ORDER;
	header->header_bytes = SEEP_TRACE_HEADER_BYTES;
	header->page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	header->pid = pid;
	header->started_real_ns = seep_clock_real_ns();
	header->started_mono_ns = seep_clock_mono_ns();
	header->check = seep_trace_check(header, offsetof(struct seep_trace_header, check));
}

static int open_file(struct seep_writer *writer, const char *path, int flags)
{
	size_t n = strnlen(path, sizeof(writer->path));
	int failure;

	memset(writer, 0, offsetof(struct seep_writer, path));
	writer->fd.fd = -1;
	if (n == sizeof(writer->path))
		return -ENAMETOOLONG;
	memcpy(writer->path, path, n + 1);
	failure = seep_fd_open(&writer->fd, path, flags, 0600);
	if (!failure)
		seep_fd_mark(&writer->fd);
	return failure;
}

int seep_writer_create(struct seep_writer *writer, const char *path, uint32_t pid)
{
	int saved = errno;
	int failure = open_file(writer, path, O_RDWR | O_CREAT | O_EXCL);

	if (!failure) {
		memset(writer->record, 0, SEEP_TRACE_HEADER_BYTES);
		fill_header(&writer->own, pid ? pid : (uint32_t)getpid());
		memcpy(writer->record, &writer->own, sizeof(writer->own));
		failure = seep_writer_file_put(writer, writer->record, SEEP_TRACE_HEADER_BYTES, 0);
		if (failure)
			unlink(path);
	}
	if (!failure) {
		writer->header = &writer->own;
		writer->at = SEEP_TRACE_HEADER_BYTES;
	} else {
		seep_fd_close(&writer->fd);
		fail(writer, failure);
	}
	errno = saved;
	return failure;
}

static int attach(struct seep_writer *writer, uint32_t pid)
{
	struct seep_trace_header *header = &writer->own;
	int failure = seep_writer_end_find(writer, header);

	if (failure)
		return failure == -ESTALE ? -EINVAL : failure;
	if (memcmp(header->magic, SEEP_TRACE_MAGIC, sizeof(header->magic)) ||
	    header->version != SEEP_TRACE_VERSION || header->byte_order != SEEP_TRACE_BYTE_ORDER)
		return -EINVAL;
	if (header->pid != pid)
		return -ESTALE;
	writer->header = header;
	/* A record that a dying process did not finish must not follow the next one. */
	return ftruncate(writer->fd.fd, (off_t)writer->at) ? -errno : 0;
}

int seep_writer_attach(struct seep_writer *writer, const char *path, uint32_t pid)
{
	int saved = errno;
	int failure = open_file(writer, path, O_RDWR);

	if (!failure)
		failure = attach(writer, pid);
	if (failure) {
		seep_writer_abandon(writer);
		fail(writer, failure);
	}
	errno = saved;
	return failure;
}

static bool is_same(const struct seep_trace_header *a, const struct seep_trace_header *b)
{
	return !memcmp(a, b, offsetof(struct seep_trace_header, state));
}

int seep_writer_resume(struct seep_writer *writer, struct seep_trace_header *found)
{
	int saved = errno, failure;

	failure = seep_writer_file_ensure(writer);
	if (!failure)
		failure = seep_writer_end_find(writer, found);
	if (!failure && !is_same(found, writer->header))
		failure = -ESTALE;
	if (!failure && ftruncate(writer->fd.fd, (off_t)writer->at))
		failure = -errno;
	errno = saved;
	return failure ? fail(writer, failure) : 0;
}

int seep_writer_drain(struct seep_writer *writer, struct seep_pending *pending)
{
	int saved = errno, failure;

	if (writer->failure || !writer->header)
		return writer->failure ? writer->failure : -EBADF;
	failure = seep_writer_file_ensure(writer);
	if (!failure)
		failure = seep_writer_end_recover(writer, pending);
	errno = saved;
	return failure;
}

int seep_writer_share(struct seep_writer *writer, struct seep_pending *pending)
{
	if (seep_pending_state(pending) != SEEP_PENDING_OWN)
		return -EBUSY;
	seep_writer_drain(writer, pending);
	if (seep_pending_bytes(pending)) /* damaged */
		seep_pending_take(pending, pending->filled - pending->taken);
	writer->pending = pending;
	writer->flushed = pending->filled;
	return 0;
}

uint64_t seep_writer_bytes(const struct seep_writer *writer)
{
	return writer->at + (writer->pending ? writer->pending->filled - writer->flushed : 0);
}

/* Writes the records that wait. */
static int flush(struct seep_writer *writer)
{
	struct seep_pending *pending = writer->pending;
	struct seep_pending_part parts[2];
	size_t bytes;
	int failure;

	if (!pending || pending->filled == pending->taken)
		return 0;
	seep_pending_parts(pending, parts);
	bytes = parts[0].bytes + parts[1].bytes;
	failure = seep_writer_file_put(writer, parts[0].start, parts[0].bytes, writer->at);
	if (!failure && parts[1].bytes)
		failure = seep_writer_file_put(writer, parts[1].start, parts[1].bytes,
					       writer->at + parts[0].bytes);
	if (failure) {
		seep_writer_file_cut(writer, failure);
		return failure;
	}
	writer->last = writer->waiting;
	writer->at += bytes;
	seep_pending_take(pending, bytes);
	writer->flushed = pending->filled;
	return 0;
}

int seep_writer_hand_over(struct seep_writer *writer, const uint32_t *alive)
{
	int saved = errno, failure;

	if (writer->failure || !writer->header || !writer->pending)
		return writer->failure ? writer->failure : -EBADF;
	failure = flush(writer);
	errno = saved;
	if (failure)
		return fail(writer, failure);
	writer->alive = alive;
	seep_pending_set_state(writer->pending, SEEP_PENDING_HANDED);
	return 0;
}

static bool is_handed(const struct seep_writer *writer)
{
	return writer->pending && seep_pending_state(writer->pending) != SEEP_PENDING_OWN;
}

/* Only what comes in great numbers waits; and not the first of them, as most programs are slow. */
static bool is_small(struct seep_writer *writer, uint16_t kind)
{
	return writer->pending &&
	       (kind == SEEP_REC_STAMP || kind == SEEP_REC_COUNT || kind == SEEP_REC_GAUGE) &&
	       writer->direct++ >= DIRECT_MAX;
}

static bool put(struct seep_writer *writer, size_t size)
{
	return seep_pending_put(writer->pending, writer->record, size, writer->alive);
}

static int let_wait(struct seep_writer *writer, size_t size)
{
	uint64_t at = seep_writer_bytes(writer);
	int failure = 0;

	if (!put(writer, size)) {
		failure = flush(writer);
		if (!failure && !put(writer, size))
			failure = -EBADMSG; /* written over */
	}
	memcpy(&writer->waiting.head, writer->record, sizeof(writer->waiting.head));
	writer->waiting.at = at;
	return failure;
}

/* Gives the record to seep run, which says in the header why it cannot write any more. */
static int hand(struct seep_writer *writer, size_t size)
{
	uint32_t tries, failure;

	for (tries = 0; tries < TRIES_MAX; tries++) {
		if (seep_pending_state(writer->pending) == SEEP_PENDING_CLOSED) {
			failure = writer->header->failure & 0xfff;
			return failure ? -(int)failure : -EPIPE;
		}
		if (put(writer, size))
			return 0;
		seep_silence_wait();
	}
	return -ETIMEDOUT;
}

static int write_now(struct seep_writer *writer, size_t size)
{
	int failure = flush(writer);

	if (failure)
		return failure;
	failure = seep_writer_file_put(writer, writer->record, size, writer->at);
	if (failure) {
		seep_writer_file_cut(writer, failure);
		return failure;
	}
	memcpy(&writer->last.head, writer->record, sizeof(writer->last.head));
	writer->last.at = writer->at;
	writer->at += size;
	return 0;
}

int seep_writer_append(struct seep_writer *writer, uint16_t kind, uint16_t flags,
		       const void *head, size_t head_bytes, const void *tail, size_t tail_bytes)
{
	struct seep_trace_record record = {.kind = kind, .flags = flags, .seq = writer->seq};
	size_t size = seep_frame_size(head_bytes, tail_bytes);
	int saved = errno;
	int failure;

	if (writer->failure || !writer->header)
		return writer->failure ? writer->failure : -EBADF;
	if (size > SEEP_TRACE_RECORD_MAX)
		return -EMSGSIZE;
	record.size = (uint32_t)size;
	memset(writer->record + size - 8, 0, 8); /* the padding */
	seep_frame_store(writer->record, &record, head, head_bytes, tail, tail_bytes);
	if (is_handed(writer))
		failure = hand(writer, size);
	else if (is_small(writer, kind))
		failure = let_wait(writer, size);
	else
		failure = write_now(writer, size);
	errno = saved;
	if (failure)
		return fail(writer, failure);
	writer->seq++;
	return 0;
}

/* Not if the header has gone: that would make a file of zeros from one that was emptied. */
static int put_header(struct seep_writer *writer)
{
	unsigned char found[offsetof(struct seep_trace_header, state)];
	int failure = seep_writer_file_ensure(writer);

	if (!failure)
		failure = seep_writer_file_get(writer, found, sizeof(found), 0);
	if (!failure && memcmp(found, writer->header, sizeof(found)) != 0)
		failure = -ESTALE;
	if (failure)
		return failure;
	return seep_writer_file_put(writer, (const char *)writer->header + sizeof(found),
				    sizeof(*writer->header) - sizeof(found), sizeof(found));
}

/*
 * Whether the record that was the last one at the last look is where it was written.  The present
 * last one would prove nothing: after a truncation it lies behind a hole.
 */
static int look_back(struct seep_writer *writer)
{
	struct seep_trace_record found;
	int failure = seep_writer_file_ensure(writer);

	if (!failure && writer->seen.at)
		failure = seep_writer_file_get(writer, &found, sizeof(found), writer->seen.at);
	if (!failure && writer->seen.at &&
	    memcmp(&found, &writer->seen.head, sizeof(found)))
		failure = -ESTALE;
	writer->seen = writer->last;
	return failure;
}

int seep_writer_publish(struct seep_writer *writer)
{
	int saved = errno, failure;

	if (writer->failure || !writer->header)
		return writer->failure ? writer->failure : -EBADF;
	writer->direct = 0;
	if (is_handed(writer))
		return 0; /* seep run does it */
	failure = flush(writer);
	if (!failure)
		failure = look_back(writer);
	if (!failure)
		failure = put_header(writer);
	errno = saved;
	return failure ? fail(writer, failure) : 0;
}

void seep_writer_close(struct seep_writer *writer, enum seep_trace_state state)
{
	int saved = errno;

	if (!writer->header)
		return;
	__atomic_store_n(&writer->header->state, (uint32_t)state, __ATOMIC_RELEASE);
	if (!is_handed(writer)) {
		if (!writer->failure)
			flush(writer);
		put_header(writer); /* also after a failure: that is what it says */
	}
	seep_writer_abandon(writer);
	errno = saved;
}

void seep_writer_abandon(struct seep_writer *writer)
{
	writer->header = NULL;
	writer->pending = NULL;
	seep_fd_close(&writer->fd);
}
