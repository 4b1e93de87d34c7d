/* SPDX-License-Identifier: MIT */
/*
 * Memory that a process shares with those that it starts.
 *
 * It is a memfd, sealed so that nobody can shrink it: an access is never a SIGBUS, as it would be
 * in a mapping of a file that somebody truncates.  Others open it as /proc/PID/fd/N while the first
 * process lives.  So no descriptor of ours is inherited.
 */
#ifndef SEEP_OS_SHARED_H
#define SEEP_OS_SHARED_H

#include <stddef.h>

#define SEEP_SHARED_NAME_MAX 32

/* New memory, zeroed, for as long as this process lives; name: for others.  NULL: not possible. */
void *seep_shared_create(size_t bytes, char name[SEEP_SHARED_NAME_MAX]);

/* A part of it, in whole pages. */
struct seep_shared_part {
	size_t at, bytes;
};

/*
 * Maps a part of the memory of that name; NULL if there is none with that part.  The process may
 * have ended, and its number may be another's: the caller checks the content.  errno is kept.
 */
void *seep_shared_open(const char *name, struct seep_shared_part part);
void seep_shared_close(void *memory, size_t bytes);

#endif
