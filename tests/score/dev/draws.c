/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world.h"

#define NORMAL_FROM 60.0         /* a Poisson of that mean is about normal */

double draw_between(struct noise *noise, double low, double high)
{
	return low + (high - low) * noise_uniform(noise);
}

double draw_log(struct noise *noise, double low, double high)
{
	return low * pow(high / low, noise_uniform(noise));
}

size_t draw_index(struct noise *noise, size_t n)
{
	return (size_t)(noise_uniform(noise) * (double)n);
}

bool draw_chance(struct noise *noise, double p)
{
	return noise_uniform(noise) < p;
}

double draw_poisson(struct noise *noise, double mean)
{
	double product, limit = exp(-mean), k = 0;

	if (mean > NORMAL_FROM)
		return fmax(round(mean + sqrt(mean) * noise_normal(noise)), 0);
	for (product = noise_uniform(noise); product > limit; k++)
		product *= noise_uniform(noise);
	return k;
}

double draw_binomial(struct noise *noise, double n, double p)
{
	double k = 0, i;

	if (p >= 1)
		return n;
	if (n * p > NORMAL_FROM && n * (1 - p) > NORMAL_FROM)
		return round(n * p + sqrt(n * p * (1 - p)) * noise_normal(noise));
	if (n > 10 * NORMAL_FROM)
		return fmin(draw_poisson(noise, n * p), n);
	for (i = 0; i < n; i++)
		k += noise_uniform(noise) < p;
	return k;
}

size_t draw_life(struct noise *noise, double mean)
{
	if (mean <= 1)
		return 1;
	return 1 + (size_t)(log(noise_uniform(noise)) / log(1 - 1 / mean));
}

/* Most blocks are small; sizes come in the steps that people ask for. */
double draw_block_size(struct noise *noise)
{
	return 8 * ceil(draw_log(noise, 16, 4096) / 8);
}
