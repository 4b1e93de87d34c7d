/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often the 95 % interval of the rate holds the rate, over noise of every colour, and
 * how wide it is beside that of an estimator which is told the noise.
 *
 * That estimator is generalised least squares with the true covariance: a Kalman filter
 * with the true parameters makes the noise white, and a line fit does the rest.
 */
#include "outcome.h"

#include "analyse/series/rate.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNIT 1000.0              /* bytes of noise */
#define SLOPE 250.0              /* bytes per event */
#define N_MAX 1000

/* s + w: s remembers phi of its past and gets steps of sd step, w is white of sd white. */
struct noise_model {
	const char *name;
	double phi, step, white;
	bool lopsided;           /* lognormal steps */
};

static const struct noise_model models[] = {
	{ "white", 0, 0, 1, false },
	{ "AR(.5)", .5, 1, 0, false },
	{ "AR(.9)", .9, 1, 0, false },
	{ "AR(.98)", .98, 1, 0, false },
	{ "random walk", 1, 1, 0, false },
	{ "walk + 20 x white", 1, .05, 1, false },
	{ "walk + 10 x white", 1, .1, 1, false },
	{ "walk + 5 x white", 1, .2, 1, false },
	{ "walk + 2.5 x white", 1, .4, 1, false },
	{ "walk + white", 1, 1, 1, false },
	{ "AR(.9) + 2 x white", .9, .5, 1, false },
	{ "lognormal steps", 1, 1, 0, true },
};

#define N_MODELS (sizeof(models) / sizeof(*models))

static const size_t lengths[] = { 10, 50, 200, 1000 };

#define N_LENGTHS (sizeof(lengths) / sizeof(*lengths))

struct cell {
	size_t covered;
	double width, ideal;
};

static double draw_step(struct noise *noise, const struct noise_model *m)
{
	double z = noise_normal(noise);

	/* of variance 1 */
	return m->lopsided ? (exp(z) - exp(.5)) / sqrt(expm1(1) * exp(1)) : z;
}

static void fill(double *y, size_t n, const struct noise_model *m, struct noise *noise)
{
	double s = 0;
	size_t i;

	if (m->phi < 1)
		s = m->step / sqrt(1 - m->phi * m->phi) * noise_normal(noise);
	for (i = 0; i < n; i++) {
		s = m->phi * s + m->step * draw_step(noise, m);
		y[i] = 1e8 + SLOPE * (double)i +
		       UNIT * (s + (m->white > 0 ? m->white * noise_normal(noise) : 0));
	}
}

/* The width of the interval of whoever knows the noise. */
static double ideal_width(size_t n, const struct noise_model *m)
{
	double q = m->step * m->step, r = m->white * m->white;
	double p = m->phi < 1 ? q / (1 - m->phi * m->phi) : q;
	double one = 0, time = 0, aa = 0, ab = 0, bb = 0, f, k, u, v;
	size_t i;

	for (i = 0; i < n; i++) {
		f = p + r;
		k = p / f;
		u = 1 - one;
		v = (double)i - time;
		aa += u * u / f;
		ab += u * v / f;
		bb += v * v / f;
		one = m->phi * (one + k * u);
		time = m->phi * (time + k * v);
		p = m->phi * m->phi * p * (1 - k) + q;
	}
	return 2 * 1.96 * UNIT * sqrt(aa / (aa * bb - ab * ab));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static struct cell measure(size_t n, const struct noise_model *m, size_t runs, uint64_t seed)
{
	static double y[N_MAX], x[N_MAX], seconds[N_MAX];
	static size_t events[N_MAX];
	double *widths = calloc(runs, sizeof(*widths));
	struct cell cell = { .ideal = ideal_width(n, m) };
	struct seep_rate rate;
	size_t k, i;

	for (i = 0; i < n; i++) {
		events[i] = i;
		x[i] = (double)i;
		seconds[i] = .001 * (double)i;
	}
	for (k = 0; k < runs && widths; k++) {
		struct noise noise = noise_seed((seed + k) * N_MODELS + (size_t)(m - models));
		struct seep_series series = { .kind = SEEP_SERIES_HEAP, .n = n, .stride = 1,
			.events = events, .index = x, .values = y, .seconds = seconds };

		fill(y, n, m, &noise);
		seep_rate_estimate(&rate, &series);
		widths[k] = rate.bytes_per_event.high - rate.bytes_per_event.low;
		cell.covered += rate.bytes_per_event.low <= SLOPE &&
				SLOPE <= rate.bytes_per_event.high;
	}
	if (widths) {
		qsort(widths, runs, sizeof(*widths), compare);
		cell.width = widths[runs / 2];
	}
	free(widths);
	return cell;
}

static void print_cells(struct cell (*cells)[N_LENGTHS], size_t runs)
{
	size_t m, l;

	printf("95 %% interval of the rate over %zu series each: coverage in %%, and the median\n"
	       "width over that of an estimator which knows the noise\n\n%-20s", runs, "noise");
	for (l = 0; l < N_LENGTHS; l++)
		printf("      n = %-5zu", lengths[l]);
	putchar('\n');
	for (m = 0; m < N_MODELS; m++) {
		printf("%-20s", models[m].name);
		for (l = 0; l < N_LENGTHS; l++)
			printf("  %6.1f  x%5.2f", 100 * (double)cells[m][l].covered / (double)runs,
			       cells[m][l].width / cells[m][l].ideal);
		putchar('\n');
	}
}

/* Two processes share the models. */
int coverage_print(size_t runs, uint64_t seed)
{
	size_t bytes = N_MODELS * N_LENGTHS * sizeof(struct cell), m, l;
	struct cell (*cells)[N_LENGTHS];
	int status = 0;
	pid_t child;

	cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cells == MAP_FAILED)
		return 1;
	fflush(stdout);
	child = fork();
	for (m = child ? 0 : 1; m < N_MODELS; m += child < 0 ? 1 : 2)
		for (l = 0; l < N_LENGTHS; l++)
			cells[m][l] = measure(lengths[l], &models[m], runs, seed);
	if (child == 0)
		_exit(0);
	if (child > 0 && (waitpid(child, &status, 0) < 0 || status))
		return 1;
	print_cells(cells, runs);
	munmap(cells, bytes);
	return 0;
}
