/* SPDX-License-Identifier: MIT */
/*
 * For programs that know their own truth and print it:
 *
 *	truth site FUNCTION blocks N bytes N [born N died N]
 *
 * says what the function of that name has allocated and is still alive at the
 * end of main, and how many blocks there have been and were freed.  compare.py
 * holds seep's report against it, to the block.  A word behind, such as mmap, says that
 * it is about memory of that kind only.
 */
#ifndef SEEP_TESTS_TRUTH_H
#define SEEP_TESTS_TRUTH_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

/* The function must appear in the stack under its own name, with no tail call out of it. */
#ifdef __clang__
#define SITE __attribute__((noinline))
#else
#define SITE __attribute__((noinline, noclone))
#endif
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

/* Makes a call and counts if it has touched errno. */
#define KEEPS_ERRNO(call)                              \
	do {                                           \
		errno = 12345;                         \
		call;                                  \
		truth_errno_changes += errno != 12345; \
	} while (0)

static int truth_errno_changes __attribute__((unused));

static inline void truth_site(const char *function, long long blocks, long long bytes)
{
	printf("truth site %s blocks %lld bytes %lld\n", function, blocks, bytes);
}

static inline void truth_kind(const char *function, const char *kind, long long blocks,
			      long long bytes)
{
	printf("truth site %s blocks %lld bytes %lld %s\n", function, blocks, bytes, kind);
}

#endif
