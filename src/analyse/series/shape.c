/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A shape is a set of columns with a parameter or none: where it steps or bends, or
 * how fast it levels off.  The parameter is looked for on a grid; the slope at the
 * end is averaged over the grid by likelihood, since its best value is not known
 * either.
 */
#include "analyse/series/shape.h"

#include "analyse/series/glsmix.h"
#include "analyse/threshold/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define ROWS 240                 /* longer series are averaged first */
#define PLACES 24                /* of steps and kinks that are tried */
#define JUMPS 6                  /* and the largest jumps */
#define TAUS 18
#define EARLY 6                  /* kinks in the first tenth, as where a program has been set up */
#define HALVINGS 5               /* of the way from the best value to its neighbours */
#define GRID_MAX (PLACES + EARLY + 2 * HALVINGS)
#define NOISE_PARAMETERS 2

struct table {
	size_t n;
	double y[ROWS], x[ROWS], low[ROWS], high[ROWS]; /* means, and the events they are of */
	size_t events[ROWS];
	double first[ROWS], second[ROWS];
	double quantum, start, end;
	double jumps[JUMPS];     /* where the largest ones are */
	size_t n_jumps;
};

/* One shape with the values of its parameter. */
struct grid {
	enum seep_shape shape;
	size_t n;
	double at[GRID_MAX], log_ml[GRID_MAX];
	size_t best;
};

static void read_table(struct table *t, const double *y, const double *x, size_t n, double quantum)
{
	size_t r, i;

	t->n = n < ROWS ? n : ROWS;
	for (r = 0; r < t->n; r++) {
		size_t start = r * n / t->n, end = (r + 1) * n / t->n;

		t->y[r] = t->x[r] = 0;
		t->low[r] = x[start];
		t->high[r] = x[end - 1];
		t->events[r] = end - start;
		for (i = start; i < end; i++) {
			t->y[r] += (y[i] - y[0]) / (double)(end - start);
			t->x[r] += x[i] / (double)(end - start);
		}
	}
	t->quantum = quantum;
	t->start = t->x[0];
	t->end = t->x[t->n - 1];
}

/* The largest jumps, between which events they are. */
static void find_jumps(struct table *t, const double *y, const double *x, size_t n)
{
	double sizes[JUMPS] = { 0 };
	size_t i, k;

	t->n_jumps = 0;
	for (i = 1; i + 2 < n; i++) {
		double size = fabs(y[i + 1] - y[i]);

		if (t->n_jumps == JUMPS && size <= sizes[JUMPS - 1])
			continue;
		t->n_jumps += t->n_jumps < JUMPS;
		for (k = t->n_jumps - 1; k > 0 && sizes[k - 1] < size; k--) {
			sizes[k] = sizes[k - 1];
			t->jumps[k] = t->jumps[k - 1];
		}
		sizes[k] = size;
		t->jumps[k] = (x[i] + x[i + 1]) / 2;
	}
}

/* The part of a row's events that come behind a place; they are equally far apart. */
static double part_behind(const struct table *t, size_t row, double at)
{
	double span = t->high[row] - t->low[row], n = (double)t->events[row];

	if (t->low[row] >= at)
		return 1;
	if (t->high[row] < at)
		return 0;
	return (floor((t->high[row] - at) / span * (n - 1)) + 1) / n;
}

static double slope_behind(double x, double at)
{
	return x > at ? x - at : 0;
}

/* The columns besides the constant; the last one is the slope at the end, if there is one. */
static size_t make_columns(struct table *t, enum seep_shape shape, double at)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		double x = t->x[i] - t->start;

		switch (shape) {
		case SEEP_SHAPE_FLAT:
			break;
		case SEEP_SHAPE_LINE:
			t->first[i] = x;
			break;
		case SEEP_SHAPE_STEP:
		case SEEP_SHAPE_STEP_LINE:
			t->first[i] = part_behind(t, i, at);
			t->second[i] = x;
			break;
		case SEEP_SHAPE_CURVE:
		case SEEP_SHAPE_BEND:
			t->first[i] = -expm1(-x / at);
			t->second[i] = x;
			break;
		case SEEP_SHAPE_KINK:
		case SEEP_SHAPES:
			t->first[i] = t->x[i] - slope_behind(t->x[i], at);
			t->second[i] = slope_behind(t->x[i], at);
			break;
		}
	}
	switch (shape) {
	case SEEP_SHAPE_FLAT:
		return 0;
	case SEEP_SHAPE_LINE:
	case SEEP_SHAPE_STEP:
	case SEEP_SHAPE_CURVE:
		return 1;
	default:
		return 2;
	}
}

static struct seep_glsmix_data describe(const struct table *t, size_t columns, size_t column)
{
	return (struct seep_glsmix_data){
		.y = t->y, .x = { NULL, t->first, t->second }, .n = t->n, .p = 1 + columns,
		.column = column, .quantum = t->quantum,
	};
}

