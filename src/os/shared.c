/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "os/shared.h"

#include "os/digits.h"
#include "os/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DIGITS "0123456789"

/* Raw system calls: the library's functions may be hooked by us or by others. */
static void *map(int fd, struct seep_shared_part part)
{
	void *memory = (void *)seep_syscall(SYS_mmap, NULL, part.bytes, PROT_READ | PROT_WRITE,
				       MAP_SHARED, fd, (off_t)part.at);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Past RLIMIT_FSIZE the kernel would send SIGXFSZ. */
static int set_size(int fd, size_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || bytes > limit.rlim_cur)
		return -1;
	return ftruncate(fd, (off_t)bytes);
}

void *seep_shared_create(size_t bytes, char name[SEEP_SHARED_NAME_MAX])
{
	int fd = (int)seep_syscall(SYS_memfd_create, "seep", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *memory = NULL;

	if (fd < 0)
		return NULL;
	if (!set_size(fd, bytes) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		memory = map(fd, (struct seep_shared_part){0, bytes});
	if (!memory) {
		close(fd);
		return NULL;
	}
	memset(name, 0, SEEP_SHARED_NAME_MAX);
	seep_digits_append(name, (uint32_t)getpid());
	name[strlen(name)] = '/';
	seep_digits_append(name, (uint32_t)fd);
	return memory;
}

/* False if the name is not PID/N. */
static bool make_path(char *path, const char *name)
{
	size_t n = strlen(name), pid = strspn(name, DIGITS), i;

	if (n >= SEEP_SHARED_NAME_MAX || !pid || name[pid] != '/' ||
	    pid + 1 + strspn(name + pid + 1, DIGITS) != n || pid + 1 == n)
		return false;
	memcpy(path, "/proc/", 6);
	path += 6;
	for (i = 0; i < pid; i++)
		*path++ = name[i];
	memcpy(path, "/fd", 3);
	memcpy(path + 3, name + pid, n - pid + 1);
	return true;
}

static bool is_sealed(int fd, struct seep_shared_part part)
{
	long seals = seep_syscall(SYS_fcntl, fd, F_GET_SEALS);
	struct stat st;

	return seals >= 0 && (seals & F_SEAL_SHRINK) && !fstat(fd, &st) &&
	       st.st_size >= (off_t)(part.at + part.bytes);
}

void *seep_shared_open(const char *name, struct seep_shared_part part)
{
	char path[SEEP_SHARED_NAME_MAX + 16];
	int saved = errno, fd = -1;
	void *memory = NULL;

	if (name && make_path(path, name))
		fd = (int)seep_syscall(SYS_openat, AT_FDCWD, path,
				  O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0) {
		if (is_sealed(fd, part))
			memory = map(fd, part);
		seep_syscall(SYS_close, fd);
	}
	errno = saved;
	return memory;
}

void seep_shared_close(void *memory, size_t bytes)
{
	int saved = errno;

	if (memory)
		seep_syscall(SYS_munmap, memory, bytes);
	errno = saved;
}
