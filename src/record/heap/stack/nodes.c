/* SPDX-License-Identifier: MIT */
/*
 * Look-ups take no lock: a node is complete before it can be found, by its caller's number or by
 * a slot.
 */
#include "record/heap/stack/nodes.h"

#include "os/lock.h"
#include "os/mmap.h"
#include "record/heap/stack/intern.h"
#include "record/heap/stack/slots.h"
#include "trace/format.h"

#define FRAMES_MAX ((uint32_t)1 << 20)
#define FORK ((uint32_t)1 << 31)  /* in the frame of a node: see forks */
#define NAMED ((uint32_t)1 << 30) /* the frame is a line of a function with a name */

struct fork {
	uint32_t node, caller;
};

/* Frames: a is the pc, b the module. */
static struct seep_intern frames;

static struct {
	struct seep_lock lock;
	uint32_t *frames;        /* by node */
	struct fork *forks;      /* forks[0] is unused */
	struct seep_slots *slots; /* the forks */
	uint32_t n, n_forks;     /* ends of the tables */
} tree;

bool seep_nodes_init(void)
{
	tree.frames = seep_mmap_new(SEEP_NODES_MAX * sizeof(*tree.frames));
	tree.forks = seep_mmap_new(SEEP_NODES_MAX * sizeof(*tree.forks));
	tree.slots = seep_slots_new(SEEP_NODES_MAX);
	tree.n = tree.n_forks = 1;
	return tree.frames && tree.forks && tree.slots && seep_intern_init(&frames, FRAMES_MAX);
}

static bool is_named(uint64_t pc, uint32_t module)
{
	return pc >= SEEP_PC_NAMED && pc - SEEP_PC_NAMED < NAMED && !module;
}

static uint32_t find_frame(uint64_t pc, uint32_t module)
{
	if (is_named(pc, module))
		return NAMED | (uint32_t)pc;
	return seep_intern_find(&frames, pc, module);
}

static uint64_t hash_of(const void *context, uint32_t number)
{
	const struct fork *fork = &tree.forks[number];

	(void)context;
	return seep_slots_hash(fork->caller, tree.frames[fork->node] & ~FORK);
}

static uint32_t find_fork(uint32_t caller, uint32_t frame)
{
	const struct seep_slots *slots = __atomic_load_n(&tree.slots, __ATOMIC_ACQUIRE);
	uint64_t hash = seep_slots_hash(caller, frame);
	uint32_t at = seep_slots_first(slots, hash), number;

	for (;;) {
		const struct fork *fork;

		number = seep_slots_find(slots, hash, &at);
		fork = &tree.forks[number];
		if (!number ||
		    (fork->caller == caller && tree.frames[fork->node] == (frame | FORK)))
			return fork->node;
	}
}

static uint32_t find_node(uint32_t caller, uint32_t frame)
{
	/* The frame of a fork has its mark, and is never equal. */
	if (caller + 1 < seep_nodes_count() && tree.frames[caller + 1] == frame)
		return caller + 1;
	return find_fork(caller, frame);
}

uint32_t seep_nodes_find(uint32_t caller, uint64_t pc, uint32_t module)
{
	uint32_t frame = find_frame(pc, module);

	return frame ? find_node(caller, frame) : 0;
}

/* In this order: see seep_nodes_forked. */
static uint32_t append(uint32_t caller, uint32_t frame)
{
	bool forks = caller + 1 != tree.n;
	uint32_t node = tree.n, fork = tree.n_forks;

	if (node == SEEP_NODES_MAX || fork == SEEP_NODES_MAX ||
	    (forks && !seep_slots_make_room(&tree.slots, fork, hash_of, NULL)))
		return 0;
	tree.frames[node] = forks ? frame | FORK : frame;
	if (forks) {
		tree.forks[fork] = (struct fork){node, caller};
		__atomic_store_n(&tree.n_forks, fork + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&tree.n, node + 1, __ATOMIC_RELEASE);
	if (forks)
		seep_slots_put(tree.slots, hash_of(NULL, fork), fork);
	return node;
}

uint32_t seep_nodes_add(uint32_t caller, uint64_t pc, uint32_t module)
{
	uint32_t frame = find_frame(pc, module), node;

	if (!frame)
		frame = seep_intern_add(&frames, pc, module, 0);
	if (!frame)
		return 0;
	node = find_node(caller, frame);
	if (node)
		return node;
	seep_lock_take(&tree.lock);
	node = find_node(caller, frame);
	if (!node)
		node = append(caller, frame);
	seep_lock_give(&tree.lock);
	return node;
}

uint32_t seep_nodes_count(void)
{
	return __atomic_load_n(&tree.n, __ATOMIC_ACQUIRE);
}

static uint32_t find_caller(struct seep_nodes_cursor *cursor, uint32_t node)
{
	uint32_t n = __atomic_load_n(&tree.n_forks, __ATOMIC_ACQUIRE);

	while (cursor->fork + 1 < n && tree.forks[cursor->fork + 1].node <= node)
		cursor->fork++;
	return tree.forks[cursor->fork].caller;
}

struct seep_nodes_item seep_nodes_next(struct seep_nodes_cursor *cursor)
{
	uint32_t number = cursor->next++, frame = tree.frames[number];
	struct seep_nodes_item node = {.caller = number - 1};

	if (frame & FORK)
		node.caller = find_caller(cursor, number);
	frame &= ~FORK;
	if (frame & NAMED) {
		node.pc = SEEP_PC_NAMED | (frame & ~NAMED);
	} else {
		node.pc = frames.items[frame].a;
		node.module = (uint32_t)frames.items[frame].b;
	}
	return node;
}

uint64_t seep_nodes_own_bytes(void)
{
	return seep_intern_own_bytes(&frames) + seep_nodes_count() * sizeof(*tree.frames) +
	       __atomic_load_n(&tree.n_forks, __ATOMIC_RELAXED) * sizeof(*tree.forks) +
	       seep_slots_own_bytes(&tree.slots);
}

/* Another thread may just have been appending: its node has not been counted, or is not found. */
void seep_nodes_forked(void)
{
	while (tree.n_forks > 1 && tree.forks[tree.n_forks - 1].node >= tree.n)
		tree.n_forks--;
	seep_lock_renew(&frames.lock);
	seep_lock_renew(&tree.lock);
}
