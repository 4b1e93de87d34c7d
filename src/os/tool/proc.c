/* SPDX-License-Identifier: MIT */
#include "os/tool/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int seep_proc_own_path(char *path, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", path, room);

	if (n < 0)
		return -errno;
	if ((size_t)n >= room)
		return -ENAMETOOLONG;
	path[n] = 0;
	return 0;
}

void seep_proc_fd_path(int fd, char *path, size_t room)
{
	char link[sizeof("/proc/self/fd/") + 16];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, room - 1);
	path[n > 0 ? n : 0] = 0;
}

int64_t seep_proc_rss(pid_t pid)
{
	char path[64];
	long long pages = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/statm", (long)pid);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%*s %lld", &pages) != 1)
		pages = -1;
	fclose(file);
	return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

/* The chosen word stands in brackets: "always [madvise] never". */
void seep_proc_huge_pages(char *text, size_t room)
{
	char line[128] = "", *word;
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");

	text[0] = 0;
	if (!file)
		return;
	word = fgets(line, sizeof(line), file) ? strchr(line, '[') : NULL;
	if (word) {
		word[strcspn(word, "]")] = 0;
		snprintf(text, room, "%s", word + 1);
	}
	fclose(file);
}

int seep_proc_overcommit(void)
{
	FILE *file = fopen("/proc/sys/vm/overcommit_memory", "re");
	int mode = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &mode) != 1)
		mode = -1;
	fclose(file);
	return mode;
}
