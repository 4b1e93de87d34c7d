/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/site/claim.h"

#include "analyse/threshold/thresholds.h"

#include <math.h>

/*
 * What was kept is certain.  Will it go on, and does it matter?  Events are the program's own
 * cycle, so what nearly every event keeps will go on, however small it is.  Slices of time are no
 * cycle: what is kept as time passes must be large enough to matter.
 */
static enum seep_doubt find_doubt(const struct seep_cohort *cohort,
				  const struct seep_cohort_clock *clock)
{
	const struct seep_birth_profile *p = &cohort->profile;
	bool regular = cohort->regular;

	if (cohort->late && p->since < (clock->slices ? NEW_PART * (double)clock->complete
						   : NEW_EVENTS))
		return SEEP_DOUBT_NEW;
	if (clock->slices && p->occurrences < SLICES_KEPT)
		return SEEP_DOUBT_FEW;
	if (!regular && p->filled < RARE_EVENTS)
		return SEEP_DOUBT_FEW;
	if (seep_birth_profile_has_stretches(p) || (clock->slices && !regular))
		return SEEP_DOUBT_STRETCHES;
	if ((clock->slices || !regular) && p->bytes < clock->material_bytes)
		return SEEP_DOUBT_SMALL;
	return SEEP_DOUBT_NONE;
}

/* Events after which a suspect will be a leak if it goes on like this. */
static double ask_for_more(const struct seep_cohort *cohort,
			   const struct seep_cohort_clock *clock)
{
	const struct seep_birth_profile *p = &cohort->profile;
	double least = clock->slices ? SLICES_KEPT : RARE_EVENTS, more = 2;

	if (cohort->doubt == SEEP_DOUBT_FEW)
		more = least / fmax(clock->slices ? p->occurrences : p->filled, 1);
	if (cohort->doubt == SEEP_DOUBT_SMALL && p->bytes > 0)
		more = clock->material_bytes / p->bytes;
	return ceil(1.1 * fmax(more, 1.5) * (double)clock->complete);
}

void seep_claim_weigh(struct seep_cohort *cohort, const struct seep_cohort_clock *clock)
{
	cohort->regular = clock->slices ? cohort->profile.spread >= SLICES_SPREAD
					: cohort->profile.coverage >= REGULAR_PART;
	cohort->doubt = find_doubt(cohort, clock);
	if (!cohort->doubt)
		return;
	cohort->verdict = SEEP_SITE_SUSPECT;
	cohort->events_needed = ask_for_more(cohort, clock);
}
