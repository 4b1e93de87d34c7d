/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panels as text, drawn with characters.  No line is wider than the style allows. */
#include "render/plot/plot_panel.h"

#include "render/grid.h"
#include "render/plot/dots.h"
#include "render/safe.h"
#include "render/text/text.h"

#include <math.h>
#include <string.h>

#define LABEL 10                 /* columns beside an axis */
#define CURVE_ROWS 8
#define DELTA_ROWS 5
#define BAR 16                   /* columns */
#define PHASES_MOST 16
#define TICK_COLUMNS 12
#define HEAD_ROOM .04

/* A chart: its ranges and its dots. */
struct chart {
	const struct seep_plot *plot;
	struct seep_range x, y;
	struct seep_dots dots;
};

static size_t chart_columns(const struct seep_plot *plot)
{
	return plot->view->style.width - LABEL - 2;
}

static struct chart open_chart(const struct seep_plot *plot, struct seep_range y, size_t rows)
{
	struct chart chart = { .plot = plot, .x = plot->events, .y = y };

	seep_dots_init(&chart.dots, chart_columns(plot), rows, plot->view->style.utf8, plot->arena);
	return chart;
}

static double dot_x(const struct chart *chart, double event)
{
	return seep_scale_at(chart->x, 0, (double)chart->dots.wide - 1, event);
}

static double dot_y(const struct chart *chart, double bytes)
{
	return seep_scale_at(chart->y, 0, (double)chart->dots.high - 1, bytes);
}

static void draw_values(struct chart *chart, const double *x, const double *y, size_t n,
			bool joined)
{
	struct seep_scale_points points = seep_scale_thin(x, y, n, chart->x, chart->dots.wide,
						     chart->plot->arena);
	double before_x = 0, before_y = 0;

	for (size_t i = 0; i < points.n; i++) {
		double at = dot_x(chart, points.x[i]), to = dot_y(chart, points.y[i]);

		seep_dots_set(&chart->dots, at, to);
		if (i && (joined || points.n > chart->dots.wide))
			seep_dots_line(&chart->dots, before_x, before_y, at, to);
		before_x = at;
		before_y = to;
	}
}

static void guide(struct chart *chart, double x0, double y0, double x1, double y1)
{
	seep_dots_guide_line(&chart->dots, dot_x(chart, x0), dot_y(chart, y0), dot_x(chart, x1),
			     dot_y(chart, y1));
}

/* The name of a panel, cut to the width. */
static void print_head(const struct seep_plot *plot, const char *text)
{
	fprintf(plot->view->out, "\n%s\n",
		seep_safe_shorten(plot->arena, text, plot->view->style.width));
}

/* A line of blanks into which labels are written where there is room. */
struct ruler {
	char text[512];
	size_t columns, end;     /* end: after the last label */
};

static void put_label(struct ruler *ruler, double place, const char *label)
{
	size_t n = strlen(label), at;

	if (n >= ruler->columns)
		return;
	place = fmin(fmax(nearbyint(place - (double)n / 2), 0), (double)(ruler->columns - n));
	at = (size_t)place;
	if (ruler->end && at < ruler->end + 2)
		return;
	memcpy(ruler->text + at, label, n);
	ruler->end = at + n;
}

static void put_times(struct ruler *ruler, const struct chart *chart)
{
	const struct seep_plot *plot = chart->plot;
	const struct seep_series *series = &plot->curves[0].series;
	struct seep_range range = { series->seconds[0], series->seconds[series->n - 1] };
	struct seep_scale_time unit = seep_scale_time_for(range.high);
	struct seep_ticks ticks;

	range.low /= unit.seconds;
	range.high /= unit.seconds;
	ticks = seep_ticks_find(range, ruler->columns / TICK_COLUMNS, 0);
	for (size_t i = 0; i < ticks.n; i++) {
		double value = seep_ticks_at(&ticks, i);
		double event = seep_plot_event_at(plot, value * unit.seconds);

		if (isnan(event))
			continue;
		put_label(ruler, dot_x(chart, event) * (double)chart->dots.columns /
			  (double)chart->dots.wide,
			  seep_arena_printf(plot->arena, "%s %s",
					    seep_ticks_number(&ticks, value).text, unit.name));
	}
}

static void put_events(struct ruler *ruler, const struct chart *chart)
{
	struct seep_ticks ticks = seep_ticks_find(chart->x, ruler->columns / TICK_COLUMNS, 1);

	for (size_t i = 0; i < ticks.n; i++) {
		double value = seep_ticks_at(&ticks, i);

		put_label(ruler, dot_x(chart, value) * (double)chart->dots.columns /
			  (double)chart->dots.wide, seep_ticks_number(&ticks, value).text);
	}
}

