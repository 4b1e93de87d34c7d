/* SPDX-License-Identifier: MIT */
/*
 * The descendants of a process, as the command sees them from outside.  Never inside
 * the traced process.
 */
#ifndef SEEP_OS_TOOL_DESCENDANTS_H
#define SEEP_OS_TOOL_DESCENDANTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Fills in the pids of its children, at most room; returns their number. */
size_t seep_descendants_children(pid_t parent, pid_t *pids, size_t room);

/* The same for all descendants, children before grandchildren. */
size_t seep_descendants_find(pid_t ancestor, pid_t *pids, size_t room);

struct seep_descendants {
	char exe[PATH_MAX];      /* path of the program */
	char open[64];           /* where its file can be opened, even if it has been removed */
	bool has_library;        /* the library that the caller names is loaded */
	bool other_user;         /* belongs to another user than this command */
	bool other_root;
};

/* False if it has gone, or if we may not look at it. */
bool seep_descendants_look(struct seep_descendants *kin, pid_t pid, const char *library);

#endif
