/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/watch/watch_tell.h"
#include "os/clock.h"
#include "render/sizes.h"
#include "render/text/text.h"

#include <inttypes.h>
#include <stdio.h>

static void note_cost(struct seep_watch_trace *trace, const struct seep_tree *tree,
		      int64_t wall_ns, int64_t cpu_ns)
{
	double cpu = (double)cpu_ns / 1e9, wall = (double)wall_ns / 1e9;
	char text[256];

	snprintf(text, sizeof(text), "watching used %s of CPU time in %s, %.3g %% of a core: "
		 "%" PRIu64 " sample%s, %" PRIu64 " of which read the pages of all processes",
		 seep_size_duration(cpu).text, seep_size_duration(wall).text, 100 * cpu / wall,
		 trace->samples, trace->samples == 1 ? "" : "s", tree->rounds);
	seep_watch_trace_note(trace, text, seep_clock_mono_ns());
}

static void note_processes(struct seep_watch_trace *trace, const struct seep_tree *tree,
			   int64_t now_ns)
{
	char text[256];

	if (tree->seen > 1) {
		snprintf(text, sizeof(text), "%zu processes were seen, at most %zu at a time; "
			 "memory they share is counted once", tree->seen, tree->most);
		seep_watch_trace_note(trace, text, now_ns);
	}
	if (tree->closed) {
		snprintf(text, sizeof(text), "the pages of %zu process%s could not be read (owned "
			 "by another user?), so shared memory is counted once per process; run as "
			 "root to avoid this", tree->closed,
			 tree->closed == 1 ? "" : "es");
		seep_watch_trace_note(trace, text, now_ns);
	}
	if (tree->crowded) {
		snprintf(text, sizeof(text), "%zu more processes could not be watched (see ulimit "
			 "-n)", tree->crowded);
		seep_watch_trace_note(trace, text, now_ns);
	}
}

void seep_watch_tell_trace(struct seep_watch_trace *trace, const struct seep_tree *tree,
			   const struct seep_watch_events *events, int64_t wall_ns, int64_t cpu_ns)
{
	int64_t now_ns = seep_clock_mono_ns();

	note_processes(trace, tree, now_ns);
	if (events->wanted && !events->seen)
		seep_watch_trace_note(trace, "--events-file: no number was found in the file, so "
				      "events are time slices", now_ns);
	note_cost(trace, tree, wall_ns, cpu_ns);
}

static void tell_memory(const struct seep_tree_sum *sum)
{
	int64_t ram = seep_member_ram();

	if (!sum->processes)
		return;
	fprintf(stderr, "seep: at the end, %s in %zu process%s",
		seep_size_format((double)sum->memory_bytes).text, sum->processes,
		sum->processes == 1 ? "" : "es");
	if (ram)
		fprintf(stderr, ", %.1f %% of RAM", 100 * (double)sum->memory_bytes / (double)ram);
	fprintf(stderr, " (RSS %s, swap %s", seep_size_format((double)sum->rss_bytes).text,
		seep_size_format((double)sum->swap_bytes).text);
	if (sum->has_pages)
		fprintf(stderr, ", PSS %s, private %s, LazyFree %s",
			seep_size_format((double)sum->pss_bytes).text,
			seep_size_format((double)sum->private_bytes).text,
			seep_size_format((double)sum->lazy_bytes).text);
	fputs(")\n", stderr);
}

static void tell_short(const struct seep_view *view)
{
	fprintf(stderr, "seep: too short to judge: %s, %zu sample%s\n",
		seep_size_duration((double)view->run->wall_ns / 1e9).text, view->run->n_events,
		view->run->n_events == 1 ? "" : "s");
	for (size_t i = 0; i < view->run->n_notes; i++)
		seep_view_wrap(view, "  note    ", view->run->notes[i]);
	fputs("next: watch it longer, or look more often: --interval 100ms\n", stderr);
}

void seep_watch_tell(const struct seep_watch_trace *trace, const struct seep_tree_sum *sum,
		     struct seep_err *err)
{
	struct seep_analysis analysis;
	struct seep_view view;

	tell_memory(sum);
	if (seep_analysis_open(&analysis, trace->file.name, err))
		return;
	view = seep_analysis_view(&analysis, stderr);
	if (seep_analysis_is_short(&analysis))
		tell_short(&view);
	else
		seep_text_report(&view, false);
	seep_analysis_close(&analysis);
}
