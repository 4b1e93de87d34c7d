/* SPDX-License-Identifier: MIT */
#include "os/process.h"

#include "os/fd.h"
#include "os/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

size_t seep_process_exe(char *buf, size_t bytes)
{
	int saved = errno;
	long n = seep_syscall(SYS_readlink, "/proc/self/exe", buf, bytes - 1);

	errno = saved;
	if (n < 0)
		n = 0;
	buf[n] = '\0';
	return (size_t)n;
}

bool seep_process_is_file(const char *path, uint64_t device, uint64_t inode)
{
	int saved = errno;
	struct stat st;
	bool is_it = !seep_syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0) &&
		     (uint64_t)st.st_dev == device && (uint64_t)st.st_ino == inode;

	errno = saved;
	return is_it;
}

#define STATUS_BYTES 4096
#define PAGE_BYTES ((uintptr_t)4096)
#define ENTRY_NAME 19    /* of a linux_dirent64, where the name is ... */
#define ENTRY_BYTES 16   /* ... and its length */
#define DIRECTORY_READS 32

static int64_t count_entries(int fd)
{
	static char entries[4096]; /* the caller serialises */
	int64_t n = 0;
	long got, at;
	int i;

	for (i = 0; i < DIRECTORY_READS; i++) {
		got = seep_syscall(SYS_getdents64, fd, entries, sizeof(entries));
		if (got <= 0)
			return got ? -1 : n - 1; /* without our own */
		for (at = 0; at + ENTRY_NAME < got;) {
			uint16_t bytes;

			memcpy(&bytes, entries + at + ENTRY_BYTES, sizeof(bytes));
			n += entries[at + ENTRY_NAME] != '.';
			at += bytes ? bytes : got;
		}
	}
	return -1;
}

int64_t seep_process_descriptors(void)
{
	int saved = errno, fd;
	struct stat st;
	int64_t n = -1;

	if (!seep_syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/fd", &st, 0) && st.st_size > 0) {
		errno = saved;
		return st.st_size;
	}
	fd = (int)seep_syscall(SYS_openat, AT_FDCWD, "/proc/self/fd",
			  O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd >= 0) {
		n = count_entries(fd);
		seep_syscall(SYS_close, fd);
	}
	errno = saved;
	return n;
}

/* "Seccomp_filters:	2"; before Linux 5.9 there is only "Seccomp:	2", the mode. */
int64_t seep_process_filters(void)
{
	static const char *const names[] = {"\nSeccomp_filters:\t", "\nSeccomp:\t"};
	char text[STATUS_BYTES];
	size_t i;

	if (seep_fd_read_file("/proc/self/status", text, sizeof(text)) <= 0)
		return 0;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *found = strstr(text, names[i]);
		int64_t n = 0;

		if (!found)
			continue;
		for (found += strlen(names[i]); *found >= '0' && *found <= '9'; found++)
			n = n * 10 + (*found - '0');
		return n;
	}
	return 0;
}

size_t seep_process_arguments(char *buf, size_t bytes)
{
	long n = seep_fd_read_file("/proc/self/cmdline", buf, bytes);

	return n > 0 ? (size_t)n : 0;
}

size_t seep_process_directory(char *buf, size_t bytes)
{
	int saved = errno;
	long n = seep_syscall(SYS_getcwd, buf, bytes); /* counts the zero */

	errno = saved;
	if (n <= 0 || buf[0] != '/')
		n = 1;
	buf[n - 1] = '\0';
	return (size_t)n - 1;
}

int seep_process_absolute(const char *path, char *buf, size_t bytes)
{
	size_t length = strlen(path), used = 0;

	if (path[0] != '/') {
		used = seep_process_directory(buf, bytes);
		if (!used)
			return 0;
		buf[used++] = '/';
	}
	if (used + length + 1 > bytes)
		return 0;
	memcpy(buf + used, path, length + 1);
	return 1;
}

#define PIECES 64u           /* that are copied at once */

/* Returns how many pieces were copied before one that is not mapped; n if none can be. */
static size_t peek_pieces(const uintptr_t *addresses, const uint64_t *bytes, size_t n, char *to,
			  size_t room)
{
	struct iovec from[PIECES], into[PIECES];
	size_t i, done;
	long copied;

	for (i = 0; i < n; i++) {
		size_t part = bytes[i] < room ? (size_t)bytes[i] : room;

		from[i] = (struct iovec){(void *)addresses[i], part};
		into[i] = (struct iovec){to + i * room, part};
	}
	copied = seep_syscall(SYS_process_vm_readv, getpid(), into, n, from, n, 0UL);
	if (copied < 0 && errno != EFAULT)
		return n;
	for (done = 0; done < n && copied >= (long)from[done].iov_len; done++)
		copied -= (long)from[done].iov_len;
	return done;
}

void seep_process_peek_many(const uintptr_t *addresses, const uint64_t *bytes, size_t n, void *to,
			    size_t room)
{
	int saved = errno;
	char *at = to;

	memset(to, 0, n * room);
	while (n && !seep_silence_is_on()) {
		size_t done = peek_pieces(addresses, bytes, n < PIECES ? n : PIECES, at, room);

		/* The one after them is not mapped. */
		done += done < n && done < PIECES;
		addresses += done;
		bytes += done;
		at += done * room;
		n -= done;
	}
	errno = saved;
}

/*
 * Where process_vm_readv is forbidden, as in some containers.  The kernel reads the set of signals
 * before it looks at the rest, which is wrong: EINVAL.
 */
static bool is_readable(uintptr_t address)
{
	return seep_syscall(SYS_rt_sigprocmask, -1, address & ~(uintptr_t)7, NULL, 8L) < 0 &&
	       errno == EINVAL;
}

static bool peek_otherwise(uintptr_t address, void *to, size_t bytes)
{
	uintptr_t end = address + bytes, at;

	for (at = address; at < end; at = (at | (PAGE_BYTES - 1)) + 1)
		if (!is_readable(at))
			return false;
	memcpy(to, (const void *)address, bytes);
	return true;
}

bool seep_process_peek(uintptr_t address, void *to, size_t bytes)
{
	struct iovec from = {(void *)address, bytes}, into = {to, bytes};
	int saved = errno;
	bool done;
	long n;

	n = seep_syscall(SYS_process_vm_readv, seep_syscall(SYS_getpid), &into, 1UL, &from, 1UL,
			 0UL);
	done = n == (long)bytes;
	if (n < 0 && errno != EFAULT)
		done = peek_otherwise(address, to, bytes);
	errno = saved;
	return done;
}
