/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A regression whose error bars hold when nobody knows the colour of the noise.
 *
 * Memory series wander.  If the noise is taken for white while every event
 * really adds a random amount, the interval of a line fit is ten times too
 * narrow and flat programs are called leaks.  GLSmix does not choose a noise
 * model: it fits under 37 of them, from white through autoregressive to random
 * walk, weighs each by how well it explains the residuals, and takes mean and
 * quantiles of the mixture.  The prior leans to random walks, so a mistake makes
 * the interval too wide rather than too narrow.
 *
 * Deterministic, linear in n.  docs/method.md has the formulas and the prior,
 * docs/accuracy.md the measured coverage.
 */
#ifndef SEEP_ANALYSE_SERIES_GLSMIX_H
#define SEEP_ANALYSE_SERIES_GLSMIX_H

#include <stdbool.h>
#include <stddef.h>

#define SEEP_GLSMIX_GRID 37
#define SEEP_GLSMIX_COLUMNS 6

/*
 * What is fitted: y (bytes) = sum of b[j] * x[j] + noise, n rows in the order of
 * time.  x[j] == NULL is the column of ones; there must be exactly one such.
 * The estimate is that of the coefficient of x[column].
 */
struct seep_glsmix_data {
	const double *y;
	const double *x[SEEP_GLSMIX_COLUMNS];
	size_t n;
	size_t p;                /* columns, SEEP_GLSMIX_COLUMNS at most */
	size_t column;
	double quantum;          /* y comes in multiples of this; 0: exact */
};

struct seep_glsmix {
	bool known;              /* false: fewer than p + 1 rows, or columns that are one */
	bool perfect;            /* the fit leaves nothing over */
	double mean, low, high;  /* 95 % */
	double se;               /* standard deviation of the mixture's components, averaged */
	double p_plus;           /* probability that the coefficient is not above 0 */
	double weights[SEEP_GLSMIX_GRID]; /* of the noise models; they add up to 1 */
	double walk_weight;      /* share of them in which every event adds noise that stays */
	size_t rows;             /* after averaging: n where n is small, else at most 1000 */
};

void seep_glsmix_fit(struct seep_glsmix *out, const struct seep_glsmix_data *data);

/*
 * The log likelihood under the best noise model, which compares columns for the same y and
 * takes a fraction of the time of a fit; -INFINITY if there is none.
 */
double seep_glsmix_likelihood(const struct seep_glsmix_data *data);

/* The usual case: the slope of y against x, with a constant. */
void seep_glsmix_trend(struct seep_glsmix *out, const double *y, const double *x, size_t n,
		       double quantum);

/*
 * The mean that the weights of another fit give to these data.  With the same
 * columns this is linear in y: parts that add up to the y of that fit get
 * coefficients that add up to its mean, to rounding.
 */
double seep_glsmix_apply(const struct seep_glsmix *frozen, const struct seep_glsmix_data *data);

#endif
