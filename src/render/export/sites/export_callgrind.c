/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callgrind's format: what each line of a function allocates itself, and what the calls from it
 * allocate.
 *
 * The bytes of a recursive function would be counted once per level.  So, like callgrind with
 * --separate-recs, each level of recursion is a function of its own: f, f'2, f'3.  All levels
 * from the last one on are merged, and each call counts once per stack.
 */
#include "base/table.h"
#include "base/words.h"
#include "render/export/export.h"
#include "render/export/sites/profile_tables.h"

#include <inttypes.h>

#define LEVELS_MAX 32u

struct cost {
	uint64_t bytes, blocks, rate;
};

/* What a line allocates itself (callee is NOBODY), or what a call from it allocates. */
struct entry {
	struct cost cost;
	uint32_t callee;
	uint32_t line;
	uint32_t next;           /* of the same function; index + 1 */
	size_t stack;            /* that was last added; index + 1 */
};

#define NOBODY UINT32_MAX

/* A function at one level of its recursion. */
struct node {
	uint32_t function, level;
	uint32_t first, last;    /* its entries; index + 1 */
};

struct graph {
	const struct seep_view *view;
	const struct seep_profile_tables *profile;
	struct seep_words node_ids, line_ids, entry_ids;
	struct seep_table nodes, entries;
	uint32_t *levels;        /* of each function in the current stack */
	struct seep_words files, modules;
	bool *told_files, *told_modules, *told_functions; /* their names have been written */
	struct cost total;
};

static uint32_t intern_node(struct graph *graph, uint32_t function, uint32_t level)
{
	uint32_t number = seep_words_pair(&graph->node_ids, function, level) - 1;

	if (number == graph->nodes.n)
		*(struct node *)seep_table_add(&graph->nodes) =
			(struct node){ .function = function, .level = level };
	return number;
}

static struct entry *intern_entry(struct graph *graph, uint32_t number, uint32_t line,
				  uint32_t callee)
{
	uint32_t place = seep_words_pair(&graph->line_ids, number, line);
	uint32_t at = seep_words_pair(&graph->entry_ids, place, callee) - 1;
	struct node *node = (struct node *)graph->nodes.items + number;
	struct entry *entry;

	if (at < graph->entries.n)
		return (struct entry *)graph->entries.items + at;
	entry = seep_table_add(&graph->entries);
	*entry = (struct entry){ .callee = callee, .line = line };
	if (node->last)
		((struct entry *)graph->entries.items)[node->last - 1].next = at + 1;
	else
		node->first = at + 1;
	node->last = at + 1;
	return entry;
}

static void add_cost(struct cost *to, const struct cost *cost)
{
	to->bytes += cost->bytes;
	to->blocks += cost->blocks;
	to->rate += cost->rate;
}

/*
 * A line that calls gets an entry of its own, too, because only those are shown beside the
 * source.
 */
static void add_call(struct graph *graph, uint32_t caller, uint32_t line, uint32_t callee,
		     size_t stack, const struct cost *cost)
{
	struct entry *entry;

	intern_entry(graph, caller, line, NOBODY);
	entry = intern_entry(graph, caller, line, callee);
	if (entry->stack != stack + 1)
		add_cost(&entry->cost, cost);
	entry->stack = stack + 1;
}

/* Starts at the root, so that the outermost level of a recursive function is the first. */
static void add_stack(struct graph *graph, size_t number, const struct cost *cost)
{
	const struct seep_profile_stack *stack = &graph->profile->stacks[number];
	uint32_t caller = NOBODY, line = 0;

	for (size_t i = 0; i < stack->n_frames; i++)
		graph->levels[graph->profile->frames[stack->frames[i]].function] = 0;
	for (size_t i = stack->n_frames; i-- > 0;) {
		const struct seep_profile_frame *frame =
			&graph->profile->frames[stack->frames[i]];
		uint32_t *level = &graph->levels[frame->function];
		uint32_t callee;

		if (*level < LEVELS_MAX)
			++*level;
		callee = intern_node(graph, frame->function, *level);
		if (caller != NOBODY && caller != callee)
			add_call(graph, caller, line, callee, number, cost);
		caller = callee;
		line = (uint32_t)frame->line;
	}
	if (caller != NOBODY)
		add_cost(&intern_entry(graph, caller, line, NOBODY)->cost, cost);
	add_cost(&graph->total, cost);
}

