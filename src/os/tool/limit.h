/* SPDX-License-Identifier: MIT */
/*
 * The memory limits that would end a process: control groups of both versions
 * at every level, resource limits, what Slurm has granted, and the memory of the machine.
 * For the command only; never inside the traced process.
 *
 * A limit of a group or of the machine is shared.  So it comes with what others use already; the
 * rest is what a process that is not among them may take.  File caches, which
 * the kernel gives up first, do not count as used.
 */
#ifndef SEEP_OS_TOOL_LIMIT_H
#define SEEP_OS_TOOL_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SEEP_LIMIT_SOURCE_MAX 256
#define SEEP_LIMIT_ROOM 16       /* more than a process has, in all likelihood */

/* What counts against the limit. */
enum seep_limit_scope {
	SEEP_LIMIT_SCOPE_PROCESS,   /* the resident memory of the process */
	SEEP_LIMIT_SCOPE_GROUP,     /* that of all processes in a group, or on the machine */
	SEEP_LIMIT_SCOPE_ADDRESSES, /* the address space of the process, touched or not */
};

struct seep_limit_found {
	int64_t bytes;
	int64_t others_bytes;    /* of these, in use by others; 0 if that is not known */
	enum seep_limit_scope scope;
	bool slows;              /* above it, the process is slowed down, not ended */
	char source[SEEP_LIMIT_SOURCE_MAX]; /* "cgroup /a/b memory.max", "RLIMIT_AS", "RAM" */
};

/*
 * Finds the limits of the process pid (0: this one), at most room of them, and returns their
 * number.  Those with the least left come first, and those that only slow down last.  root is
 * put before every path that is read: "" for the real system, a directory with
 * a fake /proc and /sys for tests.  What cannot be read counts as no limit.
 */
size_t seep_limit_find(const char *root, pid_t pid, struct seep_limit_found *found, size_t room);

/* What others leave of the limit. */
static inline int64_t seep_limit_left(const struct seep_limit_found *limit)
{
	return limit->bytes > limit->others_bytes ? limit->bytes - limit->others_bytes : 0;
}

#endif
