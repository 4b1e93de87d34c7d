/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verdict in one line: its kind, the rate, the interval, the events it covers. */
#include "render/text/text.h"

#include "render/sizes.h"
#include "render/text/gauge_lines.h"

#include <inttypes.h>
#include <math.h>

static enum seep_style_ink ink_of(enum seep_kind kind)
{
	switch (kind) {
	case SEEP_KIND_LEAK:
	case SEEP_KIND_GROWTH:
	case SEEP_KIND_NON_HEAP:
	case SEEP_KIND_FRAGMENTATION:
		return SEEP_INK_BAD;
	case SEEP_KIND_FLAT:
	case SEEP_KIND_SAWTOOTH:
		return SEEP_INK_GOOD;
	default:
		return SEEP_INK_DOUBT;
	}
}

/* By the verdict memory does not grow, but something else does. */
static bool rises_beside(const struct seep_verdict *verdict)
{
	if (seep_verdict_kind_grows(verdict->kind) || verdict->kind == SEEP_KIND_UNDECIDED)
		return false;
	for (size_t i = 0; i < verdict->n_gauges; i++)
		if (verdict->gauges[i].rises)
			return true;
	return verdict->rss_rise.known;
}

static bool has_risen(const struct seep_verdict *verdict)
{
	return verdict->kind != SEEP_KIND_LEAK && verdict->kind != SEEP_KIND_GROWTH &&
	       verdict->kind != SEEP_KIND_NON_HEAP && verdict->rise_bytes > 0;
}

static void print_rate(const struct seep_view *view)
{
	const struct seep_estimate *rate = &view->verdict->bytes_per_event;
	struct seep_view_axis axis = seep_view_axis(view);
	struct seep_size_pair pair;

	pair = seep_size_interval(rate->value * axis.scale, rate->low * axis.scale,
				  rate->high * axis.scale);
	fprintf(view->out, "%s/%s  [%s]", pair.value, axis.per, pair.interval);
	if (!view->verdict->from_heap)
		fputs(" of RSS", view->out);
}

/* For a curve, the rate is the slope at its end, not a mean over the events. */
static void print_span(const struct seep_view *view)
{
	const struct seep_verdict *verdict = view->verdict;

	if (verdict->reason == SEEP_REASON_BATCH)
		fprintf(view->out, "  over %s",
			seep_view_events(view, (double)seep_run_marked(view->run)));
	else if (verdict->kind == SEEP_KIND_UNDECIDED && verdict->at_end && !has_risen(verdict) &&
	    verdict->since_event == verdict->warmup_events)
		fprintf(view->out, "  at the end of %s",
			seep_view_events(view, (double)seep_run_marked(view->run)));
	else
		fprintf(view->out, "  %s", seep_view_covered(view));
}

/*
 * The growth that the interval excludes; if it excludes any growth, the smallest one that would
 * have been seen.
 */
static void print_bound(const struct seep_view *view)
{
	const struct seep_verdict *verdict = view->verdict;
	struct seep_view_axis axis = seep_view_axis(view);
	double bound = verdict->bytes_per_event.known ? verdict->bytes_per_event.high : 0;
	bool beside = verdict->from_heap && rises_beside(verdict);

	if (!(bound > 0))
		bound = verdict->floor_bytes_per_event;
	if (bound * axis.scale < 0.005)
		fprintf(view->out, "no growth%s", beside ? " of the heap" : " at all");
	else
		fprintf(view->out, "no growth%s above %s/%s", beside ? " of the heap" : "",
			seep_size_format(bound * axis.scale).text, axis.per);
}

/* How many more events an undecided verdict needs. */
static void print_need(const struct seep_view *view)
{
	double more = ceil(view->verdict->events_needed - (double)seep_run_marked(view->run));

	if (view->verdict->kind != SEEP_KIND_UNDECIDED || !(view->verdict->events_needed > 0) ||
	    !(more > 0))
		return;
	if (seep_view_axis(view).time)
		fprintf(view->out, "; about %s more would settle it", seep_view_events(view, more));
	else
		fprintf(view->out, "; about %.0f more would settle it", more);
}

/* Memory that rose and has stopped rising, and who holds it. */
static void print_rise(const struct seep_view *view)
{
	const struct seep_verdict *verdict = view->verdict;

	fprintf(view->out, "rose by %s",
		seep_size_format(verdict->rise_bytes).text);
	if (verdict->kind == SEEP_KIND_RETENTION || verdict->kind == SEEP_KIND_FRAGMENTATION) {
		fputs(", freed but still held by the allocator", view->out);
		return;
	}
	if (!verdict->bytes_per_event.known)
		return;
	if (verdict->bytes_per_event.low > 0) {
		fputs(" so far; at the end ", view->out);
		print_rate(view);
		return;
	}
	fputs("; at the end ", view->out);
	print_bound(view);
}

/* ", but RSS rose by 49.0 MB: 4.08 MB/event free in the allocator; descriptors rise by ..." */
static void print_beside(const struct seep_view *view)
{
	const struct seep_rss_rise *rise = &view->verdict->rss_rise;
	struct seep_view_axis axis = seep_view_axis(view);
	const char *gauges = seep_gauge_lines_tell(view);

	if (rise->known)
		fprintf(view->out, ", but RSS rose by %s%s", seep_size_format(rise->bytes).text,
			has_risen(view->verdict) ? " more" : "");
	if (rise->known && rise->part)
		fprintf(view->out, ": %s/%s %s",
			seep_size_format(rise->part_per_event * axis.scale).text, axis.per,
			seep_rss_rise_place(rise->part));
	if (gauges)
		fprintf(view->out, "; %s", gauges);
}

/* A job that runs once has no rate: print how much the heap changed. */
static void print_change(const struct seep_view *view)
{
	const struct seep_series *series = view->verdict->basis.series;
	double change = series->values[series->n - 1] - series->values[0];

	fprintf(view->out, "no repeated work was seen; the heap %s by %s",
		change < 0 ? "shrank" : "grew", seep_size_format(fabs(change)).text);
}

void seep_text_headline(const struct seep_view *view)
{
	const struct seep_verdict *verdict = view->verdict;
	bool beside = rises_beside(verdict);
	enum seep_style_ink ink = beside ? SEEP_INK_DOUBT : ink_of(verdict->kind);

	fprintf(view->out, "%s%s%s  ", seep_style_on(&view->style, ink),
		seep_view_capitals(view, seep_verdict_kind_name(verdict->kind)),
		seep_style_off(&view->style, ink));
	if (verdict->kind == SEEP_KIND_FLAT || verdict->kind == SEEP_KIND_SAWTOOTH)
		print_bound(view);
	else if (verdict->reason == SEEP_REASON_BATCH)
		print_change(view);
	else if (has_risen(verdict))
		print_rise(view);
	else if (verdict->bytes_per_event.known)
		print_rate(view);
	else
		fputs("there is not enough data to decide", view->out);
	if (beside)
		print_beside(view);
	print_span(view);
	print_need(view);
	fputc('\n', view->out);
}
