/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/glsmix.h"
#include "analyse/series/warmup.h"

#include "noise.h"
#include "seed_steps.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define N 1200

static double x[N], y[N], z[N], w[N];

static int number_rows(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N; i++)
		x[i] = (double)i;
	return 0;
}

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.12g is not %.12g within %g", value, expected, tolerance);
}

static struct seep_glsmix fit(const double *values, size_t n)
{
	struct seep_glsmix mix;

	seep_glsmix_trend(&mix, values, x, n, 0);
	assert_true(mix.known);
	return mix;
}

/* kB per event of a detector simulation, and what the prototype of the method said. */
static void replays_the_seed(void **state)
{
	struct seep_glsmix mix;
	size_t i, cut;

	(void)state;
	y[0] = 0;
	for (i = 0; i < SEED_STEPS; i++)
		y[i + 1] = y[i] + seed_steps[i];
	cut = seep_warmup_cut(y, SEED_STEPS + 1);
	assert_int_equal(cut, 4);
	mix = fit(y + cut, SEED_STEPS + 1 - cut);
	near(mix.mean, 2196.9, .5);
	near(mix.low, 2187.4, .5);
	near(mix.high, 2206.5, .5);
	assert_true(mix.p_plus < 1e-6);
	assert_true(mix.walk_weight > .5);
}

static void warmup_ends_where_steps_settle(void **state)
{
	size_t i;

	(void)state;
	y[0] = 0;
	for (i = 0; i < 100; i++)
		y[i + 1] = y[i] + (i < 17 ? 5000 - 200 * (double)i : 10);
	assert_int_equal(seep_warmup_cut(y, 101), 17);
	for (i = 0; i <= 100; i++)
		y[i] = 1e9 + 123 * (double)i;
	assert_int_equal(seep_warmup_cut(y, 101), 1);
	assert_int_equal(seep_warmup_cut(y, 2), 1);
	assert_int_equal(seep_warmup_cut(y, 0), 0);
	for (i = 0; i < 20; i++)
		y[i + 1] = y[i] + (i < 3 ? 900 : 10) + (double)(i % 2);
	assert_int_equal(seep_warmup_cut(y, 21), 3);
	for (i = 0; i < 20; i++) /* nothing odd enough for so few events */
		y[i + 1] = y[i] + 10 + (double)(i * i % 7);
	assert_int_equal(seep_warmup_cut(y, 21), 1);
	for (i = 0; i < 60; i++) /* one odd step after twelve good ones */
		y[i + 1] = y[i] + 100 + (i % 2 ? 1 : -1) + (i == 12 ? 6 : 0);
	assert_int_equal(seep_warmup_cut(y, 61), 13);
	for (i = 0; i < 60; i++) /* twenty that are a little too large, none of them odd */
		y[i + 1] = y[i] + 100 + (i % 2 ? 1 : -1) + (i < 20 ? 2 : 0);
	assert_in_range(seep_warmup_cut(y, 61), 19, 21);
	for (i = 0; i <= 100; i++)
		y[i] = (double)(i * i);
	assert_in_range(seep_warmup_cut(y, 101), 40, 50); /* not settled: about half */
}

/* With few events the noise must not choose the warm-up. */
static void warmup_needs_a_reason(void **state)
{
	size_t seed, cut = 0;

	(void)state;
	for (seed = 1; seed <= 100; seed++) {
		struct noise noise = noise_seed(seed);

		noise_fill(&noise, WALK, y, 15);
		cut += seep_warmup_cut(y, 15) > 1;
	}
	assert_in_range(cut, 0, 15);
}

static void constant_series_has_rate_zero(void **state)
{
	struct seep_glsmix mix;
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		y[i] = 123456789012.0;
	mix = fit(y, 100);
	assert_true(mix.mean == 0 && mix.low == 0 && mix.high == 0);
	seep_glsmix_trend(&mix, y, x, 20, 4096);
	assert_true(mix.mean == 0);
	near(mix.high, 1.5 * 4096 / 20, 1e-9);
	near(mix.low, -1.5 * 4096 / 20, 1e-9);
}

