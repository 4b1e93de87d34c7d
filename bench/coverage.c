/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often analyse/ is right, on noise and on sites whose truth is known.
 * Prints the tables of docs/accuracy.md:
 *
 *   cc -std=gnu11 -O2 -Isrc -Itests/unit bench/coverage.c build/libseepcore.a \
 *      -lgsl -lgslcblas -lm -o /tmp/coverage && /tmp/coverage
 *
 * The seeds of every cell are 1, 2, 3 ..., so a table is the same everywhere.
 */
#include "analyse/site/cohort.h"
#include "analyse/cause/driver.h"
#include "analyse/verdict/evidence.h"
#include "analyse/series/rate.h"

#include "fake_life.h"
#include "noise.h"

#include <stdio.h>
#include <stdlib.h>

#define N_MAX 1000
#define N_SIZES (sizeof(sizes) / sizeof(*sizes))

static const char *const names[N_COLOURS] = {
	"white", "AR .5", "AR .9", "AR .98", "walk", "walk+white", "lognormal walk",
};
static const size_t sizes[] = { 6, 10, 20, 50, 100, 200, 1000 };
static double x[N_MAX], y[N_MAX], seconds[N_MAX];
static size_t events[N_MAX];

struct tally {
	double covered, growth, half;
};

static void add(struct tally *tally, const struct seep_estimate *e, bool growth, size_t runs)
{
	tally->covered += (e->low <= 0 && e->high >= 0) * 100. / (double)runs;
	tally->growth += growth * 100. / (double)runs;
	tally->half += (e->high - e->low) / 2 / (double)runs;
}

/* The bare regression. */
static struct tally try_glsmix(enum colour colour, size_t n, size_t runs)
{
	struct tally tally = { 0, 0, 0 };
	struct seep_glsmix mix;
	size_t run;

	for (run = 1; run <= runs; run++) {
		struct noise noise = noise_seed(run);

		noise_fill(&noise, colour, y, n);
		seep_glsmix_trend(&mix, y, x, n, 0);
		add(&tally, &(struct seep_estimate){ true, mix.mean, mix.low, mix.high },
		    mix.p_plus < .025, runs);
	}
	return tally;
}

/* With the choice of the warm-up before it, and the doubt that RSS deserves. */
static struct tally try_rate(enum colour colour, size_t n, size_t runs)
{
	struct seep_series series = {
		.n = n, .events = events, .index = x, .values = y, .seconds = seconds,
	};
	struct tally tally = { 0, 0, 0 };
	struct seep_rate rate;
	size_t run;

	for (run = 1; run <= runs; run++) {
		struct noise noise = noise_seed(run);

		noise_fill(&noise, colour, y, n);
		seep_rate_estimate(&rate, &series);
		add(&tally, &rate.bytes_per_event,
		    seep_evidence_grows(&rate, SEEP_SERIES_RSS), runs);
	}
	return tally;
}

static void print_rates(const char *title, size_t runs,
			struct tally (*try)(enum colour, size_t, size_t))
{
	size_t k;
	int colour;

	printf("\n%s, %zu series per cell\n\n| noise |", title, runs);
	for (k = 0; k < N_SIZES; k++)
		printf(" n=%zu |", sizes[k]);
	printf("\n|---|---|---|---|---|---|---|---|\n");
	for (colour = 0; colour < N_COLOURS; colour++) {
		printf("| %s |", names[colour]);
		for (k = 0; k < N_SIZES; k++) {
			struct tally t = try((enum colour)colour, sizes[k], runs);

			printf(" %.1f / %.1f / %.3f |", t.covered, t.growth, t.half);
			fflush(stdout);
		}
		printf("\n");
	}
}

static double try_site(const struct life *life, size_t n, size_t runs)
{
	struct seep_cohort_clock clock = { (int64_t)n, (int64_t)n, 0 };
	double leaks = 0;
	size_t run;

	for (run = 1; run <= runs; run++) {
		struct noise noise = noise_seed(run);
		struct seep_cohort cohort;
		struct fake fake;

		fake_init(&fake, true);
		seep_cohort_judge(&cohort, fake_life(&fake, life, n, &noise), clock);
		leaks += (cohort.verdict == SEEP_SITE_LEAK) * 100. / (double)runs;
		fake_release(&fake);
	}
	return leaks;
}

