/* SPDX-License-Identifier: MIT */
/*
 * A stack that is new to its table: sites, or stacks that free.  It is walked again, for its
 * frames, and gets a node in the tree of stacks and a number.
 */
#include "record/heap/book/account.h"

#include "os/signals.h"
#include "record/heap/book/live.h"
#include "record/heap/book/pooled.h"
#include "record/heap/book/sample.h"
#include "record/heap/python/python.h"
#include "record/heap/python/python_code.h"
#include "record/heap/python/python_merge.h"

#define BY_NODE ((uint64_t)1 << 63) /* in the pair by which a number is found by its node */

/* So that the tracker notices when code that it has met is freed. */
static void watch_new_code(void)
{
	uintptr_t code;

	while ((code = seep_python_code_take_new())) {
		seep_live_watch((const void *)code);
		seep_sample_watch((const void *)code);
	}
}

/*
 * With Python frames, many stacks have the same node, since they differ only within a line: they
 * have one number, which is also found by the node.
 */
static uint32_t add_node(struct seep_intern *table, uint64_t a, uint64_t b, uint32_t node,
			 bool by_stack)
{
	uint64_t node_a = by_stack ? node : a, node_b = by_stack ? b : node;
	uint32_t id;

	if (!seep_python_is_on())
		return seep_intern_add(table, a, b, node);
	watch_new_code();
	id = seep_intern_find(table, BY_NODE | node_a, node_b);
	if (id) {
		seep_intern_alias(table, a, b, id);
		return id;
	}
	id = seep_intern_add(table, a, b, node);
	if (id)
		seep_intern_alias(table, BY_NODE | node_a, node_b, id);
	return id;
}

uint32_t seep_account_add_number(struct seep_thread *thread, const void *frame_address,
				 struct seep_intern *table, uint64_t a, uint64_t b)
{
	bool by_stack = table == &seep_account_sites;
	uint32_t node, id;

	seep_signals_hold(); /* once, and not with each of the locks */
	if (__builtin_expect(seep_pooled_is_due(), 0)) {
		id = seep_pooled_number(thread, frame_address, table, by_stack ? b : a, by_stack);
		watch_new_code();
	} else {
		node = seep_python_merge_node(thread, frame_address);
		id = node ? add_node(table, a, b, node, by_stack) : 0;
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