static void perfect_line_has_a_tiny_interval(void **state)
{
	struct seep_glsmix mix;
	size_t i, n;

	(void)state;
	for (i = 0; i < 700; i++)
		y[i] = 5e10 + 1216 * x[i];
	for (n = 5; n < 700; n += 31) {
		mix = fit(y, n);
		assert_true(mix.perfect);
		near(mix.mean, 1216, 1e-6);
		near(mix.high - mix.low, 0, 4.2 / pow(n < 200 ? (double)n : 30, 1.5));
		assert_true(mix.low <= mix.mean && mix.high >= mix.mean && mix.high > mix.low);
		assert_true(mix.p_plus < 1e-12);
	}
}

static void too_little_data_is_a_value(void **state)
{
	struct seep_glsmix_data data = { .y = y, .x = { NULL, x, z }, .n = 50, .p = 3 };
	struct seep_glsmix mix;
	struct noise noise = noise_seed(1);
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		seep_glsmix_trend(&mix, y, x, i, 0);
		assert_false(mix.known);
	}
	noise_fill(&noise, WALK, y, 50);
	for (i = 0; i < 50; i++)
		z[i] = 17 + 4 * x[i];
	data.column = 2;
	seep_glsmix_fit(&mix, &data);
	assert_false(mix.known); /* two columns that are one */
}

static void trend_is_added_to_the_rate(void **state)
{
	static const double slopes[] = { 1, -3.5, 2.2e6, 1e9 };
	struct seep_glsmix mix, tilted;
	size_t n, k, i;

	(void)state;
	for (n = 8; n <= 1000; n = n * 5 / 2) {
		struct noise noise = noise_seed(n);

		noise_fill(&noise, WALK_WHITE, y, n);
		mix = fit(y, n);
		for (k = 0; k < 4; k++) {
			for (i = 0; i < n; i++)
				z[i] = y[i] + slopes[k] * x[i];
			tilted = fit(z, n);
			near(tilted.mean, mix.mean + slopes[k], 1e-9 * (1 + fabs(slopes[k])));
			near(tilted.low, mix.low + slopes[k], 1e-9 * (1 + fabs(slopes[k])));
			near(tilted.high, mix.high + slopes[k], 1e-9 * (1 + fabs(slopes[k])));
		}
	}
}

static void scale_and_level_do_not_matter(void **state)
{
	struct seep_glsmix mix, scaled;
	struct noise noise = noise_seed(5);
	size_t i;

	(void)state;
	noise_fill(&noise, AR9, y, 100);
	for (i = 0; i < 100; i++)
		z[i] = 1e6 * y[i] + 4e9;
	mix = fit(y, 100);
	scaled = fit(z, 100);
	near(scaled.mean, 1e6 * mix.mean, 1e-9 * 1e6);
	near(scaled.low, 1e6 * mix.low, 1e-9 * 1e6);
	near(scaled.high, 1e6 * mix.high, 1e-9 * 1e6);
	near(scaled.p_plus, mix.p_plus, 1e-6);
}

static void parts_add_up_under_frozen_weights(void **state)
{
	struct seep_glsmix_data data = { .x = { NULL, x }, .p = 2, .column = 1 };
	struct seep_glsmix mix;
	struct noise noise = noise_seed(9);
	size_t n, i;

	(void)state;
	for (n = 20; n <= 1200; n *= 4) {
		double sum;

		noise_fill(&noise, WALK, y, n);
		noise_fill(&noise, AR9, z, n);
		for (i = 0; i < n; i++) {
			z[i] = 300 * z[i] + 40 * x[i];
			w[i] = y[i] + z[i];
		}
		mix = fit(w, n);
		data.n = n;
		data.y = y;
		sum = seep_glsmix_apply(&mix, &data);
		data.y = z;
		sum += seep_glsmix_apply(&mix, &data);
		near(sum, mix.mean, 1e-11 * fabs(mix.mean));
	}
}

/* More columns: a step of known height and a slope at the same time. */
static void tells_columns_apart(void **state)
{
	struct seep_glsmix_data data = { .y = y, .x = { x, NULL, z }, .n = 120, .p = 3 };
	struct seep_glsmix mix;
	struct noise noise = noise_seed(11);
	size_t i;

	(void)state;
	noise_fill(&noise, AR5, y, 120);
	for (i = 0; i < 120; i++) {
		z[i] = i >= 70;
		y[i] += 900 * z[i] + 25 * x[i];
	}
	seep_glsmix_fit(&mix, &data);
	assert_true(mix.known && mix.low < 25 && mix.high > 25 && mix.high - mix.low < 2);
	data.column = 2;
	seep_glsmix_fit(&mix, &data);
	assert_true(mix.known && mix.low < 900 && mix.high > 900 && mix.high - mix.low < 30);
}