static void add_stacks(struct graph *graph)
{
	for (size_t i = 0; i < graph->profile->n_stacks; i++) {
		const struct seep_profile_stack *stack = &graph->profile->stacks[i];
		struct cost cost = {
			stack->result->live_bytes, stack->result->live_blocks,
			(uint64_t)seep_profile_whole_rate(stack),
		};

		if (cost.bytes || cost.blocks || cost.rate)
			add_stack(graph, i, &cost);
	}
}

/*
 * Writes "fl=(2) name" the first time and "fl=(2)" afterwards; the number is always there
 * because a name may look like one.
 */
static void write_name(FILE *out, const char *key, uint32_t number, const char *name, bool *told)
{
	fprintf(out, "%s=(%" PRIu32 ")", key, number + 1);
	if (!told[number])
		fprintf(out, " %s", *name ? name : "???");
	fputc('\n', out);
	told[number] = true;
}

/* Writes module, file and function, with the keys for a caller or for a callee. */
static void write_function(struct graph *graph, uint32_t number, const char *const keys[3])
{
	const struct node *node = (const struct node *)graph->nodes.items + number;
	const struct seep_profile_function *function =
		&graph->profile->functions[node->function];
	const char *name = function->name;
	FILE *out = graph->view->out;

	if (node->level > 1)
		name = seep_arena_printf(graph->view->arena, "%s'%" PRIu32, name, node->level);
	write_name(out, keys[0], seep_words_text(&graph->modules, function->module) - 1,
		   function->module, graph->told_modules);
	write_name(out, keys[1], seep_words_text(&graph->files, function->file) - 1, function->file,
		   graph->told_files);
	write_name(out, keys[2], number, name, graph->told_functions);
}

static void write_cost(FILE *out, uint32_t line, const struct cost *cost)
{
	fprintf(out, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", line, cost->bytes,
		cost->blocks, cost->rate);
}

static void write_node(struct graph *graph, uint32_t number)
{
	static const char *const own[] = { "ob", "fl", "fn" };
	static const char *const called[] = { "cob", "cfi", "cfn" };
	const struct node *node = (const struct node *)graph->nodes.items + number;
	const struct entry *entries = graph->entries.items;
	FILE *out = graph->view->out;

	fputc('\n', out);
	write_function(graph, number, own);
	for (uint32_t at = node->first; at; at = entries[at - 1].next) {
		const struct entry *entry = &entries[at - 1];

		if (entry->callee != NOBODY) {
			write_function(graph, entry->callee, called);
			fprintf(out, "calls=%" PRIu64 " 0\n",
				entry->cost.blocks ? entry->cost.blocks : 1);
		}
		write_cost(out, entry->line, &entry->cost);
	}
}

static void start(struct graph *graph, const struct seep_view *view)
{
	struct seep_arena *arena = view->arena;

	*graph = (struct graph){ .view = view, .profile = seep_profile_make(view) };
	seep_words_init(&graph->node_ids, arena);
	seep_words_init(&graph->line_ids, arena);
	seep_words_init(&graph->entry_ids, arena);
	seep_words_init(&graph->files, arena);
	seep_words_init(&graph->modules, arena);
	graph->nodes = SEEP_TABLE(arena, struct node);
	graph->entries = SEEP_TABLE(arena, struct entry);
	graph->levels = seep_arena_array(arena, graph->profile->n_functions,
					 sizeof(*graph->levels));
	graph->told_files = seep_arena_array(arena, graph->profile->n_functions, 1);
	graph->told_modules = seep_arena_array(arena, graph->profile->n_functions, 1);
}

static int write_callgrind(const struct seep_view *view, struct seep_err *err)
{
	struct graph graph;

	(void)err;
	start(&graph, view);
	add_stacks(&graph);
	graph.told_functions = seep_arena_array(view->arena, graph.nodes.n, 1);
	fprintf(view->out, "# callgrind format\nversion: 1\ncreator: seep\npid: %" PRIu32 "\n"
		"cmd: %s\ndesc: Verdict: %s\npositions: line\n"
		"events: LiveBytes LiveBlocks %s\nsummary: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		view->run->pid, seep_profile_command(view), seep_profile_verdict(view),
		graph.profile->axis.time ? "BytesPerSecond" : "BytesPerEvent",
		graph.total.bytes, graph.total.blocks, graph.total.rate);
	for (uint32_t i = 0; i < graph.nodes.n; i++)
		write_node(&graph, i);
	return 0;
}

const struct seep_export_format seep_export_callgrind = {
	.name = "callgrind",
	.what = "callgrind_annotate, KCachegrind: live bytes and blocks, growth",
	.needs_sites = true,
	.write = write_callgrind,
};
