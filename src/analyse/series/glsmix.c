/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The noise of a series is taken as s + w, where w is white and
 *
 *     s[i] = phi * s[i-1] + eta[i]
 *
 * A point of the grid fixes phi and the variances of eta and w up to a common
 * scale.  For a point, a scalar Kalman filter turns y and every column into
 * independent innovations; least squares on those is the exact answer under
 * that noise.  Its restricted likelihood is the point's weight.
 *
 *     y, x  --average into rows--> --orthonormal columns--> residual r / scale
 *           --per grid point: filter, normal equations--> beta, se, REML
 *           --mixture of t--> mean, low, high
 *
 * Columns are made orthonormal with the column of interest last, so that its
 * coefficient falls out of the forward substitution; and the filter sees only
 * what ordinary least squares leaves over, so a large trend cannot drown a
 * small noise in rounding.
 */
#include "analyse/series/glsmix.h"

#include "analyse/series/average.h"
#include "analyse/series/noise_model.h"
#include "analyse/threshold/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define ROWS_MAX 1000
#define ROWS_FEW 200             /* enough for a verdict; above EVENTS_MANY more is sharper */
#define EVENTS_MANY 5000
#define WEIGHT_MIN 1e-6          /* lighter grid points are left out */
#define PERFECT 1e-12            /* residual / span below which there is no noise */
#define COLLINEAR 1e-10
#define LOGS_AT_ONCE 16

#define SHARES 4
#define AR_POINTS (6 * SHARES)
#define WALK_POINTS 12
#define WALK_FIRST (1 + AR_POINTS)

struct rows {
	size_t n, p;
	bool averaged;
	double y[ROWS_MAX];                      /* what least squares leaves, unit variance */
	double q[SEEP_GLSMIX_COLUMNS][ROWS_MAX]; /* orthogonal, mean square 1; of interest last */
	double last;                             /* coefficient = coefficient of q / last */
	double ols;                              /* by ordinary least squares */
	double scale;                            /* of the residual, bytes */
	double span;                             /* of y, bytes */
};

/* One point of the grid. */
struct noise {
	struct seep_noise_model model;
	double prior;            /* probability before the series is looked at */
	double widen;            /* factor on the standard error */
};

struct point {
	double beta, se, reml, ml; /* beta and se of the scaled residual */
};

/* Weights of a random walk's share of noise, from 10^-4 in steps of 10^.5, then pure. */
static const double walk_prior[WALK_POINTS] = {
	.25, .25, .25, .25, 2, 3, 3, 2, 1.5, 1.5, 1.5, 6
};
static const double walk_prior_small[WALK_POINTS] = {
	.5, .5, .5, .5, .5, 1, 1, 1, 1.5, 1.5, 1.5, 6
};

static double walk_share(size_t k)
{
	return k + 1 == WALK_POINTS ? INFINITY : pow(10, -4 + 0.5 * (double)k);
}

static void describe_walk(struct noise *noise, size_t k, const struct rows *rows)
{
	const double *prior = rows->n < NOISE_EVENTS_FEW ? walk_prior_small : walk_prior;
	double q = walk_share(k), sum = 0;
	size_t i;

	for (i = 0; i < WALK_POINTS; i++)
		sum += prior[i];
	noise->model = seep_noise_model_walk(q);
	noise->prior = WALK_PRIOR * prior[k] / sum;
	noise->widen = WALK_WIDENED;
	if (rows->n < NOISE_EVENTS_FEW)
		noise->widen = WALK_WIDENED_FEW;
	else if (rows->averaged && q >= WALK_NEARLY_PURE)
		noise->widen = WALK_WIDENED_AVERAGED; /* means of a walk have correlated steps */
}

static struct noise describe(size_t g, const struct rows *rows)
{
	static const double phis[] = { .3, .5, .7, .8, .9, .95 };
	static const double shares[SHARES] = { .15, .4, .7, 1 };
	struct noise noise = { seep_noise_model_white(), .prior = WHITE_PRIOR, .widen = 1 };

	if (g >= WALK_FIRST) {
		describe_walk(&noise, g - WALK_FIRST, rows);
	} else if (g) {
		noise.model = seep_noise_model_autoregressive(phis[(g - 1) / SHARES],
							      shares[(g - 1) % SHARES]);
		noise.prior = AUTOREGRESSIVE_PRIOR / AR_POINTS;
	}
	return noise;
}

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum / (double)n;
}

