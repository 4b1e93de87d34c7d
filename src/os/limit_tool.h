/* SPDX-License-Identifier: MIT */
/*
 * The memory limits that would end a process: control groups of both versions
 * at every level, resource limits, and what the machine has left.  For the
 * command only; never inside the traced process.
 *
 * A limit at any ancestor of a control group kills, so of each hierarchy the
 * smallest one is given.  memory.high only slows down and is left out.
 */
#ifndef SEEP_OS_LIMIT_TOOL_H
#define SEEP_OS_LIMIT_TOOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SEEP_LIMIT_SOURCE_MAX 256

struct seep_limit_found {
	int64_t bytes;
	char source[SEEP_LIMIT_SOURCE_MAX]; /* "cgroup /user.slice", "RLIMIT_AS", "RAM" */
};

/*
 * Fills at most room limits for the process pid (0: this one), smallest first,
 * and returns their number.  root is put before every path that is read: "" for
 * the real system, a directory with a made-up /proc and /sys for tests.  What
 * cannot be read counts as no limit.
 */
size_t seep_limit_find(const char *root, pid_t pid, struct seep_limit_found *found, size_t room);

#endif
