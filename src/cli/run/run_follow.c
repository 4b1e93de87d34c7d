/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/self.h"
#include "cli/run/run_follow.h"
#include "os/base_name.h"
#include "render/safe.h"
#include "render/sizes.h"
#include "render/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 10

static const char *name_of(const struct seep_run *run, struct seep_arena *arena)
{
	const char *word = run->command && *run->command ? *run->command : run->exe;

	return seep_safe_text(arena, seep_base_name(word));
}

/* What a function prints about a view, as a text of the arena. */
static const char *capture(struct seep_view view, void (*print)(const struct seep_view *),
			   struct seep_arena *arena)
{
	char *text = NULL;
	size_t bytes = 0;
	const char *copy = "";

	view.out = open_memstream(&text, &bytes);
	if (!view.out)
		return copy;
	print(&view);
	if (!fclose(view.out))
		copy = seep_arena_copy(arena, text, strcspn(text, "\n"));
	free(text);
	return copy;
}

static void print_short(const struct seep_view *view)
{
	fprintf(view->out, "too short to judge, %s",
		seep_size_duration((double)view->run->wall_ns / 1e9).text);
}

static double growth_of(const struct seep_verdict *verdict)
{
	const struct seep_estimate *rate = &verdict->bytes_per_event;

	if (verdict->kind == SEEP_KIND_FLAT || !rate->known || !(rate->low > 0))
		return 0;
	return rate->value * (double)verdict->events_used;
}

static void print_next(const struct seep_view *view)
{
	seep_text_next(view, false);
}

static void judge(struct seep_followed *program, struct seep_analysis *analysis,
		  struct seep_arena *arena)
{
	struct seep_view view = seep_analysis_view(analysis, stderr);

	program->name = name_of(&analysis->run, arena);
	program->events = (size_t)seep_run_marked(&analysis->run);
	program->is_short = seep_analysis_is_short(analysis);
	if (program->is_short) {
		program->headline = capture(view, print_short, arena);
		return;
	}
	program->headline = capture(view, seep_text_headline, arena);
	program->growth = growth_of(&analysis->verdict);
	if (seep_text_has_accused(&view))
		program->next = capture(view, print_next, arena);
}

/* Those with somebody to blame first, then by what was lost. */
static int by_growth(const void *a, const void *b)
{
	const struct seep_followed *one = a, *two = b;

	if (!one->next != !two->next)
		return !one->next ? 1 : -1;
	if (one->growth < two->growth || one->growth > two->growth)
		return one->growth < two->growth ? 1 : -1;
	return (one->pid > two->pid) - (one->pid < two->pid);
}

void seep_run_follow_judge(struct seep_run_follow *follow, const char *name,
			   int64_t started_real_ns, double material_bytes)
{
	const struct seep_analysis_options how = { .material_bytes = material_bytes };
	struct seep_run_children children;
	struct seep_err err;

	memset(follow, 0, sizeof(*follow));
	seep_arena_init(&follow->arena);
	seep_run_trace_children(name, started_real_ns, &children);
	follow->programs = seep_arena_array(&follow->arena, SEEP_RUN_CHILDREN,
					    sizeof(*follow->programs));
	for (size_t i = 0; i < children.n && i < SEEP_RUN_CHILDREN; i++) {
		const char *path = seep_arena_printf(&follow->arena, "%s.%" PRIu64, name,
						     children.pids[i]);
		struct seep_analysis analysis;

		if (seep_analysis_open_as(&analysis, &path, 1, &how, &err)) {
			follow->n_unread++;
			continue;
		}
		follow->programs[follow->n].pid = children.pids[i];
		follow->programs[follow->n].trace = seep_safe_shell(
			&follow->arena, seep_safe_text(&follow->arena, path));
		judge(&follow->programs[follow->n++], &analysis, &follow->arena);
		seep_analysis_close(&analysis);
	}
	qsort(follow->programs, follow->n, sizeof(*follow->programs), by_growth);
}

void seep_run_follow_release(struct seep_run_follow *follow)
{
	seep_arena_release(&follow->arena);
}

const char *seep_run_follow_next(struct seep_run_follow *follow, bool idle)
{
	if (follow->n && follow->programs[0].next)
		return follow->programs[0].next;
	for (size_t i = 0; i < follow->n && idle; i++)
		if (!follow->programs[i].is_short)
			return seep_arena_printf(&follow->arena, "next: %s report %s", seep_self(),
						 follow->programs[i].trace);
	return NULL;
}

/* Says what the list leaves out, so that nobody takes it for the whole. */
static void tell_others(const struct seep_run_follow *follow, const struct seep_run_trace *trace)
{
	size_t made = follow->n + follow->n_unread;

	if (follow->n > LINES_MAX)
		fprintf(stderr, "  and %zu more\n", follow->n - LINES_MAX);
	if (follow->n_unread)
		fprintf(stderr, "  note    %zu trace%s could not be read\n", follow->n_unread,
			follow->n_unread == 1 ? "" : "s");
	if (trace->followed > SEEP_FOLLOW_MAX)
		fprintf(stderr, "  note    %" PRIu32 " more had no trace: the limit is %d\n",
			trace->followed - SEEP_FOLLOW_MAX, SEEP_FOLLOW_MAX);
	else if (trace->follow_begun > made)
		fprintf(stderr, "  note    %zu more had no trace: %s ended too soon, marked no "
			"event, or could not create one\n", trace->follow_begun - made,
			trace->follow_begun - made == 1 ? "it" : "they");
}

void seep_run_follow_tell(const struct seep_run_follow *follow, const struct seep_run_trace *trace)
{
	int name_width = 0;

	if (!follow->n && !follow->n_unread && !trace->follow_begun)
		return;
	fprintf(stderr, "seep: %zu program%s followed", follow->n,
		follow->n == 1 ? " was" : "s were");
	if (follow->n)
		fprintf(stderr, "; the trace for each PID is %s.PID", trace->name);
	fputc('\n', stderr);
	for (size_t i = 0; i < follow->n && i < LINES_MAX; i++)
		if ((int)seep_safe_width(follow->programs[i].name) > name_width)
			name_width = (int)seep_safe_width(follow->programs[i].name);
	for (size_t i = 0; i < follow->n && i < LINES_MAX; i++) {
		const struct seep_followed *program = &follow->programs[i];

		fprintf(stderr, "  %" PRIu64 "  %-*s  %zu event%s  %s\n", program->pid, name_width,
			program->name, program->events, program->events == 1 ? "" : "s",
			program->headline);
	}
	tell_others(follow, trace);
}
