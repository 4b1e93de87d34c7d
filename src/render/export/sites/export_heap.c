/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heap dumps in the formats of allocators: jemalloc's heap_v2 and gperftools' heap profile.
 *
 * They hold addresses; readers find the names with the map after the stacks.  Readers of heap_v2
 * take blocks for a sample with the period in the first line, and scale them by 1 / (1 -
 * exp(-size / period)).  Our numbers are already scaled, so the period is 0, which switches
 * scaling off; period 1 would turn a block of 1 byte into 1.6 bytes.
 */
#include "base/sort.h"
#include "render/export/export.h"
#include "render/export/sites/profile_tables.h"
#include "render/safe.h"

#include <inttypes.h>

struct sums {
	uint64_t live_blocks, live_bytes, born_blocks, born_bytes;
};

static struct sums of_site(const struct seep_site_result *result)
{
	return (struct sums){
		result->live_blocks, result->live_bytes,
		result->site->born_blocks, result->site->born_bytes,
	};
}

/* These formats know only heap memory. */
static bool is_shown(const struct seep_site_result *result)
{
	return result->site->kind == SEEP_MEMORY_HEAP && result->site->born_blocks;
}

static struct sums of_run(const struct seep_verdict *verdict)
{
	struct sums all = { 0 };

	for (size_t i = 0; i < verdict->n_sites; i++) {
		struct sums one = of_site(&verdict->sites[i]);

		if (!is_shown(&verdict->sites[i]))
			continue;
		all.live_blocks += one.live_blocks;
		all.live_bytes += one.live_bytes;
		all.born_blocks += one.born_blocks;
		all.born_bytes += one.born_bytes;
	}
	return all;
}

static void write_sums(FILE *out, struct sums sums)
{
	fprintf(out, "%" PRIu64 ": %" PRIu64 " [%" PRIu64 ": %" PRIu64 "]", sums.live_blocks,
		sums.live_bytes, sums.born_blocks, sums.born_bytes);
}

/*
 * Readers step back from return addresses into the call, except from the innermost address,
 * which they take for one in the allocator.
 */
static void write_addresses(FILE *out, const struct seep_stack *stack)
{
	size_t n = 0;

	fputc('@', out);
	for (size_t i = 0; i < stack->n_pcs; i++) {
		if (stack->pcs[i] <= SEEP_PC_LOST)
			continue;
		fprintf(out, " 0x%" PRIx64, n ? stack->pcs[i] : stack->pcs[i] - 1);
		n++;
	}
	if (!n)
		fputs(" 0x0", out);
	fputc('\n', out);
}

/* A line of the map: the code of a module, or the whole module if that is unknown. */
struct area {
	uint64_t start, end, offset;
	const char *path;
};

static int by_start(const void *a, const void *b)
{
	const struct area *one = a, *two = b;

	return (one->start > two->start) - (one->start < two->start);
}

static struct area *find_areas(const struct seep_view *view, size_t *n)
{
	const struct seep_run *run = view->run;
	struct area *areas = seep_arena_array(view->arena, run->n_modules + 1, sizeof(*areas));

	*n = 0;
	for (size_t i = 1; i < run->n_modules; i++) {
		const struct seep_module *module = &run->modules[i];
		bool located = module->text_end > module->text_start;

		if (!module->path || !*module->path || module->end <= module->start)
			continue;
		areas[(*n)++] = (struct area){
			.start = located ? module->text_start : module->start,
			.end = located ? module->text_end : module->end,
			.offset = located ? module->text_offset : 0,
			.path = seep_safe_text(view->arena, module->path),
		};
	}
	seep_sort_stable(areas, *n, sizeof(*areas), by_start, view->arena);
	return areas;
}

/* Sorted by address, like /proc/PID/maps. */
static void write_map(const struct seep_view *view)
{
	size_t n;
	const struct area *areas = find_areas(view, &n);

	fputs("\nMAPPED_LIBRARIES:\n", view->out);
	for (size_t i = 0; i < n; i++)
		fprintf(view->out, "%08" PRIx64 "-%08" PRIx64 " r-xp %08" PRIx64 " 00:00 0 %s\n",
			areas[i].start, areas[i].end, areas[i].offset, areas[i].path);
}

static int write_heap_v2(const struct seep_view *view, struct seep_err *err)
{
	const struct seep_verdict *verdict = view->verdict;

	(void)err;
	fputs("heap_v2/0\n  t*: ", view->out);
	write_sums(view->out, of_run(verdict));
	fputc('\n', view->out);
	for (size_t i = 0; i < verdict->n_sites; i++) {
		if (!is_shown(&verdict->sites[i]))
			continue;
		write_addresses(view->out, &verdict->sites[i].site->stack);
		fputs("  t*: ", view->out);
		write_sums(view->out, of_site(&verdict->sites[i]));
		fputc('\n', view->out);
	}
	write_map(view);
	return 0;
}

static int write_gperftools(const struct seep_view *view, struct seep_err *err)
{
	const struct seep_verdict *verdict = view->verdict;

	(void)err;
	fputs("heap profile: ", view->out);
	write_sums(view->out, of_run(verdict));
	fputs(" @ heapprofile\n", view->out);
	for (size_t i = 0; i < verdict->n_sites; i++) {
		if (!is_shown(&verdict->sites[i]))
			continue;
		write_sums(view->out, of_site(&verdict->sites[i]));
		fputc(' ', view->out);
		write_addresses(view->out, &verdict->sites[i].site->stack);
	}
	write_map(view);
	return 0;
}

const struct seep_export_format seep_export_heap_v2 = {
	.name = "heap_v2",
	.what = "jeprof: a heap profile in jemalloc's format",
	.needs_sites = true,
	.write = write_heap_v2,
};

const struct seep_export_format seep_export_gperftools = {
	.name = "gperftools",
	.what = "google-pprof: a heap profile in tcmalloc's format",
	.needs_sites = true,
	.write = write_gperftools,
};