static void weights_add_up_to_one(void **state)
{
	struct seep_glsmix mix;
	struct noise noise = noise_seed(13);
	double sum = 0;
	size_t g;

	(void)state;
	noise_fill(&noise, WALK, y, 60);
	mix = fit(y, 60);
	for (g = 0; g < SEEP_GLSMIX_GRID; g++)
		sum += mix.weights[g];
	near(sum, 1, 1e-12);
	assert_true(mix.walk_weight > .8);
	noise_fill(&noise, WHITE, y, 200);
	assert_true(fit(y, 200).walk_weight < .1);
	for (g = 0, sum = 0; g < 8; g++)
		y[g] = 3 * x[g];
	mix = fit(y, 8);
	for (g = 0; g < SEEP_GLSMIX_GRID; g++)
		sum += mix.weights[g];
	near(sum, 1, 1e-12);
}

/* The covariance of noise model g, written down instead of filtered. */
static double covariance(size_t g, size_t i, size_t j)
{
	static const double phis[] = { .3, .5, .7, .8, .9, .95 }, shares[] = { .15, .4, .7, 1 };
	double same = i == j, lag = i > j ? (double)(i - j) : (double)(j - i);
	double steps = (double)(i < j ? i : j), share;

	if (g == 0)
		return same;
	if (g < 25) {
		share = shares[(g - 1) % 4];
		return share * pow(phis[(g - 1) / 4], lag) + (1 - share) * same;
	}
	if (g == 36)
		return steps + 1;
	return pow(10, -4 + .5 * (double)(g - 25)) * steps + 1 + same;
}

/* Slope, its error and the REML of y[0 .. n-1] under that covariance. */
static void solve_dense(size_t g, size_t n, double *slope, double *error, double *reml)
{
	gsl_matrix *v = gsl_matrix_alloc(n, n), *a = gsl_matrix_alloc(n, 2);
	gsl_matrix *xx = gsl_matrix_alloc(2, 2);
	gsl_vector *b = gsl_vector_alloc(n);
	double xy[2], rss, logs = 0, det;
	size_t i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++)
			gsl_matrix_set(v, i, j, covariance(g, i, j));
		gsl_matrix_set(a, i, 0, 1);
		gsl_matrix_set(a, i, 1, x[i]);
		gsl_vector_set(b, i, y[i]);
	}
	gsl_linalg_cholesky_decomp1(v);
	gsl_blas_dtrsm(CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 1, v, a);
	gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, v, b);
	gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1, a, a, 0, xx);
	for (j = 0; j < 2; j++)
		for (i = 0, xy[j] = 0; i < n; i++)
			xy[j] += gsl_matrix_get(a, i, j) * gsl_vector_get(b, i);
	det = gsl_matrix_get(xx, 0, 0) * gsl_matrix_get(xx, 1, 1) -
	      gsl_matrix_get(xx, 0, 1) * gsl_matrix_get(xx, 0, 1);
	*slope = (gsl_matrix_get(xx, 0, 0) * xy[1] - gsl_matrix_get(xx, 0, 1) * xy[0]) / det;
	xy[0] = (xy[0] - gsl_matrix_get(xx, 0, 1) * *slope) / gsl_matrix_get(xx, 0, 0);
	for (i = 0, rss = 0; i < n; i++) {
		double r = gsl_vector_get(b, i) - xy[0] * gsl_matrix_get(a, i, 0) -
			   *slope * gsl_matrix_get(a, i, 1);

		rss += r * r;
		logs += 2 * log(gsl_matrix_get(v, i, i));
	}
	*error = sqrt(rss / (double)(n - 2) * gsl_matrix_get(xx, 0, 0) / det);
	*reml = -.5 * (logs + log(det) + (double)(n - 2) * log(rss));
	gsl_vector_free(b);
	gsl_matrix_free(xx);
	gsl_matrix_free(a);
	gsl_matrix_free(v);
}

