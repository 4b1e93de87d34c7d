/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes stacks from the tree of nodes.
 *
 * A stack lists its pcs from the innermost outwards, so the stack of a caller is the tail of the
 * stack of each of its callees:
 *
 *	node 3 -> 2 -> 1     pcs:  [pc 3] [pc 2] [pc 1]
 *	                            ^ 3    ^ 2    ^ 1
 *
 * All nodes on the way to the root share one array, and a node is built only once.  Siblings
 * cannot share, so a small file could still require any amount of memory (a long chain with a
 * million leaves).  Once a budget is used up, a stack keeps only its innermost pcs and ends like
 * a stack that the tracker has cut.
 */
#include "model/load/loading.h"

#include <string.h>

#define STACK_BYTES_MAX ((size_t)256 << 20)
#define DEPTH_MAX 65536u
#define DEPTH_SHORT 16u
#define PC_BYTES (sizeof(uint64_t) + sizeof(uint32_t))

struct seep_load_chain {
	const uint64_t *pcs;     /* NULL: not yet built */
	const uint32_t *modules;
	uint32_t depth;          /* number of pcs up to the root */
};

void seep_load_stacks_add(struct seep_load *load, const struct seep_rec_nodes *nodes)
{
	const struct seep_rec_node *from = (const void *)(nodes + 1);
	uint64_t last = (uint64_t)nodes->first + nodes->count;
	uint32_t i;

	if (!nodes->count || !seep_load_plausible(load, last, sizeof(*from)))
		return;
	seep_table_at(&load->nodes, (size_t)last - 1);
	for (i = 0; i < nodes->count; i++) {
		struct seep_rec_node *node = seep_table_at(&load->nodes, nodes->first + i);

		*node = from[i];
		if (node->parent >= nodes->first + i && nodes->first + i) {
			node->parent = 0;
			load->damaged++;
		}
	}
}

/* A caller has a smaller number than its callees, so its depth is known before theirs. */
void seep_load_stacks_begin(struct seep_load *load)
{
	const struct seep_rec_node *nodes = load->nodes.items;
	size_t i;

	load->stack_bytes_left = STACK_BYTES_MAX;
	load->chains = seep_arena_array(&load->scratch, load->nodes.n, sizeof(*load->chains));
	for (i = 1; i < load->nodes.n; i++)
		load->chains[i].depth = load->chains[nodes[i].parent].depth + 1;
}

/* Allocates room for n pcs and their modules. */
static void make_room(struct seep_load *load, size_t n, uint64_t **pcs, uint32_t **modules)
{
	size_t bytes = n * PC_BYTES;

	*pcs = seep_arena_array(load->arena, n, sizeof(**pcs));
	*modules = seep_arena_array(load->arena, n, sizeof(**modules));
	load->stack_bytes_left -= bytes < load->stack_bytes_left ? bytes : load->stack_bytes_left;
}

static void copy_node(const struct seep_load *load, uint32_t node, uint64_t *pc, uint32_t *module)
{
	const struct seep_rec_node *from = (const struct seep_rec_node *)load->nodes.items + node;

	*pc = from->pc;
	*module = from->module < load->modules.n ? from->module : 0;
}

/* Builds the pcs up to the root, and thereby the stacks of all nodes on the way. */
static void build_chain(struct seep_load *load, uint32_t node)
{
	const struct seep_rec_node *nodes = load->nodes.items;
	uint32_t depth = load->chains[node].depth, i;
	uint64_t *pcs;
	uint32_t *modules;

	make_room(load, depth, &pcs, &modules);
	for (i = 0; i < depth; i++, node = nodes[node].parent) {
		struct seep_load_chain *chain = &load->chains[node];

		if (chain->pcs) {
			memcpy(pcs + i, chain->pcs, chain->depth * sizeof(*pcs));
			memcpy(modules + i, chain->modules, chain->depth * sizeof(*modules));
			return;
		}
		copy_node(load, node, &pcs[i], &modules[i]);
		chain->pcs = pcs + i;
		chain->modules = modules + i;
	}
}

/* The innermost n - 1 pcs and a mark that there are more. */
static struct seep_stack build_short(struct seep_load *load, uint32_t node, uint32_t n)
{
	const struct seep_rec_node *nodes = load->nodes.items;
	uint64_t *pcs;
	uint32_t *modules, i;

	make_room(load, n, &pcs, &modules);
	for (i = 0; i + 1 < n; i++, node = nodes[node].parent)
		copy_node(load, node, &pcs[i], &modules[i]);
	pcs[i] = SEEP_PC_CUT;
	load->stacks_shortened++;
	return (struct seep_stack){ .pcs = pcs, .modules = modules, .n_pcs = n };
}

/* How many of depth pcs the budget allows. */
static uint32_t affordable(const struct seep_load *load, uint32_t depth)
{
	uint32_t n = depth < DEPTH_MAX ? depth : DEPTH_MAX;

	if (n <= DEPTH_SHORT || n * PC_BYTES <= load->stack_bytes_left)
		return n;
	return DEPTH_SHORT;
}

struct seep_stack seep_load_stacks_get(struct seep_load *load, uint32_t node)
{
	struct seep_load_chain *chain;
	uint32_t n;

	if (!node || node >= load->nodes.n)
		return (struct seep_stack){ 0 };
	chain = &load->chains[node];
	if (!chain->pcs) {
		n = affordable(load, chain->depth);
		if (n < chain->depth)
			return build_short(load, node, n);
		build_chain(load, node);
	}
	return (struct seep_stack){ .pcs = chain->pcs, .modules = chain->modules,
				    .n_pcs = chain->depth };
}
