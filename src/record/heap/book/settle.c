/* SPDX-License-Identifier: MIT */
#include "record/heap/book/settle.h"

#include "record/heap/thread.h"
#include "trace/format.h"

static void settle(uint64_t *born, uint64_t *died, uint64_t live)
{
	uint64_t back;

	if (*born < *died + live) {
		/* A block can be seen before its birth is counted: there is no death to undo. */
		back = *died + live - *born;
		*died -= back < *died ? back : *died;
	}
	*born = *died + live;
}

static uint32_t find_most(const uint64_t *ages)
{
	uint32_t most = 0, i;

	for (i = 1; i < SEEP_TRACE_AGE_BINS; i++)
		if (ages[i] > ages[most])
			most = i;
	return most;
}

/* It is not known at which age those died that count or do not: most likely where most did. */
static void settle_ages(uint64_t *ages, uint64_t died)
{
	uint64_t sum = 0, part;
	uint32_t i;

	for (i = 0; i < SEEP_TRACE_AGE_BINS; i++)
		sum += ages[i];
	for (; sum > died; sum -= part) {
		i = find_most(ages);
		part = sum - died < ages[i] ? sum - died : ages[i];
		ages[i] -= part;
	}
	ages[find_most(ages)] += died - sum;
}

void seep_settle_site(struct seep_tally *sum, uint64_t *ages, uint64_t live_blocks,
		      uint64_t live_bytes)
{
	settle(&sum->born_blocks, &sum->died_blocks, live_blocks);
	settle(&sum->born_bytes, &sum->died_bytes, live_bytes);
	settle_ages(ages, sum->died_blocks);
}