static void print_sites(size_t runs)
{
	size_t k, i;

	printf("\nsites judged leak %%, %zu sites per cell\n\n| site |", runs);
	for (k = 1; k < N_SIZES; k++)
		printf(" n=%zu |", sizes[k]);
	printf("\n|---|---|---|---|---|---|---|\n");
	for (i = 0; i < N_LIVES; i++) {
		printf("| %s |", lives[i].name);
		for (k = 1; k < N_SIZES; k++)
			printf(" %.1f |", try_site(&lives[i], sizes[k], runs));
		printf("\n");
	}
}

/* 1216 bytes per hit in RSS noise; photons follow the hits, the third follows nothing. */
static struct seep_verdict try_driver(size_t n, double spread, uint64_t seed, struct fake *fake)
{
	static double hits[N_MAX], photons[N_MAX], other[N_MAX];
	struct noise noise = noise_seed(seed);
	struct seep_verdict verdict = { 0 };
	struct seep_series series;
	struct seep_rate rate;
	double level = 1e8;
	size_t e;

	for (e = 0; e < n; e++) {
		double z = noise_normal(&noise);

		hits[e] = round(1758 + 39 * z);
		photons[e] = round(90000 + 2000 * (.98 * z + .2 * noise_normal(&noise)));
		other[e] = round(100 + 10 * noise_normal(&noise));
		fake_begin(fake, (int64_t)round(level + spread * noise_normal(&noise)), 0);
		level += 1216 * hits[e];
	}
	fake_counter(fake, "hits", hits);
	fake_counter(fake, "photons", photons);
	fake_counter(fake, "other", other);
	seep_series_build(&series, &fake->run, SEEP_SERIES_HEAP, &fake->arena);
	seep_rate_estimate(&rate, &series);
	seep_driver_find(&verdict.drivers, &verdict.n_drivers,
			 &(struct seep_driver_question){ &fake->run, NULL, 0, &series, &rate,
							 false }, &fake->arena);
	return verdict;
}

static bool is_hits(const struct seep_driver *driver)
{
	return !driver->counter && !driver->time && !driver->running_maximum && !driver->combined;
}

static void print_drivers(size_t runs)
{
	static const double spreads[] = { 0, 4000, 40000, 400000 };
	static const size_t lengths[] = { 10, 30, 100, 300 };
	size_t k, i, run, d;

	printf("\ndrivers: hits named alone %% / among others %% / others only %%, "
	       "%zu runs per cell\n\n| noise B |", runs);
	for (k = 0; k < 4; k++)
		printf(" n=%zu |", lengths[k]);
	printf("\n|---|---|---|---|---|\n");
	for (i = 0; i < 4; i++) {
		printf("| %.0f |", spreads[i]);
		for (k = 0; k < 4; k++) {
			double counts[3] = { 0, 0, 0 };

			for (run = 1; run <= runs; run++) {
				struct seep_verdict verdict;
				struct fake fake;
				bool named = false;

				fake_init(&fake, true);
				verdict = try_driver(lengths[k], spreads[i], run, &fake);
				for (d = 0; d < verdict.n_drivers; d++)
					named = named || is_hits(&verdict.drivers[d]);
				if (verdict.n_drivers)
					counts[!named ? 2 : verdict.n_drivers > 1] +=
						100. / (double)runs;
				fake_release(&fake);
			}
			printf(" %.0f / %.0f / %.0f |", counts[0], counts[1], counts[2]);
			fflush(stdout);
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000, i;

	for (i = 0; i < N_MAX; i++) {
		events[i] = i;
		x[i] = seconds[i] = (double)i;
	}
	print_rates("GLSmix: coverage % / false growth % / mean half width", runs, try_glsmix);
	print_rates("rate: coverage % / false growth % / mean half width", runs, try_rate);
	print_sites(runs);
	print_drivers(runs / 10);
	return 0;
}
