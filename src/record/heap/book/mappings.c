/* SPDX-License-Identifier: MIT */
/*
 * The ranges are a treap by address: a search tree whose nodes have random
 * priorities, with the highest at the root.  Two operations do everything: split a tree
 * at an address, and merge two neighbouring trees.
 *
 *	take [a, b):    split at a, split at b, merge the outer two
 *	put [a, b):     split at a, merge with the new node, merge with the rest
 */
#include "record/heap/book/mappings.h"

#include "os/mmap.h"
#include "record/heap/book/holdings.h"

#include <stddef.h>

#define RANGES_MAX ((uint32_t)1 << 18)

struct range {
	uintptr_t start, end;
	uint32_t left, right;    /* left: the next of the unused ones */
	uint32_t held;           /* 0: reserved, or unused */
	uint32_t pad;
};

static struct range *ranges; /* ranges[0] is none */
static uint32_t n_ranges, unused, root, n_reserved;

bool seep_mappings_init(void)
{
	ranges = seep_mmap_new(RANGES_MAX * sizeof(*ranges));
	n_ranges = 1;
	return ranges;
}

bool seep_mappings_any(void)
{
	return __atomic_load_n(&root, __ATOMIC_RELAXED);
}

bool seep_mappings_any_reserved(void)
{
	return __atomic_load_n(&n_reserved, __ATOMIC_RELAXED);
}

static uint32_t priority(uint32_t id)
{
	id = (id ^ id >> 16) * 0x85ebca6bu;
	id = (id ^ id >> 13) * 0xc2b2ae35u;
	return id ^ id >> 16;
}

/* Ranges that start below the address go to the left, the others to the right. */
static void split(uint32_t tree, uintptr_t address, uint32_t *left, uint32_t *right)
{
	while (tree) {
		struct range *range = &ranges[tree];

		if (range->start < address) {
			*left = tree;
			left = &range->right;
			tree = range->right;
		} else {
			*right = tree;
			right = &range->left;
			tree = range->left;
		}
	}
	*left = *right = 0;
}

/* All of left lies below all of right. */
static uint32_t merge(uint32_t left, uint32_t right)
{
	uint32_t tree = 0, *link = &tree;

	while (left && right) {
		if (priority(left) > priority(right)) {
			*link = left;
			link = &ranges[left].right;
			left = *link;
		} else {
			*link = right;
			link = &ranges[right].left;
			right = *link;
		}
	}
	*link = left ? left : right;
	return tree;
}

static void set_root(uint32_t tree)
{
	__atomic_store_n(&root, tree, __ATOMIC_RELAXED);
}

static void insert(uint32_t id)
{
	uint32_t below, above;

	ranges[id].left = ranges[id].right = 0;
	split(root, ranges[id].start, &below, &above);
	set_root(merge(merge(below, id), above));
	if (!ranges[id].held)
		__atomic_store_n(&n_reserved, n_reserved + 1, __ATOMIC_RELAXED);
}

static uint32_t new_range(uintptr_t start, uintptr_t end, uint32_t held)
{
	uint32_t id = unused;

	if (id)
		unused = ranges[id].left;
	else if (n_ranges < RANGES_MAX)
		id = n_ranges++;
	if (id)
		ranges[id] = (struct range){.start = start, .end = end, .held = held};
	else
		seep_holding_count_dropped();
	return id;
}

static void put_away(uint32_t id)
{
	ranges[id] = (struct range){.left = unused};
	unused = id;
}

/* The last range that starts below the address. */
static uint32_t find_below(uintptr_t address)
{
	uint32_t at = root, found = 0;

	while (at)
		if (ranges[at].start < address) {
			found = at;
			at = ranges[at].right;
		} else {
			at = ranges[at].left;
		}
	return found;
}

/* Cuts the range that contains the address, if any, into two. */
static void cut(uintptr_t address)
{
	uint32_t id = find_below(address), upper;
	struct range *range = &ranges[id];

	if (!id || range->end <= address)
		return;
	upper = new_range(address, range->end, range->held);
	if (upper && range->held)
		seep_holding_split(range->held);
	else if (range->held)
		seep_holding_shrink(range->held, range->end - address);
	range->end = address;
	if (upper)
		insert(upper);
}

static uint32_t take(struct seep_mappings_range range)
{
	uint32_t below, inside, above;

	if (!root)
		return 0;
	cut(range.start);
	cut(range.end);
	split(root, range.start, &below, &above);
	split(above, range.end, &inside, &above);
	set_root(merge(below, above));
	return inside;
}

/* Removes the lowest range of a taken tree; 0 if the tree is empty. */
static uint32_t pop(uint32_t *tree)
{
	uint32_t *link = tree, id;

	if (!*tree)
		return 0;
	while (ranges[*link].left)
		link = &ranges[*link].left;
	id = *link;
	*link = ranges[id].right;
	return id;
}

