/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all text pages share: the facts, the verdict, where to print, and the names of things. */
#ifndef SEEP_RENDER_VIEW_H
#define SEEP_RENDER_VIEW_H

#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"
#include "render/excerpt.h"
#include "render/style.h"

#include <stdbool.h>
#include <stdio.h>

struct seep_view {
	const struct seep_run *run;
	const struct seep_verdict *verdict;
	struct seep_arena *arena; /* for texts that live as long as the page */
	FILE *out;
	struct seep_style style;
	size_t n_recorded_notes; /* of run->notes; the rest is about missing names */
	const char *self;        /* the command to type for seep, quoted for the shell */
	int64_t start_index;     /* added to event indices in Opticks files */
	const bool *hidden;      /* sites that the user does not want to see; NULL: none */
	const char *hidden_by;   /* the options that say so */
	const struct seep_excerpt *excerpt; /* source around the site of the page, or NULL */
	const char *run_options; /* of seep run, each after a blank; "": none, NULL: unknown */
};

/*
 * Rates are per event.  If events are time slices, rates are per second, because the length of a
 * slice is seep's choice and means nothing to the user.
 */
struct seep_view_axis {
	const char *per;         /* "event" or "s" */
	const char *noun;        /* "event", or the length of a slice: "100 ms" */
	double scale;            /* factor from a rate per event to a rate in this unit */
	bool time;
};

struct seep_view_axis seep_view_axis(const struct seep_view *view);

/* "196 events", or as a time: "19.6 s". */
const char *seep_view_events(const struct seep_view *view, double n);

/* Which events the rate covers; see seep_unit_covered(). */
const char *seep_view_covered(const struct seep_view *view);

/* A moment: "event 60", or as a time since the start: "6.0 s". */
const char *seep_view_moment(const struct seep_view *view, int64_t event);

/* The name of a verdict kind in capitals. */
const char *seep_view_capitals(const struct seep_view *view, const char *name);

/* The ends of a phase: names of stamps, "event begin" or "event end". */
const char *seep_view_phase_from(const struct seep_run *run, const struct seep_phase_share *phase);
const char *seep_view_phase_to(const struct seep_run *run, const struct seep_phase_share *phase);

/* Whether it has, with others of its kind, surely half of a growth that was found. */
bool seep_view_is_accused_phase(const struct seep_phase_share *phase);

/* The stamp before a site's allocations, or NULL if there was none. */
const char *seep_view_phase(const struct seep_view *view, const struct seep_phase_share *phase);
const char *seep_view_site_phase(const struct seep_run *run, const struct seep_site *site);

/* "heap", "mmap", "thread stack" or "brk". */
const char *seep_view_site_kind(const struct seep_site *site);

/* What happens to a block of this site in the end: "freed", "unmapped", "joined". */
const char *seep_view_release(const struct seep_site *site);

/* Whether the figures of the site are estimates.  Only the heap is sampled. */
bool seep_view_is_sampled(const struct seep_view *view, const struct seep_site *site);

/* "never freed", "none seen freed" in a sample, or how many blocks were freed. */
const char *seep_view_fate(const struct seep_view *view, const struct seep_site *site);

/* NULL if the stack has no frames. */
const struct seep_frame *seep_view_own_frame(const struct seep_stack *stack);

/* "sframe.h:500"; the module if the file is unknown; "" if both are. */
const char *seep_view_place(const struct seep_view *view, const struct seep_frame *frame);

/*
 * A site in a list: "Tran::Invert" and "hits.cc:183", or "orders.py:41 in handle" and "".  frame
 * is its own frame, or NULL.
 */
const char *seep_view_site_name(const struct seep_view *view, const struct seep_frame *frame);
const char *seep_view_site_place(const struct seep_view *view, const struct seep_frame *frame);

/* The median age in events; -1 if there were no blocks. */
double seep_view_median_age(const uint64_t *ages);

/* True for a site that takes part in the growth. */
bool seep_view_is_accused(const struct seep_site_result *result);

/* Whether the user does not want to see the site with this index in the verdict. */
static inline bool seep_view_hides(const struct seep_view *view, size_t i)
{
	return view->hidden && view->hidden[i];
}

/* The file name of the program, or of the trace if the program is unknown. */
const char *seep_view_program(const struct seep_view *view);

/* The path of the trace as one shell word. */
const char *seep_view_trace(const struct seep_view *view);

/* Prints text after the label, broken into lines. */
void seep_view_wrap(const struct seep_view *view, const char *label, const char *text);

#endif
