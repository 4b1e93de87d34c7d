/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/view.h"
#include "analyse/words/unit.h"
#include "os/base_name.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct seep_view_axis seep_view_axis(const struct seep_view *view)
{
	struct seep_unit unit = seep_unit_of(view->run, view->verdict);

	if (unit.time)
		return (struct seep_view_axis){ "s", seep_unit_span(&unit, 1, view->arena),
						unit.per_s, true };
	return (struct seep_view_axis){ "event", "event", 1, false };
}

const char *seep_view_events(const struct seep_view *view, double n)
{
	struct seep_unit unit = seep_unit_of(view->run, view->verdict);

	return seep_unit_span(&unit, n, view->arena);
}

const char *seep_view_covered(const struct seep_view *view)
{
	struct seep_unit unit = seep_unit_of(view->run, view->verdict);

	return seep_unit_covered(&unit, view->verdict, view->arena);
}

const char *seep_view_moment(const struct seep_view *view, int64_t event)
{
	struct seep_unit unit = seep_unit_of(view->run, view->verdict);

	return seep_unit_moment(&unit, (double)event, view->arena);
}

const char *seep_view_capitals(const struct seep_view *view, const char *name)
{
	char *text = seep_arena_copy(view->arena, name, strlen(name));

	for (char *c = text; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return text;
}

static const char *name_of(const struct seep_run *run, uint32_t name)
{
	return name && name < run->n_names ? run->names[name] : NULL;
}

const char *seep_view_phase_from(const struct seep_run *run, const struct seep_phase_share *phase)
{
	const char *name = name_of(run, phase->from);

	if (name)
		return name;
	if (phase->outside)
		return "outside events";
	return phase->between_events ? "event end" : "event begin";
}

/*
 * A phase that starts at a stamp ends with the next event; a phase without stamps is a whole
 * event.
 */
const char *seep_view_phase_to(const struct seep_run *run, const struct seep_phase_share *phase)
{
	const char *name = name_of(run, phase->to);

	if (name)
		return name;
	if (phase->outside)
		return "outside events";
	return phase->between_events || phase->from ? "event begin" : "event end";
}

const char *seep_view_phase(const struct seep_view *view, const struct seep_phase_share *phase)
{
	const char *from = seep_view_phase_from(view->run, phase);

	if (phase->outside)
		return from;
	return seep_arena_printf(view->arena, "%s -> %s", seep_safe_text(view->arena, from),
				 seep_safe_text(view->arena,
						seep_view_phase_to(view->run, phase)));
}

bool seep_view_is_accused_phase(const struct seep_phase_share *phase)
{
	return phase->accused && phase->share > 0;
}

const char *seep_view_site_phase(const struct seep_run *run, const struct seep_site *site)
{
	return name_of(run, site->after_stamp);
}

const char *seep_view_site_kind(const struct seep_site *site)
{
	switch ((enum seep_memory_kind)site->kind) {
	case SEEP_MEMORY_HEAP:
		return "heap";
	case SEEP_MEMORY_MMAP:
		return "mmap";
	case SEEP_MEMORY_STACK:
		return "thread stack";
	case SEEP_MEMORY_BRK:
		return "brk";
	}
	return "unknown";
}

const char *seep_view_release(const struct seep_site *site)
{
	switch ((enum seep_memory_kind)site->kind) {
	case SEEP_MEMORY_MMAP:
		return "unmapped";
	case SEEP_MEMORY_STACK:
		return "joined";
	case SEEP_MEMORY_BRK:
		return "given back";
	default:
		return "freed";
	}
}

bool seep_view_is_sampled(const struct seep_view *view, const struct seep_site *site)
{
	return view->run->sampling.mean_bytes && site->kind == SEEP_MEMORY_HEAP;
}

const char *seep_view_fate(const struct seep_view *view, const struct seep_site *site)
{
	double freed = (double)site->died_blocks / fmax(1, (double)site->born_blocks);
	const char *how = seep_view_release(site);

	if (view->run->n_dumps)
		return seep_arena_printf(view->arena, "in %zu of %zu dumps", site->n_levels,
					 view->run->n_dumps);
	if (!site->died_blocks && site->n_freed_by)
		return seep_arena_printf(view->arena, "%s only at the end", how);
	if (!site->died_blocks)
		return seep_arena_printf(view->arena, seep_view_is_sampled(view, site)
						      ? "none seen %s" : "never %s", how);
	if (site->died_blocks >= site->born_blocks)
		return seep_arena_printf(view->arena, "all %s", how);
	if (freed >= 0.995)
		return seep_arena_printf(view->arena, "all but %" PRIu64 " %s",
					 site->born_blocks - site->died_blocks, how);
	return seep_arena_printf(view->arena, "%s %s", seep_size_percent(freed).text, how);
}

const struct seep_frame *seep_view_own_frame(const struct seep_stack *stack)
{
	if (!stack->n_frames)
		return NULL;
	return &stack->frames[stack->own_frame < stack->n_frames ? stack->own_frame : 0];
}

const char *seep_view_place(const struct seep_view *view, const struct seep_frame *frame)
{
	const char *name;

	if (!frame || (!frame->file && !frame->module))
		return "";
	if (!frame->file)
		return seep_safe_text(view->arena, frame->module);
	name = seep_safe_text(view->arena, seep_base_name(frame->file));
	if (frame->line <= 0)
		return name;
	return seep_arena_printf(view->arena, "%s:%d", name, frame->line);
}

static bool is_python(const struct seep_frame *frame)
{
	return frame && frame->language && !strcmp(frame->language, "python");
}

const char *seep_view_site_name(const struct seep_view *view, const struct seep_frame *frame)
{
	const char *function = frame ? seep_safe_text(view->arena, frame->function) : "?";

	if (!is_python(frame) || !frame->file)
		return function;
	return seep_arena_printf(view->arena, "%s in %s", seep_view_place(view, frame), function);
}

const char *seep_view_site_place(const struct seep_view *view, const struct seep_frame *frame)
{
	return is_python(frame) ? "" : seep_view_place(view, frame);
}

/* Bins 0 and 1 hold one age each; within a wider bin, ages count as evenly spread. */
double seep_view_median_age(const uint64_t *ages)
{
	double total = 0, below = 0;

	for (size_t i = 0; i < SEEP_TRACE_AGE_BINS; i++)
		total += (double)ages[i];
	if (total <= 0)
		return -1;
	for (size_t i = 0; i < SEEP_TRACE_AGE_BINS; i++) {
		double n = (double)ages[i];

		if (n > 0 && below + n >= total / 2) {
			double low = i ? exp2((double)i - 1) : 0;
			double width = i ? low - 1 : 0;

			return nearbyint(low + width * (total / 2 - below) / n);
		}
		below += n;
	}
	return -1;
}

bool seep_view_is_accused(const struct seep_site_result *result)
{
	return seep_site_result_grows(result);
}

const char *seep_view_program(const struct seep_view *view)
{
	const struct seep_run *run = view->run;
	const char *path = run->exe && *run->exe ? run->exe : run->path;

	return seep_safe_text(view->arena, seep_base_name(path));
}

const char *seep_view_trace(const struct seep_view *view)
{
	const char *first = seep_safe_shell(view->arena,
					    seep_safe_text(view->arena, view->run->path));

	return view->run->n_files > 1 ? seep_arena_printf(view->arena, "%s ...", first) : first;
}

void seep_view_wrap(const struct seep_view *view, const char *label, const char *text)
{
	size_t indent = seep_safe_width(label);
	size_t room = view->style.width > indent + 20 ? view->style.width - indent : 20;
	size_t used = 0;

	text = seep_safe_text(view->arena, text);
	fputs(label, view->out);
	while (*text) {
		size_t bytes = strcspn(text, " ");
		const char *word = seep_arena_copy(view->arena, text, bytes);
		size_t columns = seep_safe_width(word);

		if (used && used + 1 + columns > room) {
			fprintf(view->out, "\n%*s", (int)indent, "");
			used = 0;
		}
		used += (size_t)fprintf(view->out, used ? " %s" : "%s", word);
		text += bytes;
		text += strspn(text, " ");
	}
	fputc('\n', view->out);
}
