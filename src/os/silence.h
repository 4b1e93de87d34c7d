/* SPDX-License-Identifier: MIT */
/*
 * Whether this process is under a seccomp filter that may kill it for a system call of ours.  Set
 * once and for good; from then on nothing of ours in this process makes one.
 *
 * A thread may be in the middle of a system call of ours, or hold signals back, which takes a
 * second one to end.  Such threads are counted; the one that installs the filter waits for them.
 */
#ifndef SEEP_OS_SILENCE_H
#define SEEP_OS_SILENCE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

extern bool seep_silence;
extern uint32_t seep_silence_threads; /* between seep_silence_enter and _leave */
extern const int64_t *seep_silence_now; /* CLOCK_MONOTONIC, in memory */
extern bool seep_silence_is_broken;

static inline bool seep_silence_is_on(void)
{
	return __builtin_expect(__atomic_load_n(&seep_silence, __ATOMIC_ACQUIRE), 0);
}

/* True: the caller may make system calls until it leaves. */
static inline bool seep_silence_enter(void)
{
	__atomic_fetch_add(&seep_silence_threads, 1, __ATOMIC_SEQ_CST);
	if (!__builtin_expect(__atomic_load_n(&seep_silence, __ATOMIC_SEQ_CST), 0))
		return true;
	__atomic_fetch_sub(&seep_silence_threads, 1, __ATOMIC_SEQ_CST);
	errno = EPERM;
	return false;
}

static inline long seep_silence_leave(long result)
{
	__atomic_fetch_sub(&seep_silence_threads, 1, __ATOMIC_SEQ_CST);
	return result;
}

/* A system call of ours: -1 and EPERM where none is allowed. */
#define seep_syscall(...) \
	(seep_silence_enter() ? seep_silence_leave(syscall(__VA_ARGS__)) : -1L)

/* One turn of a wait that makes no system call. */
static inline void seep_silence_wait(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/* now: where the time is from here on; NULL: nobody will ask for it. */
void seep_silence_begin(const int64_t *now);

/* Waits until no thread is in a system call of ours, but not for ever. */
void seep_silence_settle(void);

/* A lock is held by somebody who has gone for good: nothing more can be recorded. */
static inline void seep_silence_give_up(void)
{
	__atomic_store_n(&seep_silence_is_broken, true, __ATOMIC_RELEASE);
}

static inline bool seep_silence_has_given_up(void)
{
	return __atomic_load_n(&seep_silence_is_broken, __ATOMIC_ACQUIRE);
}

#endif
