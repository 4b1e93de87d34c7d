/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scan of the live blocks while their owner changes them: what is seen is a
 * block that was there, with the size that it had, or nothing.
 */
#include "record/heap/book/live.h"
#include "record/heap/book/sample.h"
#include "record/stamp.h"

#include <pthread.h>
#include <stdio.h>

#define SEEN 500000 /* enough to meet the moment many times */
#define SCANS_MAX 20000000
#define LARGE 100000
#define SMALL 60

static char *const heap = (char *)0x200000000; /* addresses, and nothing behind them */
static int is_over;
static unsigned long n_seen, n_wrong;

/* The tracker's, which is not here. */
void seep_sample_watch_ceiling(void)
{
}

void seep_stamp_thread_over(void)
{
}

/* A large block comes and goes, and then one that begins where its size was. */
static void *own(void *unused)
{
	struct seep_live_block large = {.site = 1, .event = 1, .bytes = LARGE};
	struct seep_live_block small = {.site = 0xfffff, .event = 1, .bytes = SMALL};

	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		seep_live_put(NULL, heap, &large);
		seep_live_take(NULL, heap);
		seep_live_put(NULL, heap + 64, &small);
		seep_live_take(NULL, heap + 64);
	}
	return unused;
}

static void visit(const struct seep_live_block *live, uintptr_t address, void *worst)
{
	(void)address;
	n_seen++;
	if (live->bytes == LARGE || live->bytes == SMALL)
		return;
	n_wrong++;
	if (live->bytes > *(uint64_t *)worst)
		*(uint64_t *)worst = live->bytes;
}

int main(void)
{
	uint64_t worst = 0;
	pthread_t owner;
	long i;

	if (!seep_live_init(true) || pthread_create(&owner, NULL, own, NULL))
		return 2;
	for (i = 0; n_seen < SEEN && i < SCANS_MAX; i++)
		seep_live_scan(visit, &worst);
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	pthread_join(owner, NULL);
	printf("%lu blocks seen, %lu of a size that none had, up to %llu bytes\n", n_seen, n_wrong,
	       (unsigned long long)worst);
	return n_wrong || !n_seen;
}
