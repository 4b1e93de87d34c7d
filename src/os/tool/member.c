/* SPDX-License-Identifier: MIT */
#include "os/tool/member.h"

#include "os/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES 8192
#define NUMBER_DIGITS 15 /* of KiB: more is nonsense */

/* The text after "Name:" at the start of a line, without blanks; NULL if there is no such line. */
static const char *find_field(const char *text, const char *name)
{
	size_t n = strlen(name);

	while (text && (strncmp(text, name, n) || text[n] != ':')) {
		text = strchr(text, '\n');
		text += text ? 1 : 0;
	}
	return text ? text + n + 1 + strspn(text + n + 1, " \t") : NULL;
}

/* -1 if there is none. */
static int64_t find_number(const char *text, const char *name)
{
	const char *field = find_field(text, name);
	size_t digits = field ? strspn(field, "0123456789") : 0;

	return digits && digits <= NUMBER_DIGITS ? strtoll(field, NULL, 10) : -1;
}

static int64_t find_kib(const char *text, const char *name)
{
	int64_t number = find_number(text, name);

	return number < 0 ? -1 : number * 1024;
}

static int64_t at_least_0(int64_t number)
{
	return number < 0 ? 0 : number;
}

bool seep_member_parse_status(struct seep_member_status *status, const char *text)
{
	const char *name = find_field(text, "Name"), *state = find_field(text, "State");
	int64_t pid = find_number(text, "Pid"), tgid = find_number(text, "Tgid");

	memset(status, 0, sizeof(*status));
	if (!name || !state || pid < 0 || tgid < 0)
		return false;
	snprintf(status->name, sizeof(status->name), "%.*s", (int)strcspn(name, "\n"), name);
	status->pid = (pid_t)pid;
	status->tgid = (pid_t)tgid;
	status->state = *state;
	status->vm_bytes = find_kib(text, "VmSize");
	status->rss_bytes = find_kib(text, "VmRSS");
	status->has_memory = status->vm_bytes >= 0 && status->rss_bytes >= 0;
	status->vm_bytes = at_least_0(status->vm_bytes);
	status->rss_bytes = at_least_0(status->rss_bytes);
	status->shmem_bytes = at_least_0(find_kib(text, "RssShmem"));
	status->file_bytes = at_least_0(find_kib(text, "RssFile"));
	status->swap_bytes = at_least_0(find_kib(text, "VmSwap"));
	status->threads = at_least_0(find_number(text, "Threads"));
	return true;
}

int seep_member_open(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int seep_member_read(int fd, struct seep_member_status *status)
{
	char text[TEXT_BYTES];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return n < 0 ? -errno : -ESRCH;
	text[n] = 0;
	return seep_member_parse_status(status, text) ? 0 : -EPROTO;
}

int64_t seep_member_descriptors(pid_t pid)
{
	struct dirent *entry;
	struct stat st;
	char path[64];
	int64_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
	if (!stat(path, &st) && st.st_size > 0 && !access(path, R_OK | X_OK))
		return st.st_size;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

bool seep_member_parse_pages(struct seep_member_pages *pages, const char *text)
{
	pages->rss_bytes = find_kib(text, "Rss");
	pages->pss_bytes = find_kib(text, "Pss");
	pages->pss_file_bytes = find_kib(text, "Pss_File");
	pages->anonymous_bytes = at_least_0(find_kib(text, "Anonymous"));
	pages->private_bytes = at_least_0(find_kib(text, "Private_Clean")) +
			       at_least_0(find_kib(text, "Private_Dirty"));
	pages->lazy_bytes = at_least_0(find_kib(text, "LazyFree"));
	return pages->rss_bytes >= 0 && pages->pss_bytes >= 0;
}

/* A process that is about to end has no memory left, and its file is empty. */
int seep_member_read_pages(pid_t pid, struct seep_member_pages *pages)
{
	char path[64], text[TEXT_BYTES];
	long n;

	snprintf(path, sizeof(path), "/proc/%ld/smaps_rollup", (long)pid);
	n = seep_fd_read_file(path, text, sizeof(text));
	if (n <= 0)
		return n < 0 ? (int)n : -ESRCH;
	return seep_member_parse_pages(pages, text) ? 0 : -EPROTO;
}

size_t seep_member_exe(pid_t pid, char *text, size_t room)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%ld/exe", (long)pid);
	n = readlink(path, text, room - 1);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

size_t seep_member_arguments(pid_t pid, char *text, size_t room)
{
	char path[64];
	long n;

	snprintf(path, sizeof(path), "/proc/%ld/cmdline", (long)pid);
	n = seep_fd_read_file(path, text, room);
	return n > 0 ? (size_t)n : 0;
}

int64_t seep_member_ram(void)
{
	char text[TEXT_BYTES];

	if (seep_fd_read_file("/proc/meminfo", text, sizeof(text)) <= 0)
		return 0;
	return at_least_0(find_kib(text, "MemTotal"));
}
