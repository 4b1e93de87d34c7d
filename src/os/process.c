/* SPDX-License-Identifier: MIT */
#include "os/process.h"

#include "os/fd.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

size_t seep_process_exe(char *buf, size_t bytes)
{
	int saved = errno;
	long n = readlink("/proc/self/exe", buf, bytes - 1);

	errno = saved;
	if (n < 0)
		n = 0;
	buf[n] = '\0';
	return (size_t)n;
}

size_t seep_process_arguments(char *buf, size_t bytes)
{
	long n = seep_fd_read_file("/proc/self/cmdline", buf, bytes);

	return n > 0 ? (size_t)n : 0;
}

size_t seep_process_directory(char *buf, size_t bytes)
{
	int saved = errno;
	long n = syscall(SYS_getcwd, buf, bytes); /* counts the zero */

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