static bool has_place(enum seep_shape shape)
{
	return shape == SEEP_SHAPE_STEP || shape == SEEP_SHAPE_STEP_LINE ||
	       shape == SEEP_SHAPE_KINK;
}

static bool has_tau(enum seep_shape shape)
{
	return shape == SEEP_SHAPE_CURVE || shape == SEEP_SHAPE_BEND;
}

static void fill_grid(struct grid *grid, const struct table *t, enum seep_shape shape)
{
	double span = t->end - t->start;
	size_t i;

	*grid = (struct grid){ .shape = shape, .n = 1 };
	if (has_tau(shape)) {
		grid->n = TAUS;
		for (i = 0; i < TAUS; i++)
			grid->at[i] = span * SHAPE_TAU_LEAST *
				      pow(SHAPE_TAU_MOST / SHAPE_TAU_LEAST, (double)i / (TAUS - 1));
	} else if (shape == SEEP_SHAPE_KINK) {
		grid->n = EARLY + PLACES;
		for (i = 0; i < EARLY; i++)
			grid->at[i] = t->start + span * .1 * ((double)i + .5) / EARLY;
		for (i = 0; i < PLACES; i++)
			grid->at[EARLY + i] = t->start + span * (.1 + .75 * ((double)i + .5) /
								 PLACES);
	} else if (has_place(shape)) {
		grid->n = t->n_jumps;
		memcpy(grid->at, t->jumps, grid->n * sizeof(*grid->at));
		for (i = 0; i < PLACES; i++)
			grid->at[grid->n++] = t->start + span * (.03 + .94 * ((double)i + .5) /
								 PLACES);
	}
}

static void weigh(struct grid *grid, struct table *t, size_t i)
{
	size_t columns = make_columns(t, grid->shape, grid->at[i]);
	struct seep_glsmix_data data = describe(t, columns, columns);

	grid->log_ml[i] = seep_glsmix_likelihood(&data);
	if (grid->log_ml[i] > grid->log_ml[grid->best])
		grid->best = i;
}

/*
 * A steep rise that is taken to end a few events off leaves more behind than any noise:
 * another shape would seem to fit better, and the slope at the end be unknown.
 */
static void look_closer(struct grid *grid, struct table *t)
{
	double step = (t->end - t->start) * .75 / PLACES / 2;
	double ratio = pow(SHAPE_TAU_MOST / SHAPE_TAU_LEAST, .5 / (TAUS - 1));
	size_t k;

	for (k = 0; k < HALVINGS; k++, step /= 2, ratio = sqrt(ratio)) {
		double at = grid->at[grid->best];
		bool tau = has_tau(grid->shape);

		grid->at[grid->n] = tau ? at / ratio : fmax(at - step, t->start);
		weigh(grid, t, grid->n++);
		grid->at[grid->n] = tau ? at * ratio : at + step;
		weigh(grid, t, grid->n++);
	}
}

static void search(struct grid *grid, struct table *t)
{
	size_t i;

	for (i = 0; i < grid->n; i++)
		weigh(grid, t, i);
	if (grid->shape == SEEP_SHAPE_KINK || has_tau(grid->shape))
		look_closer(grid, t);
}

/* Coefficients, two of the noise, and the parameter; a place may be anywhere and counts twice. */
static double penalise(const struct grid *grid, const struct table *t)
{
	static const double coefficients[SEEP_SHAPES] = {
		[SEEP_SHAPE_FLAT] = 1, [SEEP_SHAPE_LINE] = 2, [SEEP_SHAPE_STEP] = 2,
		[SEEP_SHAPE_STEP_LINE] = 3, [SEEP_SHAPE_CURVE] = 2, [SEEP_SHAPE_BEND] = 3,
		[SEEP_SHAPE_KINK] = 3,
	};
	double p = coefficients[grid->shape] + NOISE_PARAMETERS + (grid->n > 1) +
		   has_place(grid->shape);

	return -2 * grid->log_ml[grid->best] + p * log((double)t->n);
}

/* A mixture of normal distributions, one for each value of the parameter. */
struct mixture {
	size_t n;
	double weight[GRID_MAX], mean[GRID_MAX], se[GRID_MAX];
};

static double mixture_below(const struct mixture *m, double x)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < m->n; i++)
		sum += m->weight[i] *
		       (m->se[i] > 0 ? gsl_cdf_ugaussian_P((x - m->mean[i]) / m->se[i])
				     : m->mean[i] <= x);
	return sum;
}

