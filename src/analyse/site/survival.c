/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/site/survival.h"

#include "analyse/threshold/thresholds.h"

#include <math.h>
#include <string.h>

#define BINS SEEP_TRACE_AGE_BINS

/* Ages come in bins: 0, 1, 2 to 3, 4 to 7 ... */
static size_t bin_of(int64_t age)
{
	size_t k = 0;

	while (k + 1 < BINS && age >> k)
		k++;
	return k;
}

/* The smallest age in a bin. */
static int64_t age_of(size_t bin)
{
	return bin ? (int64_t)1 << (bin - 1) : 0;
}

/* Blocks that are alive, by the age that they have now. */
static void count_alive(double *alive, const struct seep_site *site, int64_t complete)
{
	const struct seep_cohorts *c = &site->cohorts;
	size_t b;

	for (b = 0; b < c->n_bins; b++) {
		double middle = (double)c->first_event +
				((double)b + .5) * (double)c->events_per_bin - .5;
		int64_t age = complete - 1 - (int64_t)middle;

		alive[bin_of(age > 0 ? age : 0)] += (double)c->live_blocks[b];
	}
	if (c->early_blocks)
		alive[bin_of(complete)] += (double)c->early_blocks;
}

void seep_survival_estimate(struct seep_survival *survival, const struct seep_site *site,
			    int64_t complete)
{
	double alive[BINS] = { 0 }, at_risk[BINS + 1] = { 0 }, left = 1, greenwood = 0, spread;
	size_t k;

	memset(survival, 0, sizeof(*survival));
	count_alive(alive, site, complete);
	for (k = BINS; k-- > 0;)
		at_risk[k] = at_risk[k + 1] + alive[k] + (double)site->ages[k];
	for (k = 0; k < BINS && at_risk[k] >= SURVIVAL_BLOCKS; k++) {
		/* those that are alive leave in the middle of their bin */
		double risk = at_risk[k] - alive[k] / 2, deaths = (double)site->ages[k];

		if (complete - age_of(k) < SURVIVAL_COHORTS)
			break;
		left *= 1 - deaths / risk;
		if (risk > deaths)
			greenwood += deaths / (risk * (risk - deaths));
		survival->alive[k] = left;
		survival->n = k + 1;
	}
	if (!survival->n)
		return;
	survival->known = true;
	survival->age = age_of(survival->n) - 1;
	if (survival->age > complete)
		survival->age = complete;
	spread = INTERVAL_SIGMAS * left * sqrt(greenwood);
	survival->kept = (struct seep_estimate){
		true, left, fmax(left - spread, 0), fmin(left + spread, 1),
	};
	if (!(left > 0)) /* none was kept: fewer than 3 of them (95 %) */
		survival->kept.high = fmin(NONE_SEEN / at_risk[0], 1);
	if (!(left < 1)) /* all were kept: the same for those that died by that age */
		survival->kept.low = fmax(1 - NONE_SEEN / at_risk[survival->n - 1], 0);
}
