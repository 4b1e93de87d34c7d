/* SPDX-License-Identifier: MIT */
/*
 * The memory of another process: what the kernel shows to everybody (status), and page by
 * page to those with permission (smaps_rollup).  The first takes microseconds, the
 * second about ten for each megabyte.  For the command only; never inside the traced process.
 */
#ifndef SEEP_OS_TOOL_MEMBER_H
#define SEEP_OS_TOOL_MEMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct seep_member_status {
	pid_t pid, tgid;         /* they differ for a thread other than the main one */
	char name[32];
	char state;              /* 'R', 'S', 'D', 'Z' ... */
	bool has_memory;         /* false: it has ended, or is a kernel thread */
	int64_t vm_bytes, rss_bytes;
	int64_t shmem_bytes, file_bytes; /* of rss_bytes */
	int64_t swap_bytes;      /* in addition to rss_bytes */
	int64_t threads;         /* 0: not known */
};

/* False if the text is not such a file. */
bool seep_member_parse_status(struct seep_member_status *status, const char *text);

/*
 * A descriptor for this one process: when it has ended, reading fails with -ESRCH, even
 * if another process has got its pid.  -errno if there is no such process.
 */
int seep_member_open(pid_t pid);
int seep_member_read(int fd, struct seep_member_status *status);

/*
 * How many descriptors it has open; -errno if we have no permission.  Since Linux 6.2 the kernel
 * reports the number; before that, they are counted one by one.
 */
int64_t seep_member_descriptors(pid_t pid);

struct seep_member_pages {
	int64_t rss_bytes;
	int64_t anonymous_bytes; /* of rss_bytes; the rest is files and shared memory */
	int64_t pss_bytes;       /* if n processes have a page, each counts an nth of it */
	int64_t pss_file_bytes;  /* of pss_bytes, files; -1: the kernel does not report it */
	int64_t private_bytes;   /* pages that no other process has */
	int64_t lazy_bytes;      /* pages that the kernel may take at any time (MADV_FREE) */
};

bool seep_member_parse_pages(struct seep_member_pages *pages, const char *text);

/* 0 or -errno: -EACCES for the process of another user, -ESRCH for one that has ended. */
int seep_member_read_pages(pid_t pid, struct seep_member_pages *pages);

/* Its program and its command line (strings, each ended by a zero); bytes read, 0 if unknown. */
size_t seep_member_exe(pid_t pid, char *text, size_t room);
size_t seep_member_arguments(pid_t pid, char *text, size_t room);

/* Bytes of RAM of the machine; 0 if that is not known. */
int64_t seep_member_ram(void);

#endif