static void print_axis(const struct chart *chart)
{
	const struct seep_plot *plot = chart->plot;
	bool time = plot->n_curves && seep_view_axis(plot->view).time;
	struct ruler ruler = { .columns = chart->dots.columns };
	FILE *out = plot->view->out;

	memset(ruler.text, ' ', sizeof(ruler.text) - 1);
	fprintf(out, "%*s %s", LABEL, "", plot->view->style.utf8 ? "\u2514" : "+");
	for (size_t i = 0; i < chart->dots.columns; i++)
		fputs(plot->view->style.utf8 ? "\u2500" : "-", out);
	if (time)
		put_times(&ruler, chart);
	else
		put_events(&ruler, chart);
	ruler.text[ruler.end] = 0;
	fprintf(out, "\n%*s  %s\n", LABEL, time ? "time" : "event", ruler.text);
}

/* The row of the chart that holds a value. */
static size_t row_of(const struct chart *chart, double bytes)
{
	double per_row = (double)chart->dots.high / (double)chart->dots.rows;
	double row = floor(((double)chart->dots.high - 1 - nearbyint(dot_y(chart, bytes))) /
			   per_row);

	return (size_t)fmin(fmax(row, 0), (double)chart->dots.rows - 1);
}

static void print_chart(const struct chart *chart)
{
	struct seep_ticks ticks = seep_ticks_find(chart->y, chart->dots.rows / 2, 0);
	FILE *out = chart->plot->view->out;
	bool utf8 = chart->plot->view->style.utf8;

	for (size_t row = 0; row < chart->dots.rows; row++) {
		const char *label = "";

		for (size_t i = 0; i < ticks.n; i++)
			if (row_of(chart, seep_ticks_at(&ticks, i)) == row)
				label = seep_arena_printf(chart->plot->arena, "%s",
							  seep_ticks_bytes(&ticks, i).text);
		fprintf(out, "%*s %s%s\n", LABEL, label,
			*label ? (utf8 ? "\u2524" : "+") : (utf8 ? "\u2502" : "|"),
			seep_dots_row(&chart->dots, row));
	}
	print_axis(chart);
}

static void print_curve(const struct seep_plot *plot, const struct seep_plot_curve *curve)
{
	const struct seep_line *line = &curve->line;
	struct seep_range y = SEEP_RANGE_EMPTY;
	struct chart chart;
	double span;

	seep_range_add_all(&y, curve->series.values, curve->series.n);
	y = seep_range_widen(y, 0);
	span = y.high - y.low;
	y = (struct seep_range){ y.low - HEAD_ROOM * span, y.high + HEAD_ROOM * span };
	chart = open_chart(plot, y, CURVE_ROWS);
	draw_values(&chart, curve->series.index, curve->series.values, curve->series.n, true);
	if (line->known)
		guide(&chart, line->first, seep_line_at(line, line->rate, line->first), line->last,
		      seep_line_at(line, line->rate, line->last));
	print_head(plot, seep_arena_printf(plot->arena, "%s at the start of each %s%s%s",
					   curve->name, seep_view_axis(plot->view).noun,
					   line->known ? "; fit " : "",
					   line->known ? seep_plot_rate(plot, &curve->rate) : ""));
	print_chart(&chart);
}

static void print_clipped(const struct seep_plot *plot, const struct seep_plot_curve *curve,
			  struct seep_range range, bool above)
{
	struct seep_plot_clipped clipped = seep_plot_clipped(curve, range, above);

	if (clipped.n)
		fprintf(plot->view->out, "%*s  %zu %s, the farthest is %s %s %s\n", LABEL, "",
			clipped.n, above ? "above" : "below", seep_size_format(clipped.most).text,
			seep_view_axis(plot->view).time ? "at" : "in",
			seep_view_moment(plot->view, (int64_t)clipped.event));
}

static void print_delta(const struct seep_plot *plot, size_t which)
{
	const struct seep_plot_curve *curve = &plot->curves[which];
	struct seep_range fits = seep_range_widen(seep_plot_delta_range(plot, which), 0);
	double span = fits.high - fits.low;
	struct seep_range y = { fits.low - HEAD_ROOM * span, fits.high + HEAD_ROOM * span };
	struct chart chart = open_chart(plot, y, DELTA_ROWS);

	draw_values(&chart, curve->series.index, curve->deltas, curve->series.n - 1, false);
	if (curve->rate.known)
		guide(&chart, chart.x.low, curve->rate.value, chart.x.high, curve->rate.value);
	print_head(plot, seep_arena_printf(plot->arena, "%s that each %s adds: %s", curve->name,
					   seep_view_axis(plot->view).noun,
					   seep_plot_rate(plot, &curve->rate)));
	print_clipped(plot, curve, fits, true);
	print_chart(&chart);
	print_clipped(plot, curve, fits, false);
}

/* "######" is memory kept, "------" is memory given back. */
static const char *draw_bar(const struct seep_plot *plot, double bytes, double most)
{
	static const char keeps[BAR + 1] = "################";
	static const char gives[BAR + 1] = "----------------";
	double length = most > 0 ? ceil(fabs(bytes) / most * BAR) : 0;

	if (!(length >= 0 && length <= BAR))
		return "";
	return seep_arena_printf(plot->arena, "%.*s", (int)length, bytes < 0 ? gives : keeps);
}