/* The whole mixture once more, by dense matrices and the table of priors. */
static void agrees_with_dense_matrices(void **state)
{
	static const double walk[2][12] = {
		{ .5, .5, .5, .5, .5, 1, 1, 1, 1.5, 1.5, 1.5, 6 },
		{ .25, .25, .25, .25, 2, 3, 3, 2, 1.5, 1.5, 1.5, 6 },
	};
	static const double walk_sum[2] = { 16, 21.5 };
	size_t g, n;

	(void)state;
	for (n = 12; n <= 40; n += 7) {
		double slope[37], error[37], reml[37], weight[37], all = 0, mean = 0, below = 0;
		struct noise noise = noise_seed(n);
		struct seep_glsmix mix;

		noise_fill(&noise, WALK_WHITE, y, n);
		for (g = 0; g < 37; g++) {
			solve_dense(g, n, &slope[g], &error[g], &reml[g]);
			weight[g] = exp(reml[g] - reml[0]);
			weight[g] *= g == 0 ? .05 : g < 25 ? .15 / 24
				   : .8 * walk[n >= 30][g - 25] / walk_sum[n >= 30];
			error[g] *= g < 25 ? 1 : n < 30 ? 1.25 : 1.16;
			all += weight[g];
		}
		mix = fit(y, n);
		for (g = 0; g < 37; g++) {
			near(mix.weights[g], weight[g] / all, 2e-5);
			mean += weight[g] / all * slope[g];
			below += weight[g] / all *
				 gsl_cdf_tdist_P((mix.low - slope[g]) / error[g], (double)n - 2);
		}
		near(mix.mean, mean, 1e-4 * mix.se);
		near(below, .025, 1e-5);
	}
}

struct tally {
	size_t covered, growth;
	double half;
};

static struct tally simulate(enum colour colour, size_t n, size_t runs)
{
	struct tally tally = { 0, 0, 0 };
	size_t run;

	for (run = 1; run <= runs; run++) {
		struct noise noise = noise_seed(run);
		struct seep_glsmix mix;

		noise_fill(&noise, colour, y, n);
		mix = fit(y, n);
		tally.covered += mix.low <= 0 && mix.high >= 0;
		tally.growth += mix.p_plus < .025;
		tally.half += (mix.high - mix.low) / 2 / (double)runs;
	}
	return tally;
}

/* 400 series of 50 events each, seeds 1 to 400: 90 to 100 % of the intervals hold. */
static void intervals_hold(void **state)
{
	static const enum colour colours[] = { WHITE, AR9, WALK, WALK_WHITE };
	size_t k;

	(void)state;
	for (k = 0; k < 4; k++) {
		struct tally tally = simulate(colours[k], 50, 400);

		assert_in_range(tally.covered, 360, 400);
		assert_in_range(tally.growth, 0, 16); /* 4 %; the nominal rate is 2.5 % */
	}
}

/* The price is known too: intervals are not simply infinite. */
static void intervals_are_narrow(void **state)
{
	(void)state;
	assert_true(simulate(WALK, 50, 100).half < 2.4 / sqrt(50));
	assert_true(simulate(WHITE, 200, 100).half < 24 / pow(200, 1.5));
	assert_true(simulate(WALK, 1000, 50).half < 2.4 / sqrt(1000));
}

static void few_and_many_events_hold_too(void **state)
{
	(void)state;
	assert_in_range(simulate(WALK, 6, 200).covered, 180, 200);
	assert_in_range(simulate(WALK_WHITE, 12, 200).covered, 180, 200);
	assert_in_range(simulate(WALK, 1000, 100).covered, 90, 100);
	assert_in_range(simulate(AR98, 1000, 100).covered, 90, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replays_the_seed),
		cmocka_unit_test(warmup_ends_where_steps_settle),
		cmocka_unit_test(warmup_needs_a_reason),
		cmocka_unit_test(constant_series_has_rate_zero),
		cmocka_unit_test(perfect_line_has_a_tiny_interval),
		cmocka_unit_test(too_little_data_is_a_value),
		cmocka_unit_test(trend_is_added_to_the_rate),
		cmocka_unit_test(scale_and_level_do_not_matter),
		cmocka_unit_test(parts_add_up_under_frozen_weights),
		cmocka_unit_test(tells_columns_apart),
		cmocka_unit_test(weights_add_up_to_one),
		cmocka_unit_test(agrees_with_dense_matrices),
		cmocka_unit_test(intervals_hold),
		cmocka_unit_test(intervals_are_narrow),
		cmocka_unit_test(few_and_many_events_hold_too),
	};

	return cmocka_run_group_tests(tests, number_rows, NULL);
}
