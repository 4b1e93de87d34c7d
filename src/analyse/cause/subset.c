/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For each model of noise, y and the columns are filtered so that white noise is left ("whitened"),
 * their part along the constant is taken out, and the columns get length 1.  Then the residual of a
 * set of one or two columns takes a few multiplications.  The best model counts for each set.
 */
#include "analyse/cause/subset.h"

#include "analyse/series/noise_model.h"

#include <math.h>
#include <string.h>

#define COLLINEAR 1e-10          /* of a column's squares, left over by the others */
#define PERFECT 1e-10            /* residual over span of y below which there is no noise */

#define SHARES 2
#define AR_MODELS (3 * SHARES)
#define WALK_MODELS 5
#define MODELS (1 + AR_MODELS + WALK_MODELS)

/* The data under one model: whitened columns of length 1, without the constant. */
struct view {
	size_t rows, n;
	double logs;             /* sum of the logarithms of the variances */
	double gain[SEEP_SUBSET_ROWS], sd[SEEP_SUBSET_ROWS];
	double ones[SEEP_SUBSET_ROWS];
	double y[SEEP_SUBSET_ROWS];
	double q[SEEP_SUBSET_COLUMNS][SEEP_SUBSET_ROWS];
	double along[SEEP_SUBSET_COLUMNS]; /* of y */
	bool flat[SEEP_SUBSET_COLUMNS];    /* nothing but ones */
};

/* The largest likelihood of a set so far, and whether its coefficients were allowed there. */
struct best {
	double ml;
	bool allowed;
};

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* A coarse grid over the models that glsmix.c averages over. */
static struct seep_noise_model describe(size_t m)
{
	static const double phis[] = { .5, .8, .95 };
	static const double shares[SHARES] = { .4, 1 };
	static const double ratios[WALK_MODELS] = { 1e-3, 1e-2, 1e-1, 1, INFINITY };

	if (!m)
		return seep_noise_model_white();
	if (m <= AR_MODELS)
		return seep_noise_model_autoregressive(phis[(m - 1) / SHARES],
						       shares[(m - 1) % SHARES]);
	return seep_noise_model_walk(ratios[m - 1 - AR_MODELS]);
}

static void prepare(struct view *view, const struct seep_noise_model *noise)
{
	double variance = noise->start;
	size_t i;

	view->logs = 0;
	for (i = 0; i < view->rows; i++) {
		double f = variance + noise->white;

		view->gain[i] = variance / f;
		view->sd[i] = sqrt(f);
		view->logs += log(f);
		variance = noise->phi * noise->phi * variance * (1 - view->gain[i]) + noise->eta;
	}
}

static void whiten(double *to, const double *from, const struct view *view, double phi)
{
	double state = 0, v;
	size_t i;

	for (i = 0; i < view->rows; i++) {
		v = (from ? from[i] : 1) - state;
		state = phi * (state + view->gain[i] * v);
		to[i] = v / view->sd[i];
	}
}

/* Takes the part along q (of length 1) out of z, twice, which is enough. */
static void take_out(double *z, const double *q, size_t n)
{
	size_t i, pass;

	for (pass = 0; pass < 2; pass++) {
		double part = dot(z, q, n);

		for (i = 0; i < n; i++)
			z[i] -= part * q[i];
	}
}

static void shorten(double *z, double length, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		z[i] /= length;
}

static void look(struct view *view, const struct seep_subset_data *data,
		 const struct seep_noise_model *noise)
{
	size_t k;

	prepare(view, noise);
	whiten(view->ones, NULL, view, noise->phi);
	shorten(view->ones, sqrt(dot(view->ones, view->ones, view->rows)), view->rows);
	whiten(view->y, data->y, view, noise->phi);
	take_out(view->y, view->ones, view->rows);
	for (k = 0; k < view->n; k++) {
		double *q = view->q[k], whole, left;

		whiten(q, data->columns[k], view, noise->phi);
		whole = dot(q, q, view->rows);
		take_out(q, view->ones, view->rows);
		left = dot(q, q, view->rows);
		view->flat[k] = !(left > COLLINEAR * whole);
		if (!view->flat[k])
			shorten(q, sqrt(left), view->rows);
		view->along[k] = dot(view->y, q, view->rows);
	}
}

