/* SPDX-License-Identifier: MIT */
/*
 * Records are stored through a window, a mapped part of the file that moves along:
 *
 *	file:    header | records ..................... | zeros, allocated on disk |
 *	window:                      |#### filled ####|..ready..|..not in memory..|
 *	                          window_at           at      ready      file_bytes
 *
 * - The window never reaches past what is allocated on disk: a store cannot fail.
 * - Pages up to ready were populated in batches, so that records cause no page faults.
 * - The size of a record is stored last.  Until then a reader sees the end of the trace there.
 * - After a failure, writer->failure stays set and nothing is written any more.
 */
#include "trace/writer.h"

#include "os/clock.h"
#include "trace/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define WINDOW_BYTES ((size_t)256 << 10) /* any record fits, wherever it starts in its page */
#define READY_BYTES ((size_t)32 << 10)
#define POPULATE_WRITE 23 /* MADV_POPULATE_WRITE, Linux 5.14; older kernels fault page by page */

static int fail(struct seep_writer *writer, int failure)
{
	if (!writer->failure)
		writer->failure = failure;
	return writer->failure;
}

/* Opens the file again if the program has closed our descriptor. */
static int ensure_fd(struct seep_writer *writer)
{
	struct seep_fd again;
	int failure;

	if (seep_fd_is_ours(&writer->fd))
		return 0;
	failure = seep_fd_open(&again, writer->path, O_RDWR, 0);
	if (failure)
		return failure;
	if (again.device != writer->fd.device || again.inode != writer->fd.inode) {
		seep_fd_close(&again);
		return -ESTALE;
	}
	writer->fd = again;
	return 0;
}

static int write_zeros(int fd, uint64_t from, uint64_t to)
{
	static const char zeros[PAGE_BYTES];

	while (from < to) {
		size_t n = to - from < sizeof(zeros) ? (size_t)(to - from) : sizeof(zeros);
		long done = syscall(SYS_pwrite64, fd, zeros, n, from);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		from += (uint64_t)done;
	}
	return 0;
}

/* Allocates disk space up to an offset.  Past RLIMIT_FSIZE the kernel would send SIGXFSZ. */
static int allocate(struct seep_writer *writer, uint64_t to)
{
	struct rlimit limit;
	int failure = ensure_fd(writer);

	if (failure)
		return failure;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && to > limit.rlim_cur)
		return -EFBIG;
	while (syscall(SYS_fallocate, writer->fd.fd, 0, (off_t)writer->file_bytes,
		       (off_t)(to - writer->file_bytes))) {
		if (errno == EINTR)
			continue;
		if (errno != EOPNOTSUPP && errno != ENOSYS)
			return -errno;
		failure = write_zeros(writer->fd.fd, writer->file_bytes, to);
		if (failure)
			return failure;
		break;
	}
	writer->file_bytes = to;
	return 0;
}

static void *map_file(struct seep_writer *writer, size_t bytes, uint64_t at)
{
	void *map = (void *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				    writer->fd.fd, (off_t)at);

	return map == MAP_FAILED ? NULL : map;
}

static void unmap_window(struct seep_writer *writer)
{
	if (writer->window)
		syscall(SYS_munmap, writer->window, writer->window_bytes);
	writer->window = NULL;
}

/* Moves the window so that it starts in the page of the next record. */
static int move_window(struct seep_writer *writer)
{
	uint64_t at = writer->at & ~(uint64_t)(PAGE_BYTES - 1);
	int failure = 0;

	unmap_window(writer);
	if (at + WINDOW_BYTES > writer->file_bytes)
		failure = allocate(writer, at + WINDOW_BYTES);
	else
		failure = ensure_fd(writer);
	if (failure)
		return failure;
	writer->window = map_file(writer, WINDOW_BYTES, at);
	if (!writer->window)
		return -errno;
	writer->ready = at;
	writer->window_bytes = WINDOW_BYTES;
	writer->window_at = at;
	return 0;
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

	memset(writer, 0, offsetof(struct seep_writer, path));
	writer->fd.fd = -1;
	if (n == sizeof(writer->path))
		return -ENAMETOOLONG;
	memcpy(writer->path, path, n + 1);
	return seep_fd_open(&writer->fd, path, flags, 0600);
}

static int map_header(struct seep_writer *writer)
{
	writer->header = map_file(writer, SEEP_TRACE_HEADER_BYTES, 0);
	return writer->header ? 0 : -errno;
}

int seep_writer_create(struct seep_writer *writer, const char *path, uint32_t pid)
{
	int saved = errno;
	int failure = open_file(writer, path, O_RDWR | O_CREAT | O_EXCL);

	if (!failure)
		failure = allocate(writer, SEEP_TRACE_HEADER_BYTES);
	if (!failure)
		failure = map_header(writer);
	if (!failure) {
		fill_header(writer->header, pid ? pid : (uint32_t)getpid());
		writer->at = SEEP_TRACE_HEADER_BYTES;
	} else if (failure != -EEXIST && writer->fd.fd >= 0) {
		unlink(path);
	}
	if (failure) {
		seep_fd_close(&writer->fd);
		fail(writer, failure);
	}
	errno = saved;
	return failure;
}