static double mixture_quantile(const struct mixture *m, double p)
{
	double low = INFINITY, high = -INFINITY, middle;
	size_t i;

	for (i = 0; i < m->n; i++) {
		low = fmin(low, m->mean[i] - 4 * m->se[i]);
		high = fmax(high, m->mean[i] + 4 * m->se[i]);
	}
	for (i = 0; i < 60; i++) {
		middle = (low + high) / 2;
		if (mixture_below(m, middle) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* The slope at the end under the shape, over all values of its parameter. */
static void estimate_rate(struct seep_shape_fit *fit, struct table *t, enum seep_shape shape,
			  const struct grid *grid)
{
	struct mixture m = { 0 };
	struct seep_glsmix mix;
	double sum = 0;
	size_t i;

	for (i = 0; i < grid->n; i++) {
		double weight = exp(grid->log_ml[i] - grid->log_ml[grid->best]);
		struct seep_glsmix_data data;
		size_t columns;

		if (weight < 1e-3)
			continue;
		columns = make_columns(t, shape, grid->at[i]);
		data = describe(t, columns, columns);
		seep_glsmix_fit(&mix, &data);
		if (!mix.known)
			continue;
		m.weight[m.n] = weight;
		m.mean[m.n] = mix.mean;
		m.se[m.n++] = (grid->n > 1 ? SHAPE_WIDENED : 1) * (mix.high - mix.low) /
			      (2 * INTERVAL_SIGMAS);
		sum += weight;
	}
	if (!m.n)
		return;
	for (i = 0; i < m.n; i++) {
		m.weight[i] /= sum;
		fit->rate.value += m.weight[i] * m.mean[i];
	}
	fit->rate.known = true;
	fit->rate.low = mixture_quantile(&m, INTERVAL_TAIL);
	fit->rate.high = mixture_quantile(&m, 1 - INTERVAL_TAIL);
	fit->p_plus = mixture_below(&m, 0);
}

/* How high the step is, how far the curve goes, how steep it was before the kink. */
static double estimate_first(struct table *t, enum seep_shape shape, double at)
{
	size_t columns = make_columns(t, shape, at);
	struct seep_glsmix_data data = describe(t, columns, 1);
	struct seep_glsmix mix;

	seep_glsmix_fit(&mix, &data);
	return mix.known ? mix.mean : 0;
}

static void describe_shape(struct seep_shape_fit *fit, struct table *t, const struct grid *grid)
{
	double at = grid->at[grid->best];

	switch (grid->shape) {
	case SEEP_SHAPE_FLAT:
	case SEEP_SHAPE_LINE:
	case SEEP_SHAPES:
		estimate_rate(fit, t, SEEP_SHAPE_LINE, grid);
		return;
	case SEEP_SHAPE_STEP:
	case SEEP_SHAPE_STEP_LINE:
		fit->at = at;
		fit->height = estimate_first(t, grid->shape, at);
		estimate_rate(fit, t, SEEP_SHAPE_STEP_LINE, grid);
		return;
	case SEEP_SHAPE_CURVE:
	case SEEP_SHAPE_BEND:
		fit->tau = at;
		fit->height = estimate_first(t, grid->shape, at);
		estimate_rate(fit, t, SEEP_SHAPE_BEND, grid);
		return;
	case SEEP_SHAPE_KINK:
		fit->at = at;
		fit->before = estimate_first(t, grid->shape, at);
		estimate_rate(fit, t, SEEP_SHAPE_KINK, grid);
		return;
	}
}

/*
 * What a shape must be better by than the best before it.  Noise that is not normal, with
 * outliers or bursts, makes a step or a bend look a little better than it is.
 */
static double doubt_of(enum seep_shape shape, enum seep_shape before)
{
	return shape > SEEP_SHAPE_LINE && before <= SEEP_SHAPE_LINE ? SHAPE_BETTER : 0;
}

void seep_shape_choose(struct seep_shape_fit *fit, const double *y, const double *x, size_t n,
		       double quantum)
{
	enum seep_shape shape, last = n < EVENTS_FOR_CURVE ? SEEP_SHAPE_STEP : SEEP_SHAPE_KINK;
	struct grid grid, best = { 0 };
	struct table t;

	memset(fit, 0, sizeof(*fit));
	for (shape = SEEP_SHAPE_FLAT; shape < SEEP_SHAPES; shape++)
		fit->bic[shape] = INFINITY;
	if (n < EVENTS_FOR_SHAPE)
		return;
	read_table(&t, y, x, n, quantum);
	find_jumps(&t, y, x, n);
	for (shape = SEEP_SHAPE_FLAT; shape <= last; shape++) {
		fill_grid(&grid, &t, shape);
		search(&grid, &t);
		fit->bic[shape] = penalise(&grid, &t);
		if (shape == SEEP_SHAPE_FLAT ||
		    fit->bic[shape] + doubt_of(shape, fit->shape) < fit->bic[fit->shape]) {
			fit->shape = shape;
			best = grid;
		}
	}
	fit->known = true;
	describe_shape(fit, &t, &best);
}