/* The sum of squares that y leaves. */
static double leave(const struct view *view, const double *a, double by_a, const double *b,
		    double by_b)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < view->rows; i++) {
		double e = view->y[i] - by_a * a[i] - by_b * b[i];

		sum += e * e;
	}
	return sum;
}

static void note(struct best *best, const struct view *view, double left, bool allowed)
{
	double n = (double)view->rows;
	double ml = -.5 * (view->logs + n * log(fmax(left, 1e-300) / n));

	if (ml > best->ml)
		*best = (struct best){ ml, allowed };
}

static void try_pair(struct best *best, const struct view *view, size_t j, size_t k)
{
	double r = dot(view->q[j], view->q[k], view->rows), d = 1 - r * r, by_j, by_k;

	if (!(d > COLLINEAR))
		return;
	by_j = (view->along[j] - r * view->along[k]) / d;
	by_k = (view->along[k] - r * view->along[j]) / d;
	note(best, view, leave(view, view->q[j], by_j, view->q[k], by_k), by_j > 0 && by_k > 0);
}

static void try_model(struct best *none, struct best *ones, struct best *twos,
		      const struct view *view, bool pairs)
{
	size_t j, k;

	note(none, view, dot(view->y, view->y, view->rows), true);
	for (k = 0; k < view->n; k++) {
		if (view->flat[k])
			continue;
		note(&ones[k], view, leave(view, view->q[k], view->along[k], view->q[k], 0),
		     view->along[k] > 0);
		for (j = 0; pairs && j < k; j++)
			if (!view->flat[j])
				try_pair(&twos[j * SEEP_SUBSET_COLUMNS + k], view, j, k);
	}
}

/* No likelihood is larger than that of noise as small as the grain of the data. */
static double bic_of(const struct best *best, double p, double rows, double floor)
{
	if (!best->allowed)
		return INFINITY;
	return -2 * fmin(best->ml, -rows * log(floor)) + p * log(rows);
}

static double find_floor(const struct seep_subset_data *data)
{
	double low = INFINITY, high = -INFINITY;
	size_t i;

	for (i = 0; i < data->rows; i++) {
		low = fmin(low, data->y[i]);
		high = fmax(high, data->y[i]);
	}
	return fmax(fmax(data->quantum, 1) / sqrt(12), PERFECT * (high - low));
}

void seep_subset_judge(struct seep_subset *out, const struct seep_subset_data *data, bool pairs,
		       struct seep_arena *arena)
{
	struct view *view = seep_arena_alloc(arena, sizeof(*view));
	struct best none = { -INFINITY, false }, ones[SEEP_SUBSET_COLUMNS];
	struct best *twos = seep_arena_array(arena, SEEP_SUBSET_COLUMNS * SEEP_SUBSET_COLUMNS,
					     sizeof(*twos));
	double floor = find_floor(data), rows = (double)data->rows;
	size_t g, j, k;

	view->rows = data->rows;
	view->n = data->n_columns;
	for (k = 0; k < SEEP_SUBSET_COLUMNS; k++) {
		ones[k] = none;
		for (j = 0; j < SEEP_SUBSET_COLUMNS; j++)
			twos[j * SEEP_SUBSET_COLUMNS + k] = ones[k];
	}
	for (g = 0; g < MODELS; g++) {
		struct seep_noise_model noise = describe(g);

		look(view, data, &noise);
		try_model(&none, ones, twos, view, pairs);
	}
	out->none = bic_of(&none, 1, rows, floor);
	for (k = 0; k < SEEP_SUBSET_COLUMNS; k++) {
		out->one[k] = bic_of(&ones[k], 2, rows, floor);
		out->two[k][k] = INFINITY;
		for (j = 0; j < k; j++)
			out->two[j][k] = out->two[k][j] =
				bic_of(&twos[j * SEEP_SUBSET_COLUMNS + k], 3, rows, floor);
	}
}