/* Part of the file, read at once, so that not every small record takes a system call. */
struct part {
	uint64_t at, end;
	unsigned char bytes[PAGE_BYTES];
};

static int read_head(const struct seep_writer *writer, struct part *part,
		     struct seep_trace_record *head)
{
	if (writer->at < part->at || writer->at + sizeof(*head) > part->end) {
		long n = syscall(SYS_pread64, writer->fd.fd, part->bytes, sizeof(part->bytes),
				 (off_t)writer->at);

		if (n < (long)sizeof(*head))
			return n < 0 ? -errno : -EIO;
		part->at = writer->at;
		part->end = writer->at + (uint64_t)n;
	}
	memcpy(head, part->bytes + (writer->at - part->at), sizeof(*head));
	return 0;
}

/* Goes to the first place without a record.  The reader checks whether the records are good. */
static int seek_end(struct seep_writer *writer)
{
	struct seep_trace_record head;
	struct part part = {0};

	writer->at = SEEP_TRACE_HEADER_BYTES;
	while (writer->at + sizeof(head) <= writer->file_bytes) {
		int failure = read_head(writer, &part, &head);

		if (failure)
			return failure;
		if (head.size < sizeof(head) || head.size % 8 ||
		    head.size > SEEP_TRACE_RECORD_MAX ||
		    head.size > writer->file_bytes - writer->at)
			break;
		writer->at += head.size;
		writer->seq = head.seq + 1;
	}
	return 0;
}

static int attach(struct seep_writer *writer)
{
	off_t bytes = lseek(writer->fd.fd, 0, SEEK_END);
	int failure;

	if (bytes < (off_t)SEEP_TRACE_HEADER_BYTES)
		return -EINVAL;
	writer->file_bytes = (uint64_t)bytes;
	failure = map_header(writer);
	if (failure)
		return failure;
	if (memcmp(writer->header->magic, SEEP_TRACE_MAGIC, sizeof(writer->header->magic)) ||
	    writer->header->version != SEEP_TRACE_VERSION ||
	    writer->header->byte_order != SEEP_TRACE_BYTE_ORDER)
		return -EINVAL;
	failure = seek_end(writer);
	if (failure)
		return failure;
	/* A record that a dying process did not finish must not follow the next one. */
	if (ftruncate(writer->fd.fd, (off_t)writer->at))
		return -errno;
	writer->file_bytes = writer->at;
	return 0;
}

int seep_writer_attach(struct seep_writer *writer, const char *path)
{
	int saved = errno;
	int failure = open_file(writer, path, O_RDWR);

	if (!failure)
		failure = attach(writer);
	if (failure) {
		seep_writer_abandon(writer);
		fail(writer, failure);
	}
	errno = saved;
	return failure;
}

/*
 * Populates the next pages at once: single page faults would cost more than the records.
 * But only a few pages, so that they are still in the cache when they are filled.
 */
static void make_ready(struct seep_writer *writer)
{
	uint64_t left = writer->window_at + WINDOW_BYTES - writer->ready;
	size_t bytes = left < READY_BYTES ? (size_t)left : READY_BYTES;

	syscall(SYS_madvise, writer->window + (writer->ready - writer->window_at), bytes,
		POPULATE_WRITE);
	writer->ready += bytes;
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
	if (!writer->window ||
	    writer->at + size + sizeof(record) > writer->window_at + WINDOW_BYTES) {
		failure = move_window(writer);
		errno = saved;
		if (failure)
			return fail(writer, failure);
	}
	if (writer->at + size > writer->ready) {
		make_ready(writer);
		errno = saved;
	}
	record.size = (uint32_t)size;
	seep_frame_store(writer->window + (writer->at - writer->window_at), &record, head,
			 head_bytes, tail, tail_bytes);
	writer->at += size;
	writer->seq++;
	return 0;
}

void seep_writer_close(struct seep_writer *writer, enum seep_trace_state state)
{
	int saved = errno;

	if (!writer->header)
		return;
	__atomic_store_n(&writer->header->state, (uint32_t)state, __ATOMIC_RELEASE);
	unmap_window(writer);
	if (!ensure_fd(writer) && !ftruncate(writer->fd.fd, (off_t)writer->at))
		writer->file_bytes = writer->at;
	seep_writer_abandon(writer);
	errno = saved;
}

void seep_writer_abandon(struct seep_writer *writer)
{
	int saved = errno;

	unmap_window(writer);
	if (writer->header)
		syscall(SYS_munmap, writer->header, SEEP_TRACE_HEADER_BYTES);
	writer->header = NULL;
	seep_fd_close(&writer->fd);
	errno = saved;
}
