/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sampler: its integer arithmetic against libm, and its estimates against known
 * streams of blocks.  Seeds are fixed; the bounds of what is random are five
 * standard errors, so that a right sampler fails for less than one seed in a million.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/heap/book/poisson.h"

#define SIGMAS 5

static void is_close(double value, double expected, double error)
{
	if (!(fabs(value - expected) <= error))
		fail_msg("%.15g is not %.15g within %g", value, expected, error);
}

static void takes_logarithms(void **state)
{
	uint64_t seed = 1, i;

	(void)state;
	for (i = 0; i < 1000000; i++) {
		uint64_t random = seep_poisson_next(&seed) >> i % 64;
		double expected = 64 * M_LN2 - log((double)(random ? random : 1));

		is_close(ldexp((double)seep_poisson_log(random), -58), expected, 4e-14);
	}
	is_close(ldexp((double)seep_poisson_log(UINT64_MAX), -58), 0, 1e-16);
}

static void weighs_by_one_over_p(void **state)
{
	static const uint64_t means[] = { 1, 7, 100, 4096, 65536, 512000, 1 << 20, 1ull << 32,
					  SEEP_POISSON_MEAN_MAX };
	uint64_t bytes;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(means) / sizeof(*means); i++)
		for (bytes = 1; bytes < 100 * means[i] && bytes < (uint64_t)1 << 46;
		     bytes += 1 + bytes / 50) {
			double p = -expm1(-(double)bytes / (double)means[i]);

			is_close(ldexp((double)seep_poisson_inverse(bytes, means[i]), -20), 1 / p,
				 2e-6 + 1e-9 / p);
		}
	assert_int_equal(seep_poisson_inverse(0, 512), seep_poisson_inverse(1, 512));
	assert_int_equal(seep_poisson_weight((uint64_t)1 << 40, 512, UINT64_MAX), 1);
}

static void takes_roots(void **state)
{
	uint64_t seed = 2, i, root;

	(void)state;
	for (i = 0; i < 1000; i++) {
		root = seep_poisson_next(&seed) >> i % 64;
		assert_int_equal(seep_poisson_root((seep_poisson_wide)root * root), root);
		if (root > 1)
			assert_int_equal(seep_poisson_root((seep_poisson_wide)root * root - 1),
					 root - 1);
	}
}

/* The whole part of an exponential variable: P(draw >= s) = exp(-s / mean). */
static void draws_exponential_distances(void **state)
{
	static const double parts[] = { .01, .1, .5, 1, 2, 5 };
	const double mean = 512000, n = 2e6;
	double sum = 0, above[6] = { 0 };
	uint64_t seed = 3, i, k;

	(void)state;
	for (i = 0; i < (uint64_t)n; i++) {
		double draw = (double)seep_poisson_draw(seep_poisson_next(&seed), (uint64_t)mean);

		sum += draw;
		for (k = 0; k < 6; k++)
			above[k] += draw >= parts[k] * mean;
	}
	is_close(sum / n, mean - .5, SIGMAS * mean / sqrt(n));
	for (k = 0; k < 6; k++) {
		double p = exp(-parts[k]);

		is_close(above[k] / n, p, SIGMAS * sqrt(p * (1 - p) / n));
	}
}

/* A thread's sampler, as sample.c has it. */
struct sampler {
	uint64_t seed, mean;
	int64_t left;
};

static struct sampler begin(uint64_t seed, uint64_t mean)
{
	struct sampler sampler = { .seed = seed, .mean = mean };

	sampler.left = (int64_t)seep_poisson_draw(seep_poisson_next(&sampler.seed), mean);
	return sampler;
}

/* What a block counts for: 0 if it is not in the sample. */
static double count(struct sampler *sampler, uint64_t bytes)
{
	sampler->left -= (int64_t)(bytes + !bytes);
	if (sampler->left >= 0)
		return 0;
	sampler->left = (int64_t)seep_poisson_draw(seep_poisson_next(&sampler->seed),
						   sampler->mean);
	return (double)seep_poisson_weight(bytes, sampler->mean,
					   seep_poisson_next(&sampler->seed));
}

/* Mean and variance of what many runs say. */
struct runs {
	double n, sum, squares;
};

