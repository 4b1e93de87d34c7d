/* SPDX-License-Identifier: MIT */
/*
 * The clocks.  Safe in signal handlers and hooks.  Where no system call may be made (os/silence.h),
 * the time is that which seep run has put into shared memory last.
 */
#ifndef SEEP_OS_CLOCK_H
#define SEEP_OS_CLOCK_H

#include "os/silence.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

static inline int64_t seep_clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t seep_clock_mono_ns(void)
{
	const int64_t *now = __atomic_load_n(&seep_silence_now, __ATOMIC_ACQUIRE);

	if (__builtin_expect(now != NULL, 0))
		return __atomic_load_n(now, __ATOMIC_RELAXED);
	return seep_clock_read(CLOCK_MONOTONIC);
}

/*
 * CPU time of this thread; on a busy machine, much less than the time that has passed.  Where no
 * system call may be made, it is that time.
 */
static inline int64_t seep_clock_thread_ns(void)
{
	if (seep_silence_is_on())
		return seep_clock_mono_ns();
	return seep_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static inline int64_t seep_clock_real_ns(void)
{
	return seep_clock_read(CLOCK_REALTIME);
}

#endif
