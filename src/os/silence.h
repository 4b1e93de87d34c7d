/* SPDX-License-Identifier: MIT */
/*
 * Whether this process is under a seccomp filter that may kill it for a system call of ours.  Set
 * once and for good; from then on nothing of ours in this process makes one.
 */
#ifndef SEEP_OS_SILENCE_H
#define SEEP_OS_SILENCE_H

#include <stdbool.h>

extern bool seep_silence;

static inline bool seep_silence_is_on(void)
{
	return __builtin_expect(__atomic_load_n(&seep_silence, __ATOMIC_ACQUIRE), 0);
}

static inline void seep_silence_begin(void)
{
	__atomic_store_n(&seep_silence, true, __ATOMIC_RELEASE);
}

#endif
