/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables that stacks are kept in: the tree of frames (nodes.h), numbers for pairs (pairs.h),
 * and the table that may forget (recall.h).  Each is held against what was put into it.
 */
#include "record/heap/stack/nodes.h"
#include "record/heap/stack/pairs.h"
#include "record/heap/stack/recall.h"
#include "trace/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define STACKS 20000u
#define DEPTH_MAX 30u
#define PAIRS 100000u
#define KEYS 20000u

static uint64_t seed = 7;

static uint32_t draw(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % n);
}

/* Pcs of two modules, and lines of functions with names; deeper frames differ more. */
static struct seep_nodes_item draw_frame(uint32_t depth)
{
	uint32_t n = draw(2 + depth / 4);

	if (n % 3 == 2)
		return (struct seep_nodes_item){.pc = SEEP_PC_NAMED + 1 + n};
	return (struct seep_nodes_item){.pc = 0x7f0000001000u + depth * 64 + n, .module = n % 3};
}

struct stack {
	struct seep_nodes_item frames[DEPTH_MAX];
	uint32_t depth, node;
};

static uint32_t find_stack(const struct stack *stack, bool add)
{
	uint32_t node = 0, i;

	for (i = 0; i < stack->depth; i++) {
		const struct seep_nodes_item *frame = &stack->frames[i];

		node = add ? seep_nodes_add(node, frame->pc, frame->module)
			   : seep_nodes_find(node, frame->pc, frame->module);
		if (!node)
			return 0;
	}
	return node;
}

/* The frames of the node, from the inside out, are those of the stack. */
static void check_frames(const struct seep_nodes_item *nodes, const struct stack *stack)
{
	uint32_t node = stack->node, i;

	for (i = stack->depth; i--; node = nodes[node].caller) {
		assert_int_equal(nodes[node].pc, stack->frames[i].pc);
		assert_int_equal(nodes[node].module, stack->frames[i].module);
		assert_true(nodes[node].caller < node);
	}
	assert_int_equal(node, 0);
}

static void keeps_stacks(void **state)
{
	struct stack *stacks = calloc(STACKS, sizeof(*stacks));
	struct seep_nodes_cursor cursor = {.next = 1};
	struct seep_nodes_item *nodes;
	uint32_t n, i, j;

	(void)state;
	assert_true(seep_nodes_init());
	for (i = 0; i < STACKS; i++) {
		stacks[i].depth = 1 + draw(DEPTH_MAX);
		for (j = 0; j < stacks[i].depth; j++)
			stacks[i].frames[j] = draw_frame(j);
		stacks[i].node = find_stack(&stacks[i], false);
		assert_true(stacks[i].node < seep_nodes_count());
		if (!stacks[i].node)
			stacks[i].node = find_stack(&stacks[i], true);
	}
	n = seep_nodes_count();
	nodes = calloc(n, sizeof(*nodes));
	for (i = 1; i < n; i++)
		nodes[i] = seep_nodes_next(&cursor);
	for (i = 0; i < STACKS; i++) {
		check_frames(nodes, &stacks[i]);
		assert_int_equal(find_stack(&stacks[i], true), stacks[i].node);
		assert_int_equal(find_stack(&stacks[i], false), stacks[i].node);
	}
	assert_int_equal(seep_nodes_count(), n);
	free(nodes);
	free(stacks);
}

static void takes_four_bytes_for_a_frame_in_a_row(void **state)
{
	uint64_t before = seep_nodes_own_bytes();
	uint32_t node = 0, i;

	(void)state;
	for (i = 0; i < 1000; i++)
		node = seep_nodes_add(node, SEEP_PC_NAMED + 500000 + i, 0);
	assert_in_range(seep_nodes_own_bytes() - before, 4000, 4000 + 8);
}

static void numbers_pairs(void **state)
{
	static struct seep_pairs pairs;
	uint32_t i;

	(void)state;
	assert_true(seep_pairs_init(&pairs, 1 << 17));
	for (i = 0; i < PAIRS; i++) {
		assert_int_equal(seep_pairs_find(&pairs, i % 300, i / 300), 0);
		assert_int_equal(seep_pairs_add(&pairs, i % 300, i / 300), i + 1);
	}
	for (i = 0; i < PAIRS; i++) {
		assert_int_equal(seep_pairs_find(&pairs, i % 300, i / 300), i + 1);
		assert_int_equal(seep_pairs_add(&pairs, i % 300, i / 300), i + 1);
	}
	assert_int_equal(seep_pairs_count(&pairs), PAIRS + 1);
}

static void is_full_at_its_highest_number(void **state)
{
	static struct seep_pairs pairs;
	uint32_t i;

	(void)state;
	assert_true(seep_pairs_init(&pairs, 1 << 12));
	for (i = 1; i < 1 << 12; i++)
		assert_int_equal(seep_pairs_add(&pairs, i, 0), i);
	assert_int_equal(seep_pairs_add(&pairs, i, 0), 0);
	assert_int_equal(seep_pairs_add(&pairs, 17, 0), 17);
}

static uint64_t key_of(uint32_t i)
{
	return seep_recall_key((uint64_t)i * 0xbf58476d1ce4e5b9u, i % 3);
}

/* Asks for all keys, n times; what is not known is put, as again.  How many were known at last. */
static uint32_t ask(struct seep_recall *recall, uint32_t keys, uint32_t n, bool again)
{
	uint32_t known = 0, i;

	while (n--) {
		known = 0;
		for (i = 1; i <= keys; i++) {
			uint32_t found = seep_recall_find(recall, key_of(i));

			if (found)
				assert_int_equal(found, i);
			else
				seep_recall_put(recall, key_of(i), i, again);
			known += found != 0;
		}
	}
	return known;
}

static void may_forget_but_is_never_wrong(void **state)
{
	static struct seep_recall recall;

	(void)state;
	assert_true(seep_recall_init(&recall));
	ask(&recall, 20 * KEYS, 1, false);
	ask(&recall, 20 * KEYS, 2, true);
}

static void stays_small_for_what_comes_once(void **state)
{
	static struct seep_recall recall;

	(void)state;
	assert_true(seep_recall_init(&recall));
	ask(&recall, 20 * KEYS, 1, false);
	assert_in_range(seep_recall_own_bytes(&recall), 1, 300 << 10);
}

static void grows_for_what_comes_again(void **state)
{
	static struct seep_recall recall;

	(void)state;
	assert_true(seep_recall_init(&recall));
	ask(&recall, 5 * KEYS, 20, true);
	assert_in_range(ask(&recall, 5 * KEYS, 1, true), 4 * KEYS, 5 * KEYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_stacks),
		cmocka_unit_test(takes_four_bytes_for_a_frame_in_a_row),
		cmocka_unit_test(numbers_pairs),
		cmocka_unit_test(is_full_at_its_highest_number),
		cmocka_unit_test(may_forget_but_is_never_wrong),
		cmocka_unit_test(stays_small_for_what_comes_once),
		cmocka_unit_test(grows_for_what_comes_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
