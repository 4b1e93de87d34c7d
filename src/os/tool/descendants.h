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

/* Fills at most room pids of its children; their number. */
size_t seep_descendants_children(pid_t parent, pid_t *pids, size_t room);

/* Fills at most room pids, those of children before those of grandchildren; their number. */
size_t seep_descendants_find(pid_t ancestor, pid_t *pids, size_t room);

struct seep_descendants {
	char exe[PATH_MAX];      /* path of the program */
	char open[64];           /* where its file can be opened, even if it has been removed */
	bool has_library;        /* the one that was asked for is loaded */
	bool other_user;         /* not that of this command */
	bool other_root;
};

/* False if it has gone, or may not be looked at. */
bool seep_descendants_look(struct seep_descendants *kin, pid_t pid, const char *library);

#endif