/* Takes the part along q (of mean square 1) out of z and returns its size. */
static double take_out(double *z, const double *q, size_t n)
{
	double part = dot(z, q, n);
	size_t i;

	for (i = 0; i < n; i++)
		z[i] -= part * q[i];
	return part;
}

/* Gram-Schmidt, twice, which is enough.  False if a column is a sum of the others. */
static bool orthonormalise(struct rows *rows)
{
	size_t j, k, i, pass;

	for (j = 0; j < rows->p; j++) {
		double whole = sqrt(dot(rows->q[j], rows->q[j], rows->n));

		for (pass = 0; pass < 2; pass++)
			for (k = 0; k < j; k++)
				take_out(rows->q[j], rows->q[k], rows->n);
		rows->last = sqrt(dot(rows->q[j], rows->q[j], rows->n));
		if (!(rows->last > COLLINEAR * whole))
			return false;
		for (i = 0; i < rows->n; i++)
			rows->q[j][i] /= rows->last;
	}
	return true;
}

static void detrend(struct rows *rows)
{
	double low = rows->y[0], high = rows->y[0], part = 0;
	size_t i, j, pass;

	for (i = 1; i < rows->n; i++) {
		low = fmin(low, rows->y[i]);
		high = fmax(high, rows->y[i]);
	}
	rows->span = high - low;
	for (pass = 0; pass < 2; pass++)
		for (j = 0; j < rows->p; j++) {
			part = take_out(rows->y, rows->q[j], rows->n);
			if (j + 1 == rows->p)
				rows->ols += part / rows->last;
		}
	rows->scale = sqrt(dot(rows->y, rows->y, rows->n));
	if (rows->scale <= PERFECT * rows->span)
		rows->scale = 0;
	for (i = 0; i < rows->n; i++)
		rows->y[i] = rows->scale > 0 ? rows->y[i] / rows->scale : 0;
}

/* False if the coefficient cannot be estimated. */
static bool prepare(struct rows *rows, const struct seep_glsmix_data *data)
{
	size_t j, to = 0, max = data->n < EVENTS_MANY ? ROWS_FEW : ROWS_MAX;

	rows->n = seep_average_count(data->n, max);
	rows->p = data->p;
	rows->averaged = data->n > max;
	rows->ols = 0;
	if (rows->n < rows->p + 1)
		return false;
	for (j = 0; j < data->p; j++)
		if (j != data->column)
			seep_average_rows(rows->q[to++], rows->n, data->x[j], data->n);
	seep_average_rows(rows->q[to], rows->n, data->x[data->column], data->n);
	seep_average_rows(rows->y, rows->n, data->y, data->n);
	if (!orthonormalise(rows))
		return false;
	detrend(rows);
	return true;
}

/*
 * Cross products of the innovations of all columns and, last, of y; returns the
 * sum of the logarithms of their variances.  These are between 1e-4 and 1e3, so some of
 * them may be multiplied before a logarithm, which takes long, is taken.
 */
static double filter(double a[][SEEP_GLSMIX_COLUMNS + 1], const struct rows *rows,
		     const struct seep_noise_model *noise)
{
	double state[SEEP_GLSMIX_COLUMNS + 1] = { 0 }, v[SEEP_GLSMIX_COLUMNS + 1];
	double variance = noise->start, logs = 0, product = 1;
	size_t i, j, k, p = rows->p;

	for (i = 0; i < rows->n; i++) {
		double f = variance + noise->white, inverse = 1 / f, gain = variance * inverse;

		for (j = 0; j <= p; j++) {
			double scaled;

			v[j] = (j < p ? rows->q[j][i] : rows->y[i]) - state[j];
			state[j] = noise->phi * (state[j] + gain * v[j]);
			scaled = v[j] * inverse;
			for (k = 0; k <= j; k++)
				a[j][k] += scaled * v[k];
		}
		product *= f;
		if (i % LOGS_AT_ONCE == LOGS_AT_ONCE - 1) {
			logs += log(product);
			product = 1;
		}
		variance = noise->phi * noise->phi * variance * (1 - gain) + noise->eta;
	}
	return logs + log(product);
}

