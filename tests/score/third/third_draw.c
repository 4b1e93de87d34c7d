/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "third.h"

double third_between(struct third *p, double low, double high)
{
	return low + (high - low) * noise_uniform(p->noise);
}

double third_log(struct third *p, double low, double high)
{
	return low * pow(high / low, noise_uniform(p->noise));
}

size_t third_pick(struct third *p, size_t n)
{
	return (size_t)((double)n * noise_uniform(p->noise));
}

bool third_chance(struct third *p, double probability)
{
	return noise_uniform(p->noise) < probability;
}

size_t third_poisson(struct third *p, double mean)
{
	double left = exp(-mean), product = 1;
	size_t k = 0;

	if (mean > 60) {
		double value = mean + sqrt(mean) * noise_normal(p->noise);

		return value > 0 ? (size_t)(value + .5) : 0;
	}
	while ((product *= noise_uniform(p->noise)) > left)
		k++;
	return k;
}

double third_lopsided(struct third *p, double mean, double spread)
{
	return mean * exp(spread * noise_normal(p->noise) - spread * spread / 2);
}

/* Of an event; not between two. */
uint32_t third_any_slot(struct third *p)
{
	return (uint32_t)third_pick(p, p->named + 1);
}

void third_truth(struct third *p, unsigned int kinds)
{
	p->c->truth = (struct score_truth){ .kinds = kinds, .bytes_per_event = NAN };
}

void third_truth_rate(struct third *p, unsigned int kinds, double bytes_per_event, uint32_t site)
{
	third_truth(p, kinds);
	p->c->truth.bytes_per_event = bytes_per_event;
	p->c->truth.site = site == THIRD_NONE ? 0 : site + 1;
}

/*
 * Phases lie between stamps with names: what comes before the first of them, or between two
 * events, is in the phase that the last one began.  With one name only, the start of the event
 * is the other.
 */
static const char *phase_of(const struct third *p, uint32_t slot)
{
	if (slot == 0 && p->named == 1)
		return "";
	return p->c->fake.run.names[p->names[slot && slot <= p->named ? slot : p->named]];
}

void third_truth_leak(struct third *p, double bytes_per_event, uint32_t site)
{
	uint32_t slot = site == THIRD_NONE ? 0 : p->sites[site].slot;

	third_truth_rate(p, SCORE_KIND(SEEP_KIND_LEAK), bytes_per_event, site);
	p->c->truth.leaks = true;
	if (site != THIRD_NONE && p->named)
		p->c->truth.phase = phase_of(p, slot);
}