static void print_phases(const struct seep_plot *plot)
{
	struct seep_view_axis axis = seep_view_axis(plot->view);
	bool grows = seep_verdict_kind_grows(plot->view->verdict->kind);
	size_t picked[PHASES_MOST], n = seep_plot_phases_pick(plot, PHASES_MOST, picked);
	struct seep_grid grid;
	double most = 0;

	seep_grid_init(&grid, plot->arena, 4);
	grid.columns[0].least = 12;
	grid.columns[1].right = grid.columns[2].right = true;
	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(plot->matrix.means[picked[i]]));
	for (size_t i = 0; i < n; i++) {
		double mean = plot->matrix.means[picked[i]];
		double share = seep_plot_phase_share(plot, picked[i]);
		const char **row = seep_grid_add(&grid);

		row[0] = seep_plot_phase_name(plot, picked[i]);
		row[1] = seep_arena_printf(plot->arena, "%s/%s",
					   seep_size_format(mean * axis.scale).text, axis.per);
		if (grows && seep_scale_is_sane(share))
			row[2] = seep_arena_printf(plot->arena, "%s",
						   seep_size_percent(share).text);
		row[3] = draw_bar(plot, mean, most);
	}
	print_head(plot, seep_arena_printf(plot->arena, "%s added in each phase, on average%s",
					   plot->view->verdict->from_heap ? "live heap" : "RSS",
					   grows ? "; share of the growth" : ""));
	seep_grid_print(&grid, plot->view->out, "  ", plot->view->style.width);
}

/* A row of bars: the height is the number of live bytes of the events there. */
static const char *draw_survivors(const struct seep_plot *plot, size_t i, double most)
{
	static const char *const bars[] = { " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585",
					    "\u2586", "\u2587", "\u2588" };
	static const char *const plain[] = { " ", ".", ".", ":", ":", "+", "+", "#", "#" };
	const struct seep_site *site = plot->view->verdict->sites[plot->sites[i]].site;
	size_t columns = chart_columns(plot), n = 0, end = 0;
	char *text = seep_arena_alloc(plot->arena, 3 * columns + 1);

	for (size_t column = 0; column < columns; column++) {
		double from = plot->events.high * (double)column / (double)columns;
		double to = plot->events.high * ((double)column + 1) / (double)columns;
		const char *letter;
		double bytes = 0;
		size_t level;

		for (size_t b = 0; b < site->cohorts.n_bins; b++) {
			struct seep_plot_bin bin = seep_plot_survivors_bin(plot, i, b);

			if (bin.from < to && bin.to > from)
				bytes = fmax(bytes, bin.bytes);
		}
		level = (size_t)ceil(fmin(bytes / most, 1) * 8);
		letter = plot->view->style.utf8 ? bars[level] : plain[level];
		memcpy(text + n, letter, strlen(letter));
		n += strlen(letter);
		end = level ? n : end;
	}
	text[end] = 0;
	return text;
}

static void print_survivors(const struct seep_plot *plot)
{
	const char *noun = seep_view_axis(plot->view).noun;
	struct chart axis = open_chart(plot, SEEP_RANGE_EMPTY, 1);
	FILE *out = plot->view->out;

	print_head(plot, seep_arena_printf(plot->arena, "live bytes by %s of allocation", noun));
	for (size_t i = 0; i < plot->n_sites; i++) {
		const char *fate = seep_plot_site_fate(plot, i);
		size_t room = plot->view->style.width - LABEL - 2;
		const char *name = seep_plot_site_name(plot, i);
		double most = seep_plot_survivors_most(plot, i);

		name = seep_safe_shorten(plot->arena, seep_arena_printf(plot->arena, "%s  %s", name,
									fate), room);
		fprintf(out, "%*s  %s\n", LABEL, "", name);
		fprintf(out, "%*s %s%s\n", LABEL, seep_size_format(most).text,
			plot->view->style.utf8 ? "\u2524" : "+", draw_survivors(plot, i, most));
	}
	print_axis(&axis);
}

/* Prints the title in as many lines as it needs. */
static void print_title(const struct seep_plot *plot)
{
	size_t width = plot->view->style.width;
	const char *text = plot->title;

	if (seep_safe_width(text) <= width) {
		seep_text_headline(plot->view);
		text = "";
	}
	while (*text) {
		size_t n = strlen(text);

		while (n > width) {
			const char *blank = memrchr(text, ' ', n);

			if (!blank)
				break;
			n = (size_t)(blank - text);
		}
		fprintf(plot->view->out, "%.*s\n", (int)n, text);
		text += n;
		text += strspn(text, " ");
	}
	if (*plot->subtitle)
		fprintf(plot->view->out, "%s\n",
			seep_safe_shorten(plot->arena, plot->subtitle, width));
}

void seep_plot_print(const struct seep_plot *plot)
{
	print_title(plot);
	for (size_t c = 0; c < plot->n_curves && plot->panels[SEEP_PLOT_CURVE]; c++)
		print_curve(plot, &plot->curves[c]);
	for (size_t c = 0; c < plot->n_curves && plot->panels[SEEP_PLOT_DELTA]; c++)
		print_delta(plot, c);
	if (plot->panels[SEEP_PLOT_PHASES])
		print_phases(plot);
	if (plot->panels[SEEP_PLOT_SURVIVORS])
		print_survivors(plot);
}