/*
 * Cholesky in place.  Not GSL's, which calls the error handler, and so by
 * default abort(), where a matrix is singular to rounding.
 */
static void factorise(double a[][SEEP_GLSMIX_COLUMNS + 1], size_t n)
{
	size_t i, j, k;

	for (i = 0; i < n; i++)
		for (j = 0; j <= i; j++) {
			for (k = 0; k < j; k++)
				a[i][j] -= a[i][k] * a[j][k];
			a[i][j] = i == j ? sqrt(fmax(a[i][j], 1e-300)) : a[i][j] / a[j][j];
		}
}

static struct point solve(const struct rows *rows, const struct noise *noise)
{
	double a[SEEP_GLSMIX_COLUMNS + 1][SEEP_GLSMIX_COLUMNS + 1] = { { 0 } };
	double logs, rss, logdet = 0, n = (double)rows->n, dof = (double)(rows->n - rows->p);
	size_t j, p = rows->p;
	struct point point;

	logs = filter(a, rows, &noise->model);
	factorise(a, p + 1);
	rss = a[p][p] * a[p][p];
	for (j = 0; j < p; j++)
		logdet += 2 * log(a[j][j]);
	point.beta = a[p][p - 1] / a[p - 1][p - 1];
	point.se = noise->widen * sqrt(rss / dof) / a[p - 1][p - 1];
	point.reml = -.5 * (logs + logdet + dof * log(rss));
	point.ml = -.5 * (logs + n * log(rss / n));
	return point;
}

/* The weights of the points, light ones set to 0. */
static void weigh(double *weights, const struct point *points, const struct rows *rows)
{
	double best = -INFINITY, sum = 0;
	size_t g;

	for (g = 0; g < SEEP_GLSMIX_GRID; g++)
		best = fmax(best, points[g].reml);
	for (g = 0; g < SEEP_GLSMIX_GRID; g++) {
		weights[g] = describe(g, rows).prior * exp(points[g].reml - best);
		sum += weights[g];
	}
	best = sum;
	for (g = 0, sum = 0; g < SEEP_GLSMIX_GRID; g++) {
		if (weights[g] < WEIGHT_MIN * best)
			weights[g] = 0;
		sum += weights[g];
	}
	for (g = 0; g < SEEP_GLSMIX_GRID; g++)
		weights[g] /= sum;
}

static double mixture_below(double x, const struct point *points, const double *weights, double dof)
{
	double sum = 0;
	size_t g;

	for (g = 0; g < SEEP_GLSMIX_GRID; g++)
		if (weights[g] > 0)
			sum += weights[g] *
			       gsl_cdf_tdist_P((x - points[g].beta) / points[g].se, dof);
	return sum;
}

/* The quantile of the mixture lies between those of its components. */
static double mixture_quantile(double p, const struct point *points, const double *weights,
			       double dof)
{
	double t = gsl_cdf_tdist_Pinv(p, dof), low = INFINITY, high = -INFINITY, middle;
	size_t g, i;

	for (g = 0; g < SEEP_GLSMIX_GRID; g++)
		if (weights[g] > 0) {
			low = fmin(low, points[g].beta + t * points[g].se);
			high = fmax(high, points[g].beta + t * points[g].se);
		}
	for (i = 0; i < 60 && high - low > 1e-13 * (fabs(low) + fabs(high)); i++) {
		middle = low + (high - low) / 2;
		if (mixture_below(middle, points, weights, dof) < p)
			low = middle;
		else
			high = middle;
	}
	return low + (high - low) / 2;
}

/* Rounding to the quantum bounds the slope's error, whatever the noise. */
static void widen_by_quantum(struct seep_glsmix *out, const struct seep_glsmix_data *data)
{
	const double *x = data->x[data->column];
	double span, by;

	if (data->n >= QUANTUM_EVENTS || data->quantum <= 0 || !x)
		return;
	span = fabs(x[data->n - 1] - x[0]) * (double)data->n / (double)(data->n - 1);
	by = span > 0 ? QUANTUM_DOUBT * data->quantum / span : 0;
	out->low -= by;
	out->high += by;
}

