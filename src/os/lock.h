/* SPDX-License-Identifier: MIT */
/*
 * A futex lock for code that lives in somebody else's process: no malloc, no
 * libpthread state, a few instructions when no thread waits.
 *
 * The thread that holds it also holds signals back (os/signals.h): no handler runs on it, which
 * could try to take the lock, or leave by siglongjmp and never give it back.  Other threads wait
 * for at most one append or insert.  After fork the child calls seep_lock_renew.
 *
 * Under a seccomp filter (os/silence.h) signals are not held back, and waiting is spinning.  Then a
 * holder may never come back.  After a second or so, one of those that wait takes the lock, and
 * recording ends.
 */
#ifndef SEEP_OS_LOCK_H
#define SEEP_OS_LOCK_H

#include "os/signals.h"
#include "os/silence.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 0 free, 1 held, 2 held and another thread waits, more: taken from somebody who has gone. */
struct seep_lock {
	_Atomic uint32_t word;
};

static inline bool seep_lock_try(struct seep_lock *lock)
{
	uint32_t unlocked = 0;

	seep_signals_hold();
	if (atomic_compare_exchange_strong_explicit(&lock->word, &unlocked, 1,
						    memory_order_acquire, memory_order_relaxed))
		return true;
	seep_signals_release();
	return false;
}

void seep_lock_wait(struct seep_lock *lock);

static inline void seep_lock_take(struct seep_lock *lock)
{
	if (!seep_lock_try(lock))
		seep_lock_wait(lock);
}

static inline void seep_lock_give(struct seep_lock *lock)
{
	int saved = errno;

	if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) == 2)
		seep_syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	seep_signals_release();
	errno = saved;
}

static inline void seep_lock_renew(struct seep_lock *lock)
{
	atomic_store_explicit(&lock->word, 0, memory_order_relaxed);
}

#endif
