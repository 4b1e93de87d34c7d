/* SPDX-License-Identifier: MIT */
/*
 * What the command asks the kernel about itself and about a process it
 * watches.  Never inside the traced process.
 */
#ifndef SEEP_OS_TOOL_PROC_H
#define SEEP_OS_TOOL_PROC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Path of the running command.  0 or -errno. */
int seep_proc_own_path(char *path, size_t room);

/* Path of an open file; "" if it cannot be found out. */
void seep_proc_fd_path(int fd, char *path, size_t room);

/* Resident bytes of a process, -1 if it is gone. */
int64_t seep_proc_rss(pid_t pid);

/* "always", "madvise" or "never"; "" if the kernel does not say. */
void seep_proc_huge_pages(char *text, size_t room);

/* The value of vm.overcommit_memory; -1 if the kernel does not say. */
int seep_proc_overcommit(void);

#endif
