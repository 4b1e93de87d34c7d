/* SPDX-License-Identifier: MIT */
#include "os/fd.h"

#include "os/clock.h"
#include "os/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIGHEST_FD 1000 /* below FD_SETSIZE, above what programs count through */

/* Raw system calls: the library's open, close and read may be hooked by others in this process. */
static int open_raw(const char *path, int flags, unsigned int mode)
{
	return (int)seep_syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void close_raw(int fd)
{
	seep_syscall(SYS_close, fd);
}

static int move_high(int fd)
{
	struct rlimit limit;
	int floor = HIGHEST_FD, high;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur <= HIGHEST_FD + 8)
		floor = limit.rlim_cur > 16 ? (int)limit.rlim_cur - 8 : 0;
	high = (int)seep_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, floor);
	if (high < 0)
		return fd;
	close_raw(fd);
	return high;
}

static bool identify(int fd, uint64_t *device, uint64_t *inode)
{
	struct stat st;

	if (!seep_silence_enter() || seep_silence_leave(fstat(fd, &st)))
		return false;
	*device = (uint64_t)st.st_dev;
	*inode = (uint64_t)st.st_ino;
	return true;
}

int seep_fd_open(struct seep_fd *fd, const char *path, int flags, unsigned int mode)
{
	int saved = errno, failure = 0;
	int raw = open_raw(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, mode);

	fd->fd = -1;
	fd->mark = 0;
	if (raw < 0) {
		failure = -errno;
	} else {
		raw = move_high(raw);
		if (identify(raw, &fd->device, &fd->inode)) {
			fd->fd = raw;
		} else {
			failure = -errno;
			close_raw(raw);
		}
	}
	errno = saved;
	return failure;
}

bool seep_fd_is_ours(const struct seep_fd *fd)
{
	uint64_t device, inode;
	int saved = errno;
	bool ours = fd->fd >= 0 && identify(fd->fd, &device, &inode) && device == fd->device &&
		    inode == fd->inode;

	errno = saved;
	return ours;
}

/* Below 1 TiB, since every file system allows a position there. */
void seep_fd_mark(struct seep_fd *fd)
{
	uint64_t random = (uint64_t)seep_clock_mono_ns() ^ (uintptr_t)fd << 20 ^ fd->inode;
	int64_t mark = (int64_t)(1u | (random * 0x9e3779b97f4a7c15u) >> 25 |
				 (uint64_t)1 << 38);
	int saved = errno;

	fd->mark = seep_syscall(SYS_lseek, fd->fd, mark, SEEK_SET) == mark ? mark : 0;
	errno = saved;
}

bool seep_fd_is_marked(const struct seep_fd *fd)
{
	int saved = errno;
	bool marked = fd->fd >= 0 && fd->mark &&
		      seep_syscall(SYS_lseek, fd->fd, 0L, SEEK_CUR) == fd->mark;

	errno = saved;
	return marked || seep_fd_is_ours(fd);
}

void seep_fd_close(struct seep_fd *fd)
{
	int saved = errno;

	if (seep_fd_is_ours(fd))
		close_raw(fd->fd);
	fd->fd = -1;
	errno = saved;
}

long seep_fd_read_file(const char *path, char *buf, size_t bytes)
{
	int saved = errno;
	int fd = open_raw(path, O_RDONLY | O_CLOEXEC, 0);
	size_t got = 0;
	long n = 0;

	if (fd < 0) {
		n = -errno;
		errno = saved;
		return n;
	}
	while (got + 1 < bytes && (n = seep_syscall(SYS_read, fd, buf + got, bytes - 1 - got)) > 0)
		got += (size_t)n;
	buf[got] = '\0';
	close_raw(fd);
	errno = saved;
	return (long)got;
}
