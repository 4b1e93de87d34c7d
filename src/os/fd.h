/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that stay out of the program's way: moved to a high number, closed
 * on exec, and checked by device and inode before each use, because the program
 * may close a descriptor that it did not open and get the number for its own file.
 */
#ifndef SEEP_OS_FD_H
#define SEEP_OS_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_fd {
	int fd;                  /* -1: not open */
	uint64_t device, inode;
	int64_t mark;            /* file position that nobody else has; 0: none */
};

/* Opens without following a link at the end of path; 0 or -errno.  errno is kept. */
int seep_fd_open(struct seep_fd *fd, const char *path, int flags, unsigned int mode);

/* Whether the number still refers to the file that was opened. */
bool seep_fd_is_ours(const struct seep_fd *fd);

/*
 * The same at a quarter of the cost, for a file that is only read and written at given offsets:
 * its position is unused, so mark sets it to a large random number, and the check reads it back.
 */
void seep_fd_mark(struct seep_fd *fd);
bool seep_fd_is_marked(const struct seep_fd *fd);

/* Closes it, but only if it is ours. */
void seep_fd_close(struct seep_fd *fd);

/* Reads a small file, such as one in /proc, into buf, zero-terminated; bytes read or -errno. */
long seep_fd_read_file(const char *path, char *buf, size_t bytes);

#endif
