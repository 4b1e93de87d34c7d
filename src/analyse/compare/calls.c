/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/compare/calls.h"

#include "analyse/compare/compare_names.h"
#include "analyse/compare/compare_sides.h"
#include "base/hash_map.h"
#include "base/table.h"
#include "model/symbols/symbols.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct edge {
	struct seep_calls_edge edge;
	uint64_t seen;           /* number of the last stack that contained it */
};

struct counting {
	struct seep_arena *arena;
	struct seep_compare_names names;
	struct seep_table functions; /* struct seep_calls_function, by number - 1 */
	struct seep_hash_map edges;   /* struct edge, by caller and callee */
	struct seep_table edge_list; /* struct edge * */
	struct seep_table seen;  /* uint64_t: the last stack with a function, by its number */
	uint64_t stack;          /* number of stacks counted so far */
};

static uint32_t number_of(struct counting *counting, const struct seep_frame *frame)
{
	uint32_t number = seep_compare_names_number(&counting->names, frame);
	struct seep_calls_function *function = seep_table_at(&counting->functions, number - 1);

	if (!function->name)
		function->name = frame->function;
	return number;
}

static struct edge *edge_of(struct counting *counting, uint32_t caller, uint32_t callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	struct edge *edge = seep_hash_map_get(&counting->edges, key);

	if (edge)
		return edge;
	edge = seep_arena_alloc(counting->arena, sizeof(*edge));
	edge->edge.caller = caller - 1;
	edge->edge.callee = callee - 1;
	seep_hash_map_put(&counting->edges, key, edge);
	*(struct edge **)seep_table_add(&counting->edge_list) = edge;
	return edge;
}

/* A call that occurs twice in a stack counts once. */
static void add_call(struct counting *counting, uint32_t caller, uint32_t callee, int side,
		     const struct seep_compare_live *live)
{
	struct edge *edge = edge_of(counting, caller, callee);

	if (edge->seen == counting->stack)
		return;
	edge->seen = counting->stack;
	seep_compare_live_add(&edge->edge.bytes.side[side], live);
}

static void add_function(struct counting *counting, uint32_t number, bool innermost, int side,
			 const struct seep_compare_live *live)
{
	struct seep_calls_function *function = seep_table_at(&counting->functions, number - 1);
	uint64_t *seen = seep_table_at(&counting->seen, number);

	if (*seen == counting->stack)
		return;
	*seen = counting->stack;
	if (innermost)
		seep_compare_live_add(&function->flat.side[side], live);
	seep_compare_live_add(&function->cum.side[side], live);
}

static void add_stack(struct counting *counting, const struct seep_stack *stack, int side,
		      const struct seep_compare_live *live)
{
	uint32_t callee = 0;
	size_t first = 0;

	while (first + 1 < stack->n_frames && seep_symbols_is_allocator(&stack->frames[first]))
		first++;
	counting->stack++;
	for (size_t i = first; i < stack->n_frames; i++) {
		uint32_t number = number_of(counting, &stack->frames[i]);

		add_function(counting, number, i == first, side, live);
		if (callee)
			add_call(counting, number, callee, side, live);
		callee = number;
	}
}

static int by_difference(const struct seep_compare_live_pair *a,
			 const struct seep_compare_live_pair *b)
{
	double one = fabs(seep_calls_difference(a)), two = fabs(seep_calls_difference(b));

	return (one < two) - (one > two);
}

static int compare_edges(const void *a, const void *b)
{
	const struct seep_calls_edge *x = a, *y = b;
	int order = by_difference(&x->bytes, &y->bytes);

	if (order)
		return order;
	order = (x->caller > y->caller) - (x->caller < y->caller);
	return order ? order : (x->callee > y->callee) - (x->callee < y->callee);
}

static int compare_functions(const void *a, const void *b)
{
	const struct seep_calls_function *const *x = a, *const *y = b;
	int order = by_difference(&(*x)->flat, &(*y)->flat);

	if (!order)
		order = by_difference(&(*x)->cum, &(*y)->cum);
	return order ? order : strcmp((*x)->name, (*y)->name);
}

static enum seep_compare_change tell(const struct seep_compare_live_pair *live, const double *means,
				     double stretch)
{
	struct seep_compare_pair pair = seep_compare_live_compare(live, means);
	enum seep_compare_change change = seep_compare_tell(&pair.difference, stretch);

	if (change == SEEP_CHANGE_SAME && seep_compare_live_may_differ(live, stretch))
		return SEEP_CHANGE_PERHAPS;
	return change;
}

/* Sorts the functions and updates their indices in the edges. */
static void arrange(struct seep_calls *calls, struct counting *counting)
{
	struct seep_calls_function *found = counting->functions.items;
	struct edge *const *edges = counting->edge_list.items;
	size_t n = counting->functions.n, i;
	struct seep_calls_function **order = seep_arena_array(counting->arena, n, sizeof(*order));
	size_t *places = seep_arena_array(counting->arena, n, sizeof(*places));

	for (i = 0; i < n; i++)
		order[i] = &found[i];
	if (n)
		qsort(order, n, sizeof(struct seep_calls_function *), compare_functions);
	calls->functions = seep_arena_array(counting->arena, n, sizeof(*calls->functions));
	calls->n_functions = n;
	for (i = 0; i < n; i++) {
		calls->functions[i] = *order[i];
		places[order[i] - found] = i;
	}
	calls->n_edges = counting->edge_list.n;
	calls->edges = seep_arena_array(counting->arena, calls->n_edges, sizeof(*calls->edges));
	for (i = 0; i < calls->n_edges; i++) {
		calls->edges[i] = edges[i]->edge;
		calls->edges[i].caller = places[edges[i]->edge.caller];
		calls->edges[i].callee = places[edges[i]->edge.callee];
	}
	if (calls->n_edges)
		qsort(calls->edges, calls->n_edges, sizeof(*calls->edges), compare_edges);
}

void seep_calls_compare(struct seep_calls *calls, const struct seep_compare_side *before,
			const struct seep_compare_side *after, struct seep_arena *arena)
{
	const struct seep_run *runs[] = { before->run, after->run };
	double means[] = { (double)runs[0]->sampling.mean_bytes,
			   (double)runs[1]->sampling.mean_bytes };
	struct seep_compare_live *lives[] = { seep_compare_live_read(runs[0], arena),
				      seep_compare_live_read(runs[1], arena) };
	struct counting counting = {
		.arena = arena,
		.functions = SEEP_TABLE(arena, struct seep_calls_function),
		.edge_list = SEEP_TABLE(arena, struct edge *),
		.seen = SEEP_TABLE(arena, uint64_t),
	};
	double stretch;

	memset(calls, 0, sizeof(*calls));
	seep_compare_names_init(&counting.names, false, false, arena);
	seep_hash_map_init(&counting.edges, arena);
	seep_compare_live_settle(runs, lives, arena);
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < runs[s]->n_sites; i++) {
			if (!(lives[s][i].bytes > 0))
				continue;
			add_stack(&counting, &runs[s]->sites[i].stack, s, &lives[s][i]);
			seep_compare_live_add(&calls->total.side[s], &lives[s][i]);
		}
	arrange(calls, &counting);
	stretch = seep_compare_stretch(calls->n_functions);
	for (size_t i = 0; i < calls->n_functions; i++) {
		struct seep_calls_function *function = &calls->functions[i];

		function->flat_change = tell(&function->flat, means, stretch);
		function->cum_change = tell(&function->cum, means, stretch);
	}
}
