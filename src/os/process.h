/* SPDX-License-Identifier: MIT */
/* What this process is.  Safe in hooks; errno is kept. */
#ifndef SEEP_OS_PROCESS_H
#define SEEP_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Path of the program's file, zero-terminated; its length, 0 if it is not known. */
size_t seep_process_exe(char *buf, size_t bytes);

/* The arguments, each ended by a zero; their length in all. */
size_t seep_process_arguments(char *buf, size_t bytes);

/* The working directory, zero-terminated; its length, 0 if it is not known. */
size_t seep_process_directory(char *buf, size_t bytes);

/* Makes path absolute, relative to the current working directory; 0 if that fails, else 1. */
int seep_process_absolute(const char *path, char *buf, size_t bytes);

/* Whether the path leads to the file with these numbers. */
bool seep_process_is_file(const char *path, uint64_t device, uint64_t inode);

/* How many seccomp filters this process is under; 0 if that is not known. */
int64_t seep_process_filters(void);

/* Copies bytes from an address in this process that may not be mapped.  False if it is not. */
bool seep_process_peek(uintptr_t address, void *to, size_t bytes);

/*
 * Copies the first bytes of n pieces of memory, room at most of each, to places that are room
 * apart.  The rest of a place is zero, and so is all of it if the piece is not mapped.
 */
void seep_process_peek_many(const uintptr_t *addresses, const uint64_t *bytes, size_t n, void *to,
			    size_t room);

/*
 * How many descriptors this process has open, -1 if that is not known or takes too long to find
 * out.  Since Linux 6.2 the kernel reports the number; before that, they are counted one by one.
 */
int64_t seep_process_descriptors(void);

#endif
