/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/extras/panda.h"

#include "analyse/threshold/thresholds.h"

#include <math.h>
#include <string.h>

#define LONG_SERIES 100
#define POINTS_MIN 8
#define HEAD 5                   /* points that a short series loses */
#define TAIL 2
#define STEP 5
#define LEFT_STEP 10             /* ... and what a step of five at the left end makes of it */
#define KIB 1024

struct line {
	bool known;
	double slope, level;     /* y = level + slope * (x - origin) */
	double origin, chi2;
};

/* A series that does not move at all has no slope there, not the slope 0. */
static struct line fit(const double *x, const double *y, size_t n)
{
	struct line line = { .known = false };
	double squares = 0, products = 0, mean = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		line.origin += (x[i] - x[0]) / (double)n;
		mean += y[i] / (double)n;
	}
	line.origin += n ? x[0] : 0;
	line.level = mean;
	for (i = 0; i < n; i++) {
		squares += (x[i] - line.origin) * (x[i] - line.origin);
		products += (x[i] - line.origin) * (y[i] - mean);
	}
	line.known = squares > 0 && (products > 0 || products < 0);
	line.slope = line.known ? products / squares : 0;
	for (i = 0; i < n && line.known; i++) {
		double expected = mean + line.slope * (x[i] - line.origin);

		if (!(expected > 0) && !(expected < 0)) { /* it gives up on such a point */
			line.chi2 = 0;
			break;
		}
		line.chi2 += pow((y[i] - expected) / expected, 2);
	}
	return line;
}

/* How many steps are taken at one end until one does not help; 0 if all do, or none can. */
static size_t count_steps(const double *x, const double *y, size_t n, double chi2, bool left)
{
	size_t taken = 0;

	while (3 * (n - STEP * taken) > 2 * n) {
		struct line line;
		double last = chi2;

		taken++;
		line = fit(x + (left ? STEP * taken : 0), y + (left ? STEP * taken : 0),
			   n - STEP * taken);
		if (!line.known || !(last > 0))
			return 0;
		chi2 = line.chi2;
		if ((last - chi2) / last < PANDA_BETTER)
			return taken;
	}
	return 0;
}

/* The points that its last line goes through. */
static void choose(const double *x, const double *y, size_t n, size_t *first, size_t *end)
{
	struct line all;
	size_t right;

	*first = HEAD;
	*end = n > HEAD + TAIL ? n - TAIL : *first;
	if (n < LONG_SERIES)
		return;
	all = fit(x, y, n);
	right = count_steps(x, y, n, all.chi2, false);
	*first = LEFT_STEP * count_steps(x, y, n, all.chi2, true);
	*end = n - STEP * right - 1;
}

void seep_panda_fit_points(struct seep_panda *panda, const double *x, const double *y, size_t n)
{
	struct line line;
	size_t first, end;

	*panda = (struct seep_panda){
		.given = n, .slope_name = "leak", .chi2_name = "chi2",
		.intersect_name = "intersect", .unit = "kB/s",
	};
	choose(x, y, n, &first, &end);
	if (end < first + (n < LONG_SERIES ? POINTS_MIN : 1))
		return;
	line = fit(x + first, y + first, end - first);
	panda->known = line.known;
	panda->slope = line.slope;
	panda->chi2 = line.chi2;
	panda->intersect = line.level - line.slope * line.origin;
	panda->points = end - first;
}

static const struct seep_counter *find_gauge(const struct seep_run *run, const char *name)
{
	for (size_t i = 0; i < run->n_counters; i++)
		if (run->counters[i].gauge && !strcmp(run->counters[i].name, name))
			return &run->counters[i];
	return NULL;
}

/* Where the gauge was not given it is 0, which no process has. */
void seep_panda_fit(struct seep_panda *panda, const struct seep_run *run,
		    struct seep_arena *arena)
{
	const struct seep_counter *pss = find_gauge(run, "pss"), *swap = find_gauge(run, "swap");
	double *x, *y;
	size_t e, n = 0;

	memset(panda, 0, sizeof(*panda));
	if (!pss)
		return;
	x = seep_arena_array(arena, run->n_events, sizeof(double));
	y = seep_arena_array(arena, run->n_events, sizeof(double));
	for (e = 0; e < run->n_events; e++) {
		if (!(pss->values[e] > 0))
			continue;
		x[n] = 1e-9 * ((double)run->started_real_ns +
			       (double)run->stamps[run->events[e].first_stamp].t_ns);
		y[n++] = (pss->values[e] + (swap ? swap->values[e] : 0)) / KIB;
	}
	seep_panda_fit_points(panda, x, y, n);
	if (panda->known)
		panda->text = seep_arena_printf(arena, "%s=%.2f %s=%.2f (%s of 1024 B: the line "
						"through PSS and swap at %zu of %zu samples, as "
						"the pilot fits it)", panda->slope_name,
						panda->slope, panda->chi2_name, panda->chi2,
						panda->unit, panda->points, panda->given);
}
