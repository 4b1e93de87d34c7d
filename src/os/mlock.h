/* SPDX-License-Identifier: MIT */
/*
 * mlockall for a program in which there are mappings of ours: they reserve much more than they
 * use, and must neither be filled nor count against RLIMIT_MEMLOCK.
 */
#ifndef SEEP_OS_MLOCK_H
#define SEEP_OS_MLOCK_H

#include <stdint.h>

/*
 * Does what the call does without us, but for our own mappings and the object that starts and ends
 * at these addresses.  0 or -errno.  From MCL_FUTURE on, own memory comes from a reserve.
 */
int seep_mlock_all(int flags, uintptr_t own_start, uintptr_t own_end);

#endif
