/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/garbage.h"

#include "analyse/cause/runtime.h"
#include "analyse/threshold/thresholds.h"

#include <math.h>

/* The small CPython objects among what seems to leak. */
struct objects {
	size_t sites;
	double most;             /* at one site */
	double all, bytes;
	double per_event;        /* at most */
	bool regular;            /* nearly every event keeps one */
	bool alone;              /* nothing else seems to leak */
};

static struct objects count_objects(const struct seep_census *census)
{
	struct objects o = { .regular = true, .alone = true };
	size_t i;

	for (i = 0; i < census->n; i++) {
		const struct seep_site_result *result = &census->results[i];
		const struct seep_birth_profile *profile = &census->cohorts[i].profile;

		if (result->verdict != SEEP_SITE_LEAK || result->site->kind != SEEP_MEMORY_HEAP)
			continue;
		if (result->object_bytes > CONTAINER_BYTES ||
		    !seep_runtime_allocates(census->evidence->run, result->site)) {
			o.alone = false;
			continue;
		}
		o.sites++;
		o.most = fmax(o.most, profile->blocks);
		o.all += profile->blocks;
		o.bytes += profile->bytes;
		o.per_event = fmax(o.per_event, result->objects_per_event);
		o.regular = o.regular && profile->coverage >= EVERY_EVENT;
	}
	return o;
}

/*
 * CPython frees reference cycles only when its collector runs.  It checks young objects after 700
 * containers were created and not freed, and old ones when their number has grown by a quarter.  So
 * fewer than 700 objects at each site may all be garbage (an object and its contents are at least
 * two sites), and so may fewer than a quarter of all objects, unless every event keeps some.  Also,
 * up to 2000 small tuples of one size wait in a free list for reuse.  Returns how many objects
 * would settle it; 0: there is no such doubt.
 */
static double find_garbage(const struct seep_evidence *evidence, const struct objects *o)
{
	if (o->sites >= CYCLE_SITES && o->most < COLLECTED)
		return 2 * COLLECTED;
	if (o->sites && o->alone && o->sites <= FREE_LIST_SITES && o->most < FREE_LIST_OBJECTS)
		return FREE_LIST_OBJECTS;
	if (o->sites >= CYCLE_SITES && !evidence->slices && !o->regular &&
	    o->all < COLLECTED_PART * (double)evidence->run->live_blocks)
		return 2 * o->most;
	return 0;
}

/* What outlived a full collection is not garbage; it also empties the free lists. */
static bool was_collected(const struct seep_evidence *evidence)
{
	return evidence->run->collected_event >= 0 &&
	       (double)evidence->run->collected_event >=
		       COLLECTED_LATE * (double)evidence->clock.complete;
}

/* A collection at the end freed less than what seems to leak. */
static bool was_other(const struct seep_evidence *evidence, const struct objects *o)
{
	return evidence->run->collected_last &&
	       o->bytes > GARBAGE_OTHER * (double)evidence->run->collected_bytes;
}

bool seep_garbage_may_wait(const struct seep_census *census, double *events)
{
	const struct seep_evidence *evidence = census->evidence;
	struct objects objects;
	double needed;

	*events = 0;
	if (evidence->runtime->kind != SEEP_RUNTIME_PYTHON || evidence->run->n_dumps ||
	    was_collected(evidence))
		return false;
	objects = count_objects(census);
	if (was_other(evidence, &objects))
		return false;
	needed = find_garbage(evidence, &objects);
	if (objects.per_event > 0)
		*events = ceil(needed / objects.per_event);
	return needed > 0;
}
