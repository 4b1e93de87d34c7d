/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * massif.out: the live heap at some of the stamps, and the tree of callers at the end.
 *
 * The tree has the allocating functions at its top and grows towards main.  As in massif, nodes
 * below 1 % of the total are summed up, and the depth is bounded.
 */
#include "base/sort.h"
#include "base/table.h"
#include "base/words.h"
#include "os/base_name.h"
#include "render/export/export.h"
#include "render/export/sites/profile_tables.h"

#include <inttypes.h>
#include <string.h>

#define SNAPSHOTS_MAX 99  /* before the last one; massif keeps one hundred */
#define DEPTH_MAX 90      /* ms_print calls itself for each level, and perl warns at 100 */
#define THRESHOLD 1.0     /* per cent */

struct node {
	uint64_t bytes;
	uint64_t address;        /* of the first location with this frame */
	uint32_t frame;
	uint32_t first, next;    /* child and sibling; 0: none, because the root is neither */
	uint32_t n_children;
};

struct tree {
	const struct seep_view *view;
	const struct seep_profile_tables *profile;
	struct seep_words children; /* by node and frame */
	struct seep_table nodes;
	const char **names;      /* of functions */
};

static struct node *node_at(const struct tree *tree, uint32_t number)
{
	return (struct node *)tree->nodes.items + number;
}

/* ms_print treats # as the start of a comment. */
static const char *clean(const struct seep_view *view, const char *text)
{
	return seep_profile_replace(view->arena, text, "#", '_');
}

static uint32_t descend(struct tree *tree, uint32_t parent, uint32_t frame, uint64_t address)
{
	uint32_t number = seep_words_pair(&tree->children, parent, frame);
	struct node *node;

	if (number < tree->nodes.n)
		return number;
	node = seep_table_add(&tree->nodes);
	node->frame = frame;
	node->address = address;
	node->next = node_at(tree, parent)->first;
	node_at(tree, parent)->first = number;
	node_at(tree, parent)->n_children++;
	return number;
}

static void add_stack(struct tree *tree, const struct seep_profile_stack *stack)
{
	uint64_t bytes = stack->result->live_bytes;
	uint32_t at = 0;
	size_t depth = 0;

	node_at(tree, 0)->bytes += bytes;
	for (size_t i = 0; i < stack->n_locations; i++) {
		const struct seep_profile_location *location =
			&tree->profile->locations[stack->locations[i]];

		for (size_t j = 0; j < location->n_frames && depth < DEPTH_MAX; j++, depth++) {
			at = descend(tree, at, location->frames[j], location->address);
			node_at(tree, at)->bytes += bytes;
		}
	}
}

/* Memory outside the heap is left out, because the series of the heap does not include it. */
static void plant(struct tree *tree, const struct seep_view *view)
{
	const struct seep_profile_tables *profile = seep_profile_make(view);

	*tree = (struct tree){ .view = view, .profile = profile };
	tree->nodes = SEEP_TABLE(view->arena, struct node);
	seep_table_add(&tree->nodes);
	seep_words_init(&tree->children, view->arena);
	tree->names = seep_arena_array(view->arena, profile->n_functions, sizeof(*tree->names));
	for (size_t i = 0; i < profile->n_functions; i++)
		tree->names[i] = clean(view, profile->functions[i].name);
	for (size_t i = 0; i < profile->n_stacks; i++)
		if (profile->stacks[i].result->site->kind == SEEP_MEMORY_HEAP &&
		    profile->stacks[i].result->live_bytes)
			add_stack(tree, &profile->stacks[i]);
}

static bool is_shown(const struct tree *tree, const struct node *node)
{
	return (double)node->bytes * 100 >= THRESHOLD * (double)node_at(tree, 0)->bytes;
}

static int by_bytes(const void *a, const void *b)
{
	const struct node *one = *(const struct node *const *)a;
	const struct node *two = *(const struct node *const *)b;

	return (one->bytes < two->bytes) - (one->bytes > two->bytes);
}

/* Picks the children to show, largest first; counts and sums up the others. */
static const struct node **pick(const struct tree *tree, const struct node *node, size_t *n,
				uint64_t *n_below, uint64_t *bytes_below)
{
	struct seep_arena *arena = tree->view->arena;
	const struct node **shown = seep_arena_array(arena, node->n_children, sizeof(*shown));

	*n = 0;
	*n_below = *bytes_below = 0;
	for (uint32_t child = node->first; child; child = node_at(tree, child)->next) {
		if (is_shown(tree, node_at(tree, child))) {
			shown[(*n)++] = node_at(tree, child);
		} else {
			++*n_below;
			*bytes_below += node_at(tree, child)->bytes;
		}
	}
	seep_sort_stable(shown, *n, sizeof(*shown), by_bytes, arena);
	return shown;
}

