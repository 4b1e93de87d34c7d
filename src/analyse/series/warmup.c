/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/warmup.h"

#include "analyse/threshold/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>

#define BLOCKS_MAX 100

/*
 * Increments are taken in at most 100 blocks, so that the minimum is not chosen
 * by single outliers and the cost stays linear.  A last, short block is left out.
 */
struct blocks {
	const double *values;
	size_t each, n;
};

static double step(const struct blocks *blocks, size_t b)
{
	return blocks->values[(b + 1) * blocks->each] - blocks->values[b * blocks->each];
}

static size_t minimise(const struct blocks *blocks)
{
	double offset = step(blocks, 0), mean = 0, squares = 0, best = INFINITY;
	size_t c, cut = 0;

	for (c = blocks->n; c-- > 0;) {
		double d = step(blocks, c) - offset, kept = (double)(blocks->n - c);
		double delta = d - mean, score;

		mean += delta / kept;
		squares += delta * (d - mean);
		score = squares / (kept * kept);
		if ((double)c <= WARMUP_MOST * (double)blocks->n && score <= best) {
			best = score;
			cut = c;
		}
	}
	return cut;
}

/*
 * Are the blocks before the cut unlike those behind it, one of them or all
 * together?  The minimum alone follows the noise, and dropping what looks odd
 * makes the interval of the rest too narrow (89 % instead of 95 at 10 events).
 * The first step is not asked: it is always dropped.
 */
static bool is_called_for(const struct blocks *blocks, size_t cut)
{
	double kept = (double)(blocks->n - cut), mean = 0, squares = 0, d, sum = 0, dropped;
	double clearly = gsl_cdf_tdist_Qinv(WARMUP_UNLIKE, kept - 1);
	size_t b, first = blocks->each == 1;

	for (b = cut; b < blocks->n; b++)
		mean += step(blocks, b) / kept;
	for (b = cut; b < blocks->n; b++)
		squares += pow(step(blocks, b) - mean, 2) / (kept - 1);
	for (b = first; b < cut; b++) {
		d = step(blocks, b) - mean;
		sum += d;
		if (d * d > clearly * clearly * squares)
			return true;
	}
	dropped = (double)(cut - first);
	return sum * sum > clearly * clearly * squares * dropped * (1 + dropped / kept);
}

size_t seep_warmup_cut(const double *values, size_t n)
{
	struct blocks blocks = { .values = values };
	size_t cut;

	if (n < 3)
		return n ? 1 : 0;
	blocks.each = (n - 1 + BLOCKS_MAX - 1) / BLOCKS_MAX;
	blocks.n = (n - 1) / blocks.each;
	cut = minimise(&blocks);
	if (cut * blocks.each <= 1 || !is_called_for(&blocks, cut))
		return 1;
	return cut * blocks.each;
}
