/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and names that a panel shows in pictures and in text. */
#include "render/plot/plot_panel.h"

#include "render/safe.h"
#include "render/sizes.h"

#include <math.h>

#define APART 2.5                /* times the larger range: a common box would be too high */
#define SQUASHED 8               /* times its own range: the judged curve would look flat */

double seep_plot_event_at(const struct seep_plot *plot, double seconds)
{
	const struct seep_series *series = &plot->curves[0].series;
	size_t low = 0, high = series->n;
	double before, after;

	if (!plot->n_curves || seconds < series->seconds[0] ||
	    seconds > series->seconds[series->n - 1])
		return NAN;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (series->seconds[middle] <= seconds)
			low = middle;
		else
			high = middle;
	}
	if (high == series->n)
		return series->index[low];
	before = series->seconds[low];
	after = series->seconds[high];
	return series->index[low] + (after > before ? (seconds - before) / (after - before) : 0) *
	       (series->index[high] - series->index[low]);
}

const char *seep_plot_rate(const struct seep_plot *plot, const struct seep_estimate *rate)
{
	struct seep_view_axis axis = seep_view_axis(plot->view);
	struct seep_size_pair pair;

	if (!rate->known)
		return "too few events for a rate";
	pair = seep_size_interval(rate->value * axis.scale, rate->low * axis.scale,
				  rate->high * axis.scale);
	return seep_arena_printf(plot->arena, "%s/%s  [%s]", pair.value, axis.per, pair.interval);
}

const char *seep_plot_limit(const struct seep_plot *plot)
{
	const struct seep_oom *oom = &plot->view->verdict->oom;

	return seep_arena_printf(plot->arena, "limit %s (%s)",
				 seep_size_format((double)oom->limit_bytes).text,
				 oom->limit_source ? seep_safe_text(plot->arena, oom->limit_source)
						   : "unknown");
}

const char *seep_plot_phase_name(const struct seep_plot *plot, size_t phase)
{
	const struct seep_run *run = plot->view->run;
	const struct seep_phase_share *ends = &plot->matrix.phases[phase];

	return seep_arena_printf(plot->arena, "%s -> %s",
				 seep_safe_text(plot->arena, seep_view_phase_from(run, ends)),
				 seep_safe_text(plot->arena, seep_view_phase_to(run, ends)));
}

const char *seep_plot_site_name(const struct seep_plot *plot, size_t i)
{
	const struct seep_site *site = plot->view->verdict->sites[plot->sites[i]].site;
	const struct seep_frame *frame = seep_view_own_frame(&site->stack);

	return seep_arena_printf(plot->arena, "%zu  %s  %s", plot->sites[i] + 1,
				 frame ? seep_safe_text(plot->arena, frame->function) : "?",
				 seep_view_place(plot->view, frame));
}

const char *seep_plot_site_fate(const struct seep_plot *plot, size_t i)
{
	const struct seep_site_result *result = &plot->view->verdict->sites[plot->sites[i]];

	return seep_arena_printf(plot->arena, "%s live, %s",
				 seep_size_format((double)result->live_bytes).text,
				 seep_view_fate(plot->view, result->site));
}

double seep_plot_phase_share(const struct seep_plot *plot, size_t phase)
{
	const struct seep_verdict *verdict = plot->view->verdict;
	const struct seep_phase_share *found = seep_phase_find(
		verdict->phases, verdict->n_phases, &plot->matrix.phases[phase]);

	return found ? found->share : NAN;
}

/* The mean of the phase; if that is 0, the size of its fluctuations. */
static double weigh_phase(const struct seep_plot *plot, size_t phase)
{
	const double *row = plot->matrix.bytes + phase * plot->matrix.n_bins;
	double gross = 0;

	for (size_t b = 0; b < plot->matrix.n_bins; b++)
		if (seep_scale_is_sane(row[b]))
			gross = fmax(gross, fabs(row[b]));
	return fabs(plot->matrix.means[phase]) + gross * 1e-6;
}