static void write_place(const struct tree *tree, const struct node *node)
{
	const struct seep_profile_frame *frame = &tree->profile->frames[node->frame];
	const struct seep_profile_function *function =
		&tree->profile->functions[frame->function];
	const char *file = clean(tree->view, function->file);
	FILE *out = tree->view->out;

	fprintf(out, "0x%" PRIX64 ": %s", node->address, tree->names[frame->function]);
	if (*file && frame->line)
		fprintf(out, " (%s:%d)", seep_base_name(file), frame->line);
	else if (*function->module)
		fprintf(out, " (in %s)", clean(tree->view, function->module));
}

static void write_node(const struct tree *tree, const struct node *node, int depth)
{
	FILE *out = tree->view->out;
	uint64_t n_below, bytes_below;
	size_t n;
	const struct node **shown = pick(tree, node, &n, &n_below, &bytes_below);

	fprintf(out, "%*sn%zu: %" PRIu64 " ", depth, "", n + !!n_below, node->bytes);
	if (depth)
		write_place(tree, node);
	else
		fputs("(heap allocation functions) malloc/new/new[], --alloc-fns, etc.", out);
	fputc('\n', out);
	for (size_t i = 0; i < n; i++)
		write_node(tree, shown[i], depth + 1);
	if (n_below)
		fprintf(out, "%*sn0: %" PRIu64 " in %" PRIu64 " place%s below massif's threshold "
			"(%.2f%%)\n", depth + 1, "", bytes_below, n_below,
			n_below == 1 ? "," : "s, all", THRESHOLD);
}

static void write_snapshot(FILE *out, size_t number, int64_t time, uint64_t bytes,
			   const char *tree)
{
	fprintf(out, "#-----------\nsnapshot=%zu\n#-----------\ntime=%" PRId64 "\n"
		"mem_heap_B=%" PRIu64 "\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n",
		number, time, bytes, tree);
}

/* The stamps with heap values up to the snapshot. */
static const struct seep_stamp **find_series(const struct seep_view *view, size_t *n)
{
	const struct seep_run *run = view->run;
	const struct seep_stamp **series = seep_arena_array(view->arena, run->n_stamps,
							    sizeof(*series));

	*n = 0;
	for (size_t i = 0; i < run->n_stamps; i++) {
		const struct seep_stamp *stamp = &run->stamps[i];

		if ((stamp->flags & SEEP_STAMP_HEAP) && stamp->t_ns <= run->snapshot_t_ns &&
		    stamp->t_ns >= 0 && stamp->live_bytes >= 0)
			series[(*n)++] = stamp;
	}
	return series;
}

/* Imported dumps may have no times; the event number serves instead. */
static int64_t time_of(const struct seep_run *run, const struct seep_stamp *stamp, bool clock)
{
	if (clock)
		return stamp->t_ns / 1000000;
	return stamp->event == SEEP_EVENT_NONE ? 0 : run->events[stamp->event].number;
}

static int write_massif(const struct seep_view *view, struct seep_err *err)
{
	const struct seep_stamp **series;
	uint64_t peak = 0, last;
	int64_t time = 0;
	size_t n, shown;
	struct tree tree;
	bool clock;

	(void)err;
	plant(&tree, view);
	last = node_at(&tree, 0)->bytes;
	series = find_series(view, &n);
	clock = n < 2 || series[n - 1]->t_ns > series[0]->t_ns;
	shown = n < SNAPSHOTS_MAX ? n : SNAPSHOTS_MAX;
	fprintf(view->out, "desc: %s%s\ncmd: %s\ntime_unit: %s\n",
		clean(view, seep_profile_verdict(view)), clock ? "" : " (time in events)",
		clean(view, seep_profile_command(view)), clock ? "ms" : "i");
	for (size_t i = 0; i < shown; i++) {
		const struct seep_stamp *stamp = series[i * n / shown];

		time = time_of(view->run, stamp, clock);
		write_snapshot(view->out, i, time, (uint64_t)stamp->live_bytes, "empty");
		if ((uint64_t)stamp->live_bytes > peak)
			peak = (uint64_t)stamp->live_bytes;
	}
	if (clock)
		time = view->run->snapshot_t_ns / 1000000;
	write_snapshot(view->out, shown, time, last, last >= peak ? "peak" : "detailed");
	write_node(&tree, node_at(&tree, 0), 0);
	return 0;
}

const struct seep_export_format seep_export_massif = {
	.name = "massif",
	.what = "ms_print, massif-visualizer: the heap over time and what holds it",
	.needs_sites = true,
	.write = write_massif,
};
