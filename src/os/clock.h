/* SPDX-License-Identifier: MIT */
/* The clocks.  Safe in signal handlers and hooks. */
#ifndef SEEP_OS_CLOCK_H
#define SEEP_OS_CLOCK_H

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
	return seep_clock_read(CLOCK_MONOTONIC);
}

/* CPU time of this thread; on a busy machine, much less than the time that has passed. */
static inline int64_t seep_clock_thread_ns(void)
{
	return seep_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static inline int64_t seep_clock_real_ns(void)
{
	return seep_clock_read(CLOCK_REALTIME);
}

#endif
