/* SPDX-License-Identifier: MIT */
#include "os/lock.h"

#include <time.h>

#define WAIT_NS 10000000       /* then silence may have begun, and nobody wakes us */
#define TURNS_MAX 40000000u    /* a second or so */

/* Free, or still at the value that it had when the wait began. */
static bool take_if(struct seep_lock *lock, uint32_t value, uint32_t next)
{
	return atomic_compare_exchange_strong_explicit(&lock->word, &value, next,
						       memory_order_acquire, memory_order_relaxed);
}

/* If it is given and taken by others all the time, the wait begins again. */
static void spin(struct seep_lock *lock)
{
	uint32_t seen = 0, turns = 0;

	while (!take_if(lock, 0, 1)) {
		uint32_t now = atomic_load_explicit(&lock->word, memory_order_relaxed);

		if (now != seen)
			turns = 0;
		seen = now;
		if (now && ++turns >= TURNS_MAX && take_if(lock, now, now < 2 ? 3 : now + 1)) {
			seep_silence_give_up();
			return;
		}
		seep_silence_wait();
	}
}

void seep_lock_wait(struct seep_lock *lock)
{
	const struct timespec limit = {0, WAIT_NS};
	int saved = errno;

	seep_signals_hold();
	while (!seep_silence_is_on()) {
		if (!atomic_exchange_explicit(&lock->word, 2, memory_order_acquire))
			goto out;
		seep_syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, 2, &limit, NULL, 0);
	}
	spin(lock);
out:
	errno = saved;
}