size_t seep_plot_phases_pick(const struct seep_plot *plot, size_t most, size_t *picked)
{
	size_t n = plot->matrix.n_phases, taken = 0;
	double *weights = seep_arena_array(plot->arena, n, sizeof(*weights));
	bool *chosen = seep_arena_array(plot->arena, n, sizeof(*chosen));

	for (size_t k = 0; k < n; k++) {
		double weight = weigh_phase(plot, k);

		weights[k] = seep_scale_is_sane(weight) ? weight : 0;
	}
	for (size_t i = 0; i < most && i < n; i++) {
		size_t heaviest = n;

		for (size_t k = 0; k < n; k++)
			if (!chosen[k] && (heaviest == n || weights[k] > weights[heaviest]))
				heaviest = k;
		chosen[heaviest] = true;
	}
	for (size_t k = 0; k < n; k++)
		if (chosen[k])
			picked[taken++] = k;
	return taken;
}

struct seep_plot_bin seep_plot_survivors_bin(const struct seep_plot *plot, size_t i, size_t bin)
{
	const struct seep_cohorts *cohorts =
		&plot->view->verdict->sites[plot->sites[i]].site->cohorts;
	double width = fmax((double)cohorts->events_per_bin, 1);
	struct seep_plot_bin result;

	result.from = (double)cohorts->first_event + (double)bin * width;
	result.to = fmin(result.from + width, plot->events.high);
	result.from = fmax(result.from, 0);
	result.bytes = 0;
	if (result.to > result.from)
		result.bytes = (double)cohorts->live_bytes[bin] / (result.to - result.from);
	return result;
}

double seep_plot_survivors_most(const struct seep_plot *plot, size_t i)
{
	const struct seep_site *site = plot->view->verdict->sites[plot->sites[i]].site;
	double most = 0;

	for (size_t b = 0; b < site->cohorts.n_bins; b++)
		most = fmax(most, seep_plot_survivors_bin(plot, i, b).bytes);
	return most > 0 ? most : 1;
}

struct seep_range seep_plot_delta_range(const struct seep_plot *plot, size_t curve)
{
	const struct seep_plot_curve *it = &plot->curves[curve];
	double warmup = (double)plot->view->verdict->warmup_events;
	size_t n = it->series.n - 1, first = 0;
	struct seep_range range;

	while (first < n && it->series.index[first] < warmup)
		first++;
	if (first == n)
		first = 0;
	range = seep_range_clip(it->deltas + first, n - first, plot->arena);
	if (it->rate.known)
		seep_range_add(&range, it->rate.value);
	seep_range_add(&range, 0);
	return range;
}

static double width_of(struct seep_range range)
{
	return fmax(range.high - range.low, 0);
}

bool seep_plot_are_apart(const struct seep_plot *plot, const struct seep_range *ranges)
{
	size_t judged = plot->view->verdict->from_heap ? 1 : 0;
	struct seep_range both = ranges[0];

	if (plot->n_curves < 2)
		return false;
	seep_range_add(&both, ranges[1].low);
	seep_range_add(&both, ranges[1].high);
	return width_of(both) > APART * fmax(width_of(ranges[0]), width_of(ranges[1])) ||
	       width_of(both) > SQUASHED * width_of(ranges[judged]);
}

struct seep_plot_clipped seep_plot_clipped(const struct seep_plot_curve *curve,
					   struct seep_range range, bool above)
{
	struct seep_plot_clipped clipped = { 0 };

	for (size_t i = 0; i + 1 < curve->series.n; i++) {
		double bytes = curve->deltas[i];

		if (above ? !(bytes > range.high) : !(bytes < range.low))
			continue;
		if (!clipped.n++ || fabs(bytes) > fabs(clipped.most)) {
			clipped.most = bytes;
			clipped.event = curve->series.index[i];
		}
	}
	return clipped;
}
