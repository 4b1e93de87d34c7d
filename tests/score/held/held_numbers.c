/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "held.h"

double held_between(struct held *h, double low, double high)
{
	return low + (high - low) * noise_uniform(h->noise);
}

double held_log_between(struct held *h, double low, double high)
{
	return low * pow(high / low, noise_uniform(h->noise));
}

size_t held_pick(struct held *h, size_t n)
{
	return (size_t)(noise_uniform(h->noise) * (double)n);
}

bool held_chance(struct held *h, double probability)
{
	return noise_uniform(h->noise) < probability;
}

double held_exponential(struct held *h, double mean)
{
	return -mean * log(noise_uniform(h->noise));
}

/* From 50 on the normal distribution is as good. */
uint64_t held_poisson(struct held *h, double mean)
{
	double left = mean;
	uint64_t n = 0;

	if (mean > 50)
		return (uint64_t)fmax(0, floor(mean + sqrt(mean) * noise_normal(h->noise) + .5));
	while ((left -= held_exponential(h, 1)) > 0)
		n++;
	return n;
}

uint64_t held_binomial(struct held *h, uint64_t n, double probability)
{
	uint64_t hits = 0;

	while (n--)
		hits += held_chance(h, probability);
	return hits;
}
