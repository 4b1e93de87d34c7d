/* SPDX-License-Identifier: MIT */
/*
 * A stack that is new to its table, or was forgotten there: sites, or stacks that free.  It is
 * walked again, for its frames, and gets a node in the tree of stacks and a number.  With Python
 * frames, stacks that differ only within a line have the same node, and so the same number.
 */
#include "record/heap/book/account.h"

#include "os/signals.h"
#include "record/heap/book/live.h"
#include "record/heap/book/pooled.h"
#include "record/heap/book/sample.h"
#include "record/heap/python/python.h"
#include "record/heap/python/python_code.h"
#include "record/heap/python/python_merge.h"
#include "record/heap/stack/nodes.h"
#include "record/heap/stack/walk.h"
#include "record/recording.h"

_Static_assert(SEEP_NODES_MAX == 1 << SEEP_ACCOUNT_NODE_BITS, "the kind is above the node");

#define BATCH 1024u

static struct {
	uint32_t sites;          /* already in the trace */
	uint32_t generation;
} done;

/* So that the tracker notices when code that it has met is freed. */
static void watch_new_code(void)
{
	uintptr_t code;

	while ((code = seep_python_code_take_new())) {
		seep_live_watch((const void *)code);
		seep_sample_watch((const void *)code);
	}
}

/* The pair under which a stack is known: see account.h. */
static struct seep_pairs_item pair_of(const struct seep_account_table *table, uint32_t node,
				      uint64_t other)
{
	if (table == &seep_account_sites)
		return (struct seep_pairs_item){node | (uint32_t)other << SEEP_ACCOUNT_NODE_BITS,
						(uint32_t)(other >> 32)};
	return (struct seep_pairs_item){(uint32_t)other, node};
}

uint32_t seep_account_find_number(const struct seep_account_table *table, uint32_t node,
				  uint64_t other)
{
	struct seep_pairs_item pair = pair_of(table, node, other);

	return seep_pairs_find(&table->pairs, pair.a, pair.b);
}

uint32_t seep_account_give_number(struct seep_account_table *table, uint32_t node, uint64_t other)
{
	struct seep_pairs_item pair = pair_of(table, node, other);

	return seep_pairs_add(&table->pairs, pair.a, pair.b);
}

/* The number of a stack that was told apart from all others. */
static uint32_t find_exact(struct seep_thread *thread, struct seep_account_table *table,
			   uint64_t other)
{
	uint32_t node = seep_python_merge_node(thread, SEEP_WALK_WHOLE, false);

	return node ? seep_account_find_number(table, node, other) : 0;
}

static uint32_t add_exact(struct seep_thread *thread, struct seep_account_table *table,
			  uint64_t other)
{
	uint32_t node = seep_python_merge_node(thread, SEEP_WALK_WHOLE, true);

	return node ? seep_account_give_number(table, node, other) : 0;
}

uint32_t seep_account_add_number(struct seep_thread *thread, const void *frame_address,
				 struct seep_account_table *table, uint64_t hash, uint64_t other)
{
	uint32_t id;
	bool again;

	seep_signals_hold(); /* once, and not with each of the locks */
	seep_python_merge_again(thread, frame_address);
	watch_new_code();
	id = find_exact(thread, table, other);
	again = id;
	if (!id && __builtin_expect(seep_pooled_is_due(), 0)) {
		id = seep_pooled_number(thread, table, other);
	} else {
		if (!id)
			id = add_exact(thread, table, other);
		if (id)
			seep_recall_put(&table->recall, seep_recall_key(hash, other), id, again);
	}
	seep_signals_release();
	return id;
}

void seep_account_forget_code(const void *block)
{
	if (!seep_python_code_is_met((uintptr_t)block))
		return;
	seep_python_code_freed((uintptr_t)block);
	seep_sample_unwatch(block);
}

void seep_account_write_sites(uint32_t n)
{
	static struct seep_rec_site batch[BATCH];

	if (done.generation != seep_recording_generation())
		done.sites = 1;
	done.generation = seep_recording_generation();
	while (done.sites < n) {
		struct seep_rec_sites head = {.first = done.sites};

		for (; head.count < BATCH && done.sites < n; head.count++, done.sites++) {
			struct seep_pairs_item item = seep_account_sites.pairs.items[done.sites];

			batch[head.count].node = item.a & (SEEP_NODES_MAX - 1);
			batch[head.count].phase = item.b;
			batch[head.count].kind = item.a >> SEEP_ACCOUNT_NODE_BITS;
		}
		seep_recording_write(SEEP_REC_SITES, 0, &head, sizeof(head), batch,
				     head.count * sizeof(batch[0]));
	}
}
