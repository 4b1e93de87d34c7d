/* SPDX-License-Identifier: MIT */
/*
 * The inner frames are as many as there is still room for: 16, then fewer.  A site that was made
 * with more frames is found first, so a stack may move to another site only once, when it
 * is new there; its blocks stay where they were born.
 *
 *	stacks told apart    EXACT_SITES, or EXACT_NODES frames of them, whichever comes first;
 *	                     four times as many with frames of Python, and five times
 *	                     once the program has marked an event
 *	by 16 frames         the next SITES_PER_LEVEL sites, four times as many with Python
 *	by 6, 2, 0 frames    likewise; without frames, there is one for each phase
 *
 * Stacks that free are kept in the same way, but never without frames.
 */
#include "record/heap/book/pooled.h"

#include "os/digits.h"
#include "record/event_clock.h"
#include "record/heap/book/account.h"
#include "record/heap/python/python.h"
#include "record/heap/python/python_merge.h"
#include "record/heap/stack/nodes.h"
#include "record/heap/thread.h"
#include "record/recording.h"

#include <string.h>

#define EXACT_SITES ((uint32_t)5 << 14)
#define EXACT_NODES ((uint32_t)1 << 19)
#define SITES_PER_LEVEL ((uint32_t)1 << 12)
#define MILLION 1000000u
#define PYTHON_MORE 2u /* log2: a line of Python has many native stacks below it */

static const uint32_t depths[] = {16, 6, 2, 0};

#define LEVELS (sizeof(depths) / sizeof(depths[0]))

static struct {
	uint32_t due;            /* the bound was reached: 1 before the first event, 2 after it */
	uint32_t used[2][LEVELS]; /* by stacks that free, and by sites */
	uint64_t stacks;         /* look-ups: how often a stack was not told apart */
	uint32_t noted, ended;   /* generation of the trace that has the note */
} pooled;

static uint32_t python_more(void)
{
	return seep_python_is_on() ? PYTHON_MORE : 0;
}

/* What a program does before its first event, such as imports, must not use up everything. */
static bool is_full(uint32_t n, uint32_t most, bool in_events)
{
	if (seep_python_is_on())
		most = (most << PYTHON_MORE) + (in_events ? most : 0);
	return n >= most;
}

bool seep_pooled_is_due(void)
{
	bool in_events = seep_event_clock_is_own();

	if (__atomic_load_n(&pooled.due, __ATOMIC_RELAXED) > in_events)
		return true;
	if (!is_full(seep_pairs_count(&seep_account_sites.pairs), EXACT_SITES, in_events) &&
	    !is_full(seep_nodes_count(), EXACT_NODES, in_events))
		return false;
	__atomic_store_n(&pooled.due, 1 + in_events, __ATOMIC_RELAXED);
	return true;
}

static uint32_t number_at(struct seep_thread *thread, size_t level,
			  struct seep_account_table *table, uint64_t other)
{
	bool of_sites = table == &seep_account_sites;
	uint32_t most = SITES_PER_LEVEL << (of_sites ? python_more() : 0);
	uint32_t *used = &pooled.used[of_sites][level];
	uint32_t node = seep_python_merge_node(thread, depths[level], false);
	uint32_t id = node ? seep_account_find_number(table, node, other) : 0;

	if (id)
		return id;
	if (level == LEVELS - 1 ? !of_sites
				: __atomic_load_n(used, __ATOMIC_RELAXED) >= most)
		return 0;
	node = seep_python_merge_node(thread, depths[level], true);
	if (!node)
		return 0;
	__atomic_fetch_add(used, 1, __ATOMIC_RELAXED);
	return seep_account_give_number(table, node, other);
}

uint32_t seep_pooled_number(struct seep_thread *thread, struct seep_account_table *table,
			    uint64_t other)
{
	uint32_t id = 0;
	size_t level;

	__atomic_fetch_add(&pooled.stacks, table == &seep_account_sites, __ATOMIC_RELAXED);
	for (level = 0; level < LEVELS && !id; level++)
		id = number_at(thread, level, table, other);
	return id;
}

static void append(char *text, const char *more)
{
	memcpy(text + strlen(text), more, strlen(more) + 1);
}

void seep_pooled_note(bool end)
{
	uint64_t n = __atomic_load_n(&pooled.stacks, __ATOMIC_RELAXED);
	char text[160] = "";

	if (!n || (end ? pooled.ended : pooled.noted) == seep_recording_generation())
		return;
	pooled.noted = seep_recording_generation();
	if (!end) {
		seep_recording_note("there are too many different stacks: new ones are counted by "
				    "their inner frames", SEEP_NOTE_INFO);
		return;
	}
	pooled.ended = seep_recording_generation();
	seep_digits_append(text, (uint32_t)(n < 10 * MILLION ? n : n / MILLION));
	append(text, n < 10 * MILLION ? " " : " million ");
	append(text, "allocations came after there were too many different stacks, and are "
		     "counted by their inner frames");
	seep_recording_note(text, SEEP_NOTE_INFO);
}
