/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/plot/plot.h"

#include "analyse/series/rate.h"
#include "render/safe.h"
#include "render/text/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SITES_MAX 6
#define SITES_UNLISTED 4         /* sites shown if the report lists none */
#define MATRIX_BINS 120
#define LIMIT_NEAR 2             /* times the memory; a higher limit would squash the curve */
#define SUBTITLE_MOST 400        /* characters; more would not fit anywhere */
#define RSS_RGB 0x0072b2
#define HEAP_RGB 0xd55e00

const char *const seep_plot_names[SEEP_PLOT_PANELS] = {
	[SEEP_PLOT_CURVE] = "curve",
	[SEEP_PLOT_DELTA] = "delta",
	[SEEP_PLOT_PHASES] = "phases",
	[SEEP_PLOT_SURVIVORS] = "survivors",
};

/* Whether blocks of the site that were born in an event are live. */
static bool has_survivors(const struct seep_site *site)
{
	const struct seep_cohorts *cohorts = &site->cohorts;

	for (size_t b = 0; b < cohorts->n_bins; b++)
		if (cohorts->live_bytes[b])
			return true;
	return false;
}

const size_t *seep_plot_pick(const struct seep_verdict *verdict, struct seep_arena *arena,
			     size_t *n)
{
	size_t n_listed, most = SITES_MAX;
	const size_t *listed = seep_text_pick(verdict, NULL, false, arena, &n_listed);
	size_t *picked = seep_arena_array(arena, SITES_MAX, sizeof(*picked));

	*n = 0;
	for (size_t i = 0; i < n_listed && *n < most; i++)
		if (has_survivors(verdict->sites[listed[i]].site))
			picked[(*n)++] = listed[i];
	if (*n)
		return picked;
	for (size_t i = 0; i < verdict->n_sites && *n < SITES_UNLISTED; i++)
		if (has_survivors(verdict->sites[i].site))
			picked[(*n)++] = i;
	return picked;
}

static void fill_deltas(struct seep_plot_curve *curve, struct seep_arena *arena)
{
	const struct seep_series *series = &curve->series;

	curve->deltas = seep_arena_array(arena, series->n, sizeof(double));
	for (size_t i = 0; i + 1 < series->n; i++)
		curve->deltas[i] = seep_series_step(series->values, i) /
				   (series->index[i + 1] - series->index[i]);
}

static void add_curve(struct seep_plot *plot, enum seep_series_kind kind, const char *name,
		      uint32_t rgb)
{
	struct seep_plot_curve *curve = &plot->curves[plot->n_curves];
	const struct seep_verdict *verdict = plot->view->verdict;
	struct seep_rate rate;

	*curve = (struct seep_plot_curve){ .name = name, .rgb = rgb };
	seep_series_build(&curve->series, plot->view->run, kind, plot->arena);
	if (curve->series.n < 2)
		return;
	seep_rate_estimate(&rate, &curve->series);
	curve->rate = rate.bytes_per_event;
	if (verdict->from_heap == (kind == SEEP_SERIES_HEAP)) {
		curve->rate = verdict->bytes_per_event;
		seep_line_fit(&curve->line, verdict, plot->view->run, &curve->series);
	}
	fill_deltas(curve, plot->arena);
	plot->n_curves++;
}

static const struct seep_plot_curve *find_curve(const struct seep_plot *plot,
						enum seep_series_kind kind)
{
	for (size_t i = 0; i < plot->n_curves; i++)
		if (plot->curves[i].series.kind == kind)
			return &plot->curves[i];
	return NULL;
}

static void find_limit(struct seep_plot *plot)
{
	const struct seep_oom *oom = &plot->view->verdict->oom;
	const struct seep_plot_curve *rss = find_curve(plot, SEEP_SERIES_RSS);
	struct seep_range range = SEEP_RANGE_EMPTY;

	if (!oom->known || !rss || !rss->series.has_closing)
		return;
	seep_range_add_all(&range, rss->series.values, rss->series.n);
	plot->limit = rss->series.closing + oom->room_bytes;
	plot->has_limit = plot->limit > 0 && plot->limit <= LIMIT_NEAR * range.high;
}

/* The phases of the series that the verdict is about. */
static void fill_matrix(struct seep_plot *plot)
{
	const struct seep_verdict *verdict = plot->view->verdict;
	const struct seep_plot_curve *curve =
		find_curve(plot, verdict->from_heap ? SEEP_SERIES_HEAP : SEEP_SERIES_RSS);

	if (curve)
		seep_phase_tabulate(&plot->matrix, plot->view->run, &curve->series,
				    verdict->warmup_events, MATRIX_BINS, plot->arena);
}

/* The headline of the report, as a text. */
static const char *write_title(const struct seep_plot *plot)
{
	struct seep_view view = *plot->view;
	const char *title = "";
	char *text = NULL;
	size_t n = 0;

	view.out = open_memstream(&text, &n);
	if (!view.out)
		return title;
	view.style.colour = false;
	seep_text_headline(&view);
	if (!fclose(view.out) && n)
		title = seep_arena_copy(plot->arena, text, n - 1);
	free(text);
	return title;
}

static const char *write_subtitle(const struct seep_plot *plot)
{
	const struct seep_run *run = plot->view->run;
	const char *text = "";

	for (char **word = run->command; word && *word && strlen(text) < SUBTITLE_MOST; word++)
		text = seep_arena_printf(plot->arena, "%s%s%s", text, *text ? " " : "", *word);
	if (!*text && run->path)
		text = run->path;
	return seep_safe_text(plot->arena, text);
}

static int refuse(const struct seep_plot *plot, enum seep_plot_panel only, struct seep_err *err)
{
	static const char *const lacks[] = {
		[SEEP_PLOT_CURVE] = "two events with memory values",
		[SEEP_PLOT_DELTA] = "two events with memory values",
		[SEEP_PLOT_PHASES] = "stamps that divide its events into phases",
		[SEEP_PLOT_SURVIVORS] = "call sites with blocks that outlived an event",
		[SEEP_PLOT_PANELS] = "two events with memory values, and call sites",
	};

	return seep_err_set(err, ENODATA, "'%.200s' has nothing to plot: it lacks %s",
			    plot->view->run->path ? plot->view->run->path : "", lacks[only]);
}

int seep_plot_build(struct seep_plot *plot, const struct seep_view *view,
		    enum seep_plot_panel only, struct seep_err *err)
{
	bool has[SEEP_PLOT_PANELS], any = false;

	*plot = (struct seep_plot){ .view = view, .arena = view->arena };
	plot->events = (struct seep_range){ 0, fmax((double)seep_run_marked(view->run), 1) };
	add_curve(plot, SEEP_SERIES_RSS, "RSS", RSS_RGB);
	add_curve(plot, SEEP_SERIES_HEAP, "live heap", HEAP_RGB);
	find_limit(plot);
	fill_matrix(plot);
	plot->sites = seep_plot_pick(view->verdict, plot->arena, &plot->n_sites);
	plot->title = write_title(plot);
	plot->subtitle = write_subtitle(plot);
	has[SEEP_PLOT_CURVE] = has[SEEP_PLOT_DELTA] = plot->n_curves;
	has[SEEP_PLOT_PHASES] = plot->matrix.n_phases > 1;
	has[SEEP_PLOT_SURVIVORS] = plot->n_sites;
	for (size_t i = 0; i < SEEP_PLOT_PANELS; i++) {
		plot->panels[i] = has[i] && (only == SEEP_PLOT_PANELS || only == i);
		any = any || plot->panels[i];
	}
	return any ? 0 : refuse(plot, only, err);
}
