/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/limit.h"

#include <math.h>
#include <string.h>

static const struct seep_limit *find_smallest(const struct seep_run *run)
{
	const struct seep_limit *smallest = NULL;
	size_t i;

	for (i = 0; i < run->n_limits; i++)
		if (run->limits[i].bytes > 0 &&
		    (!smallest || run->limits[i].bytes < smallest->bytes))
			smallest = &run->limits[i];
	return smallest;
}

void seep_limit_reach(struct seep_oom *oom, const struct seep_run *run,
		      const struct seep_series *rss,
		      const struct seep_estimate *bytes_per_event, double period_s)
{
	const struct seep_limit *limit = find_smallest(run);
	double room;

	memset(oom, 0, sizeof(*oom));
	if (!limit || !bytes_per_event->known || !(bytes_per_event->value > 0) ||
	    !(period_s > 0) || !rss->has_closing)
		return;
	room = fmax((double)limit->bytes - rss->closing, 0);
	oom->known = true;
	oom->limit_bytes = limit->bytes;
	oom->limit_source = limit->source;
	oom->events = room / bytes_per_event->value;
	oom->seconds = oom->events * period_s;
	oom->low = room / bytes_per_event->high * period_s;
	oom->high = INFINITY;
	if (bytes_per_event->low > 0)
		oom->high = room / bytes_per_event->low * period_s;
}
