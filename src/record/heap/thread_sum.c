/* SPDX-License-Identifier: MIT */
/* What all threads have counted, added up. */
#include "record/heap/thread.h"

#include "record/heap/ages.h"
#include "record/heap/few.h"

#include <string.h>

void seep_thread_totals(int64_t *live_bytes, int64_t *live_blocks)
{
	const struct seep_thread *thread;

	*live_bytes = *live_blocks = 0;
	for (thread = seep_thread_first(); thread; thread = thread->next) {
		*live_bytes += __atomic_load_n(&thread->live_bytes, __ATOMIC_RELAXED);
		*live_blocks += __atomic_load_n(&thread->live_blocks, __ATOMIC_RELAXED);
	}
}

static void add_few(uint64_t word, struct seep_tally *sum, uint64_t *ages)
{
	struct seep_few few = seep_few_unpack(word);
	uint32_t i;

	sum->born_blocks += few.born;
	sum->born_bytes += few.born_bytes;
	sum->died_blocks += few.died;
	sum->died_bytes += few.died_bytes;
	for (i = 0; i < few.died; i++)
		ages[few.bins[i]]++;
}

static void add_tally(const struct seep_thread *thread, uint32_t site, struct seep_tally *sum,
		      uint64_t *ages)
{
	const uint64_t *counts = __atomic_load_n(&thread->counts[site / SEEP_CHUNK_SITES],
						 __ATOMIC_ACQUIRE);
	uint64_t word = counts ? __atomic_load_n(&counts[site % SEEP_CHUNK_SITES],
						 __ATOMIC_ACQUIRE) : 0;
	const struct seep_tally *tally = seep_few_tally(word);
	uint32_t i;

	if (!tally) {
		add_few(word, sum, ages);
		return;
	}
	sum->born_blocks += tally->born_blocks;
	sum->born_bytes += tally->born_bytes;
	sum->died_blocks += tally->died_blocks;
	sum->died_bytes += tally->died_bytes;
	sum->moved_blocks += tally->moved_blocks;
	for (i = 0; i < SEEP_YOUNG_AGES; i++)
		ages[i] += tally->ages[i];
	seep_ages_sum(&tally->old_ages, ages);
}

void seep_thread_sum_site(uint32_t site, struct seep_tally *sum, uint64_t *ages)
{
	const struct seep_thread *thread;

	*sum = (struct seep_tally){0};
	memset(ages, 0, SEEP_TRACE_AGE_BINS * sizeof(*ages));
	for (thread = seep_thread_first(); thread; thread = thread->next)
		add_tally(thread, site, sum, ages);
}