/* The same for ranges that have just left the map, where a reservation was counted. */
static uint32_t pop_taken(uint32_t *tree)
{
	uint32_t id = pop(tree);

	if (id && !ranges[id].held)
		__atomic_store_n(&n_reserved, n_reserved - 1, __ATOMIC_RELAXED);
	return id;
}

static void release(uint32_t id, const void *frame_address)
{
	if (ranges[id].held)
		seep_holding_release(ranges[id].held, ranges[id].end - ranges[id].start,
				     frame_address);
	put_away(id);
}

static void release_all(uint32_t taken, const void *frame_address)
{
	uint32_t id;

	while ((id = pop_taken(&taken)))
		release(id, frame_address);
}

uint32_t seep_mappings_take(struct seep_mappings_range range)
{
	uint32_t taken;

	if (!seep_holding_enter())
		return 0;
	taken = take(range);
	seep_holding_leave();
	return taken;
}

void seep_mappings_put_back(uint32_t taken)
{
	uint32_t id;

	if (!taken || !seep_holding_enter())
		return;
	while ((id = pop_taken(&taken)))
		insert(id);
	seep_holding_leave();
}

void seep_mappings_forget(uint32_t taken, const void *frame_address)
{
	if (!taken || !seep_holding_enter())
		return;
	release_all(taken, frame_address);
	seep_holding_leave();
}

static void put(struct seep_mappings_range range, uint32_t held)
{
	uint32_t id = new_range(range.start, range.end, held);

	if (id)
		insert(id);
	else if (held)
		seep_holding_undo(held);
}

void seep_mappings_add(struct seep_mappings_range range, uint32_t site, const void *frame_address)
{
	uint32_t held = 0;

	if (!seep_holding_enter())
		return;
	release_all(take(range), frame_address);
	if (site)
		held = seep_holding_begin(site, range.end - range.start);
	if (held || !site)
		put(range, held);
	seep_holding_leave();
}

/* Moves a range along with its mapping and cuts or extends it to the mapping's new size. */
static void fit(struct range *range, uintptr_t old_end, struct seep_mappings_range to)
{
	uintptr_t bytes = range->end - range->start;

	if (range->end == old_end && old_end < to.end) {
		range->end = to.end;
		if (range->held)
			seep_holding_grow(range->held, range->end - range->start - bytes);
	} else if (range->end > to.end) {
		range->end = to.end;
		if (range->held)
			seep_holding_shrink(range->held, bytes - (range->end - range->start));
	}
	if (range->held)
		seep_holding_count_move(range->held);
}

void seep_mappings_move(uint32_t taken, struct seep_mappings_range from,
			struct seep_mappings_range to)
{
	uintptr_t shift = to.start - from.start;
	uint32_t id;

	if (!taken || !seep_holding_enter())
		return;
	release_all(take(to), NULL);
	while ((id = pop_taken(&taken))) {
		ranges[id].start += shift;
		ranges[id].end += shift;
		if (ranges[id].start >= to.end) {
			release(id, NULL);
			continue;
		}
		fit(&ranges[id], from.end + shift, to);
		insert(id);
	}
	seep_holding_leave();
}

void seep_mappings_open(struct seep_mappings_range range, uint32_t site)
{
	uint32_t taken, id, held = 0;

	if (!site || !seep_holding_enter())
		return;
	taken = take(range);
	while ((id = pop_taken(&taken))) {
		uint64_t bytes = ranges[id].end - ranges[id].start;

		if (!ranges[id].held) {
			if (held) {
				seep_holding_split(held);
				seep_holding_grow(held, bytes);
			} else {
				held = seep_holding_begin(site, bytes);
			}
			ranges[id].held = held;
		}
		insert(id);
	}
	seep_holding_leave();
}

/* The held parts of the range become one reserved range. */
void seep_mappings_reserve(struct seep_mappings_range range, const void *frame_address)
{
	uint32_t taken, id, last = 0;

	if (!seep_holding_enter())
		return;
	taken = take(range);
	while ((id = pop_taken(&taken))) {
		if (last && ranges[last].end == ranges[id].start) {
			ranges[last].end = ranges[id].end;
			release(id, frame_address);
			continue;
		}
		if (ranges[id].held)
			seep_holding_release(ranges[id].held, ranges[id].end - ranges[id].start,
					     frame_address);
		ranges[id].held = 0;
		insert(id);
		last = id;
	}
	seep_holding_leave();
}

void seep_mappings_visit(void (*visit)(struct seep_mappings_range range, void *context),
			 void *context)
{
	uint32_t id;

	for (id = 1; id < n_ranges; id++)
		if (ranges[id].held)
			visit((struct seep_mappings_range){ranges[id].start, ranges[id].end},
			      context);
}

uint64_t seep_mappings_own_bytes(void)
{
	return __atomic_load_n(&n_ranges, __ATOMIC_RELAXED) * sizeof(struct range);
}
