/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/series/timeline.h"

#include <inttypes.h>

#define LEVELLED_NS ((int64_t)1000000000)
#define LONGEST_NS (INT64_MAX / 4)

int64_t seep_timeline_next(struct seep_timeline *timeline, int64_t t_ns, uint64_t place)
{
	int64_t told;

	if (!timeline->begun) {
		timeline->begun = true;
		timeline->first_ns = timeline->last_ns = t_ns;
		timeline->shift_ns = -t_ns;
	}
	if (timeline->last_ns - t_ns >= LEVELLED_NS) {
		if (!timeline->n_back++)
			timeline->place_back = place;
		timeline->shift_ns = timeline->told_ns - t_ns;
	}
	timeline->last_ns = t_ns;
	/* Times that fall and rise repeatedly would add up without bound. */
	told = t_ns > LONGEST_NS - timeline->shift_ns ? LONGEST_NS : t_ns + timeline->shift_ns;
	if (told > timeline->told_ns)
		timeline->told_ns = told;
	return timeline->told_ns;
}

void seep_timeline_note(const struct seep_timeline *timeline, struct seep_compose *c,
			const char *place)
{
	if (timeline->n_back)
		seep_compose_note(c, "the clock goes back %" PRIu64 " time%s in this file, first "
				  "in %s %" PRIu64 ": the records are read in file order, and time "
				  "continues from there", timeline->n_back,
				  timeline->n_back == 1 ? "" : "s", place, timeline->place_back);
}
