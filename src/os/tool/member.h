/* SPDX-License-Identifier: MIT */
/*
 * The memory of another process, as the kernel tells it to everybody (status), and page by
 * page to those who may look into it (smaps_rollup).  The first takes microseconds, the
 * second about ten for each megabyte.  For the command only; never inside the traced process.
 */
#ifndef SEEP_OS_TOOL_MEMBER_H
#define SEEP_OS_TOOL_MEMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct seep_member_status {
	pid_t pid, tgid;         /* they differ for a thread that is not the first of its process */
	char name[32];
	char state;              /* 'R', 'S', 'D', 'Z' ... */
	bool has_memory;         /* else it has ended, or is a thread of the kernel */
	int64_t vm_bytes, rss_bytes;
	int64_t shmem_bytes, file_bytes; /* of rss_bytes */
	int64_t swap_bytes;      /* beside them */
	int64_t threads;         /* 0: not known */
};

/* False if it is no such text. */
bool seep_member_parse_status(struct seep_member_status *status, const char *text);

/*
 * A descriptor that stands for this one process: when it has ended, reading fails with
 * -ESRCH, even if its pid has been given to another.  -errno if there is no such process.
 */
int seep_member_open(pid_t pid);
int seep_member_read(int fd, struct seep_member_status *status);

/*
 * How many descriptors it has open; -errno if we may not know.  The kernel knows the number since
 * Linux 6.2; before, each is looked at.
 */
int64_t seep_member_descriptors(pid_t pid);

struct seep_member_pages {
	int64_t rss_bytes;
	int64_t anonymous_bytes; /* of rss_bytes; the rest is of files and shared memory */
	int64_t pss_bytes;       /* where n processes have a page, each counts an nth of it */
	int64_t pss_file_bytes;  /* of pss_bytes, of files; -1: the kernel does not tell */
	int64_t private_bytes;   /* pages that nobody else has */
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
