/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/line.h"

#include "analyse/series/shape.h"
#include "analyse/threshold/thresholds.h"

#include <math.h>

/* The rates of these kinds cover the whole run, whatever shape the total has. */
static bool is_of_all(enum seep_kind kind)
{
	return kind == SEEP_KIND_FLAT || kind == SEEP_KIND_SAWTOOTH;
}

/* The event from which the series has its final rate. */
static double find_start(const struct seep_verdict *verdict, const double *y, const double *x,
			 size_t n, double quantum)
{
	struct seep_shape_fit fit;
	double end = x[n - 1] - LINE_END_PART * (x[n - 1] - x[0]);

	if (is_of_all(verdict->kind))
		return x[0];
	seep_shape_choose(&fit, y, x, n, quantum);
	if (!fit.known)
		return verdict->rise_bytes > 0 ? end : x[0];
	switch (fit.shape) {
	case SEEP_SHAPE_STEP:
	case SEEP_SHAPE_STEP_LINE:
	case SEEP_SHAPE_KINK:
		return fmin(fmax(fit.at, x[0]), x[n > 2 ? n - 3 : 0]);
	case SEEP_SHAPE_CURVE:
	case SEEP_SHAPE_BEND:
		return verdict->kind == SEEP_KIND_LEAK ? x[0] : end;
	default:
		return x[0];
	}
}

/* How many values precede the clean-up. */
static size_t count_values(const struct seep_run *run, const struct seep_series *series)
{
	size_t n = series->n;

	while (run->cleaned_up && n > 2 && series->index[n - 1] > (double)run->snapshot_event)
		n--;
	return n;
}

void seep_line_fit(struct seep_line *line, const struct seep_verdict *verdict,
		   const struct seep_run *run, const struct seep_series *series)
{
	size_t i = 0, n = count_values(run, series);

	*line = (struct seep_line){ 0 };
	while (i < n && series->index[i] < (double)verdict->warmup_events)
		i++;
	if (!verdict->bytes_per_event.known || n - i < 2)
		return;
	line->first = find_start(verdict, series->values + i, series->index + i, n - i,
				 series->quantum);
	while (i + 2 < n && series->index[i] < line->first)
		i++;
	line->known = true;
	line->first = series->index[i];
	line->last = series->index[n - 1];
	line->rate = verdict->bytes_per_event.value;
	line->low = verdict->bytes_per_event.low;
	line->high = verdict->bytes_per_event.high;
	for (size_t k = i; k < n; k++) {
		line->middle += series->index[k] / (double)(n - i);
		line->level += series->values[k] / (double)(n - i);
	}
}