static void add(struct runs *runs, double value)
{
	runs->n++;
	runs->sum += value;
	runs->squares += value * value;
}

static double mean_of(const struct runs *runs)
{
	return runs->sum / runs->n;
}

static double variance_of(const struct runs *runs)
{
	return (runs->squares - runs->sum * runs->sum / runs->n) / (runs->n - 1);
}

static void is_unbiased(const struct runs *runs, double truth)
{
	is_close(mean_of(runs), truth, SIGMAS * sqrt(variance_of(runs) / runs->n));
}

/* Sizes from 1 byte to twenty times the mean, in an order that repeats, as loops do. */
static void estimates_are_unbiased(void **state)
{
	static const uint64_t sizes[] = { 16, 104, 5000, 0, 16, 700, 20000, 80000, 1, 4096 };
	struct runs blocks = { 0 }, bytes = { 0 }, guessed = { 0 };
	double true_bytes = 0;
	uint64_t run, i;

	(void)state;
	for (i = 0; i < 1000; i++)
		true_bytes += (double)sizes[i % 10];
	for (run = 0; run < 4000; run++) {
		struct sampler sampler = begin(1000 + run, 4096);
		double n = 0, sum = 0, variance = 0;

		for (i = 0; i < 1000; i++) {
			double w = count(&sampler, sizes[i % 10]), z = (double)sizes[i % 10];

			n += w;
			sum += w * z;
			variance += z * z * w * (w - 1);
		}
		add(&blocks, n);
		add(&bytes, sum);
		add(&guessed, variance);
	}
	is_unbiased(&blocks, 1000);
	is_unbiased(&bytes, true_bytes);
	/* the variance of a variance: 4000 runs know it to 2.2 % */
	is_close(mean_of(&guessed), variance_of(&bytes), SIGMAS * .023 * variance_of(&bytes));
}

/* A block grows or shrinks: whatever it was, its new size decides anew. */
static void reallocation_stays_unbiased(void **state)
{
	static const uint64_t steps[] = { 16, 64, 3000, 100, 12000, 5000 };
	struct runs live[6] = { { 0 } };
	uint64_t run, block, step;

	(void)state;
	for (run = 0; run < 4000; run++) {
		struct sampler sampler = begin(90000 + run, 4096);
		double sums[6] = { 0 };

		for (block = 0; block < 50; block++)
			for (step = 0; step < 6; step++)
				sums[step] += count(&sampler, steps[step]) * (double)steps[step];
		for (step = 0; step < 6; step++)
			add(&live[step], sums[step]);
	}
	for (step = 0; step < 6; step++)
		is_unbiased(&live[step], 50 * (double)steps[step]);
}

/* The mean is raised at a moment that depends on what was chosen, as the tracker does it. */
static void raising_the_mean_stays_unbiased(void **state)
{
	struct runs bytes = { 0 };
	uint64_t run, i;

	(void)state;
	for (run = 0; run < 4000; run++) {
		struct sampler sampler = begin(500000 + run, 1000);
		uint64_t next = 1000, seen = 0;
		double sum = 0;

		for (i = 0; i < 2000; i++) {
			uint64_t size = 10 + i * 37 % 200;
			double w;

			sampler.left -= (int64_t)size;
			if (sampler.left >= 0)
				continue;
			w = (double)seep_poisson_weight(size, sampler.mean,
							seep_poisson_next(&sampler.seed));
			sum += w * (double)size;
			if (++seen % 20 == 0)
				next *= 4;
			sampler.mean = next;
			sampler.left = (int64_t)seep_poisson_draw(
				seep_poisson_next(&sampler.seed), sampler.mean);
		}
		add(&bytes, sum);
	}
	is_unbiased(&bytes, 10 * 2000 + 10 * 200 * 99.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_logarithms),
		cmocka_unit_test(weighs_by_one_over_p),
		cmocka_unit_test(takes_roots),
		cmocka_unit_test(draws_exponential_distances),
		cmocka_unit_test(estimates_are_unbiased),
		cmocka_unit_test(reallocation_stays_unbiased),
		cmocka_unit_test(raising_the_mean_stays_unbiased),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
