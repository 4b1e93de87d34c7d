/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/site/birth_profile.h"

#include "analyse/threshold/thresholds.h"

#include <math.h>
#include <string.h>

#define BINS 32

static void count(struct seep_birth_profile *profile, const struct seep_cohort_table *c,
		  size_t first,
		  size_t end)
{
	double least = INFINITY;
	size_t i;

	for (i = first; i < end; i++)
		if (c->blocks[i] > 0)
			least = fmin(least, c->blocks[i]);

	for (i = first; i < end; i++) {
		double events = seep_cohort_events(c, i, i + 1);

		profile->filled += c->blocks[i] > 0;
		profile->blocks += c->blocks[i];
		profile->bytes += c->bytes[i];
		profile->occurrences += fmin(c->blocks[i], events);
		profile->distinct += fmin(c->blocks[i] / least, events);
	}
	profile->coverage = profile->occurrences / profile->events;
}

/* Cohorts are merged until each bin has at least its share of the events. */
static double find_spread(const struct seep_cohort_table *c, size_t first, size_t end)
{
	double width = seep_cohort_work(c, first, end) / BINS, filled = 0, bins = 0;
	size_t i = first, from;

	while (i < end) {
		bool kept = false;

		from = i;
		do
			kept = kept || c->blocks[i] > 0;
		while (++i < end && seep_cohort_work(c, from, i) < width);
		filled += kept;
		bins++;
	}
	return bins > 0 ? filled / bins : 0;
}

static void find_gaps(struct seep_birth_profile *profile, const struct seep_cohort_table *c,
		      size_t first, size_t end)
{
	double gap = 0, pause = 0, widest = 0, longest = 0;
	bool seen = false;
	size_t i;

	for (i = first; i < end; i++) {
		if (!(c->blocks[i] > 0)) {
			gap += seep_cohort_work(c, i, i + 1);
			pause += seep_cohort_events(c, i, i + 1);
			continue;
		}
		if (!seen)
			profile->since = seep_cohort_events(c, i, end);
		else {
			widest = fmax(widest, gap);
			longest = fmax(longest, pause);
		}
		seen = true;
		gap = pause = 0;
	}
	if (c->bursts)
		profile->pause = longest / profile->events;
	profile->widest = widest / fmax(seep_cohort_work(c, first, end), 1);
}

/*
 * The longest stretch at the end that kept hardly anything.  Cohorts too young to judge count too:
 * their survivors can only become fewer.
 */
static double find_trailing(const struct seep_birth_profile *profile,
			    const struct seep_cohort_table *c,
			    size_t first)
{
	double events = seep_cohort_events(c, first, c->n), kept = 0, trailing = 0;
	double usual = profile->coverage;
	size_t i;

	for (i = c->n; i-- > first;) {
		double part = seep_cohort_events(c, i, c->n);

		kept += fmin(c->blocks[i], seep_cohort_events(c, i, i + 1));
		if (kept <= ENDED_HARDLY * usual * part)
			trailing = part / events;
	}
	return trailing;
}

void seep_birth_profile_read(struct seep_birth_profile *profile, const struct seep_cohort_table *c,
			     size_t first, size_t end)
{
	memset(profile, 0, sizeof(*profile));
	if (first >= end)
		return;
	profile->events = seep_cohort_events(c, first, end);
	count(profile, c, first, end);
	profile->spread = find_spread(c, first, end);
	find_gaps(profile, c, first, end);
	profile->trailing = find_trailing(profile, c, first);
}

bool seep_birth_profile_has_ended(const struct seep_birth_profile *profile)
{
	return profile->trailing > fmax(ENDED_PART, ENDED_PAUSES * profile->pause) &&
	       pow(1 - profile->trailing, profile->distinct) < GAP_CHANCE;
}

bool seep_birth_profile_has_stretches(const struct seep_birth_profile *profile)
{
	return profile->widest > STRETCH_PART &&
	       profile->distinct * pow(1 - profile->widest, profile->distinct) < GAP_CHANCE;
}
