/* SPDX-License-Identifier: MIT */
#include "trace/writer_file.h"

#include "os/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int seep_writer_file_ensure(struct seep_writer *writer)
{
	struct seep_fd again;
	int failure;

	if (seep_fd_is_marked(&writer->fd))
		return 0;
	failure = seep_fd_open(&again, writer->path, O_RDWR, 0);
	if (failure)
		return failure;
	if (again.device != writer->fd.device || again.inode != writer->fd.inode) {
		seep_fd_close(&again);
		return -ESTALE;
	}
	seep_fd_mark(&again);
	writer->fd = again;
	return 0;
}

/* Past RLIMIT_FSIZE the kernel would send SIGXFSZ. */
int seep_writer_file_put(struct seep_writer *writer, const void *data, size_t bytes, uint64_t at)
{
	const unsigned char *from = data;
	struct rlimit limit;
	int failure = seep_silence_is_on() ? -EPERM : seep_writer_file_ensure(writer);

	if (failure)
		return failure;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && at + bytes > limit.rlim_cur)
		return -EFBIG;
	while (bytes) {
		long done = syscall(SYS_pwrite64, writer->fd.fd, from, bytes, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		from += done;
		at += (uint64_t)done;
		bytes -= (size_t)done;
	}
	return 0;
}

int seep_writer_file_get(const struct seep_writer *writer, void *data, size_t bytes, uint64_t at)
{
	long n = syscall(SYS_pread64, writer->fd.fd, data, bytes, (off_t)at);

	if (n < 0)
		return -errno;
	return n < (long)bytes ? -ESTALE : 0;
}

void seep_writer_file_cut(struct seep_writer *writer, int failure)
{
	if (failure == -ESTALE || failure == -EFBIG)
		return;
	if (!seep_writer_file_ensure(writer) && ftruncate(writer->fd.fd, (off_t)writer->at))
		return; /* the record is larger than the rest of the file, so it is the end */
}