/* No noise at all: what is left is that bytes are whole. */
static void fit_perfect(struct seep_glsmix *out, const struct rows *rows, double quantum)
{
	double grain = fmax(quantum, 1) / sqrt(12);
	size_t g;

	out->perfect = true;
	out->mean = rows->span > 0 ? rows->ols : 0;
	out->se = rows->span > 0 ? grain / (rows->last * sqrt((double)rows->n)) : 0;
	out->low = out->mean - INTERVAL_SIGMAS * out->se;
	out->high = out->mean + INTERVAL_SIGMAS * out->se;
	out->p_plus = out->mean > 0 ? 0 : out->mean < 0 ? 1 : .5;
	for (g = 0; g < SEEP_GLSMIX_GRID; g++)
		out->weights[g] = describe(g, rows).prior;
}

/* The likelihood of the best noise, of data that come in grains. */
static double best_ml(const struct point *points, const struct rows *rows, double quantum)
{
	double grain = fmax(quantum, 1) / sqrt(12), n = (double)rows->n, ml = -INFINITY;
	size_t g;

	for (g = 0; g < SEEP_GLSMIX_GRID; g++)
		ml = fmax(ml, points[g].ml);
	return fmin(ml - n * log(rows->scale), -n * log(grain));
}

static void solve_all(struct point *points, const struct rows *rows)
{
	size_t g;

	for (g = 0; g < SEEP_GLSMIX_GRID; g++) {
		struct noise noise = describe(g, rows);

		points[g] = solve(rows, &noise);
	}
}

static void fit_noisy(struct seep_glsmix *out, const struct rows *rows)
{
	double dof = (double)(rows->n - rows->p), unit = rows->scale / rows->last;
	struct point points[SEEP_GLSMIX_GRID];
	double mean = 0;
	size_t g;

	solve_all(points, rows);
	weigh(out->weights, points, rows);
	for (g = 0; g < SEEP_GLSMIX_GRID; g++) {
		mean += out->weights[g] * points[g].beta;
		out->se += out->weights[g] * points[g].se * unit;
	}
	out->mean = rows->ols + mean * unit;
	out->low = rows->ols + mixture_quantile(INTERVAL_TAIL, points, out->weights, dof) * unit;
	out->high = rows->ols +
		    mixture_quantile(1 - INTERVAL_TAIL, points, out->weights, dof) * unit;
	out->p_plus = mixture_below(-rows->ols / unit, points, out->weights, dof);
}

double seep_glsmix_likelihood(const struct seep_glsmix_data *data)
{
	struct point points[SEEP_GLSMIX_GRID];
	struct rows rows;

	if (!prepare(&rows, data))
		return -INFINITY;
	if (!(rows.scale > 0))
		return -(double)rows.n * log(fmax(data->quantum, 1) / sqrt(12));
	solve_all(points, &rows);
	return best_ml(points, &rows, data->quantum);
}

void seep_glsmix_fit(struct seep_glsmix *out, const struct seep_glsmix_data *data)
{
	struct rows rows;
	size_t k;

	memset(out, 0, sizeof(*out));
	if (!prepare(&rows, data))
		return;
	out->known = true;
	out->rows = rows.n;
	if (rows.scale > 0)
		fit_noisy(out, &rows);
	else
		fit_perfect(out, &rows, data->quantum);
	widen_by_quantum(out, data);
	for (k = 0; k < WALK_POINTS; k++)
		if (walk_share(k) >= WALK_NOTICED)
			out->walk_weight += out->weights[WALK_FIRST + k];
}

void seep_glsmix_trend(struct seep_glsmix *out, const double *y, const double *x, size_t n,
		       double quantum)
{
	struct seep_glsmix_data data = {
		.y = y, .x = { NULL, x }, .n = n, .p = 2, .column = 1, .quantum = quantum,
	};

	seep_glsmix_fit(out, &data);
}

double seep_glsmix_apply(const struct seep_glsmix *frozen, const struct seep_glsmix_data *data)
{
	struct rows rows;
	double mean = 0;
	size_t g;

	if (!prepare(&rows, data))
		return 0;
	if (!(rows.span > 0))
		return 0;
	for (g = 0; g < SEEP_GLSMIX_GRID && rows.scale > 0; g++) {
		struct noise noise = describe(g, &rows);

		if (frozen->weights[g] > 0)
			mean += frozen->weights[g] * solve(&rows, &noise).beta;
	}
	return rows.ols + mean * rows.scale / rows.last;
}
