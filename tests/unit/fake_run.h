/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run made up for the tests of analyse/: stamps, counters and sites put in by
 * hand, as model/load/load.c would have found them in a trace.
 */
#ifndef SEEP_TESTS_FAKE_RUN_H
#define SEEP_TESTS_FAKE_RUN_H

#include "base/arena.h"
#include "model/run.h"

#include <string.h>

struct fake {
	struct seep_arena arena;
	struct seep_run run;
	size_t stamp_room, event_room, site_room, anchor_room;
	int64_t now_ns;
};

static inline void fake_init(struct fake *fake, bool has_heap)
{
	memset(fake, 0, sizeof(*fake));
	seep_arena_init(&fake->arena);
	fake->run.has_heap = has_heap;
	fake->run.snapshot_event = SEEP_EVENT_NONE;
	fake->run.names = seep_arena_array(&fake->arena, 64, sizeof(char *));
	fake->run.names[0] = "";
	fake->run.n_names = 1;
}

static inline void fake_release(struct fake *fake)
{
	seep_arena_release(&fake->arena);
}

static inline uint32_t fake_name(struct fake *fake, const char *name)
{
	fake->run.names[fake->run.n_names] = name;
	return (uint32_t)fake->run.n_names++;
}

/* Every stamp is 1 ms behind the one before it. */
static inline void fake_stamp(struct fake *fake, uint32_t name, uint16_t flags, int64_t live,
			      int64_t rss)
{
	struct seep_run *run = &fake->run;

	run->stamps = seep_arena_grow(&fake->arena, run->stamps, run->n_stamps, &fake->stamp_room,
				      sizeof(*run->stamps));
	flags |= run->has_heap ? SEEP_STAMP_HEAP : 0;
	flags |= rss ? SEEP_STAMP_RSS : 0;
	fake->now_ns += 1000000;
	run->stamps[run->n_stamps++] = (struct seep_stamp){
		.t_ns = fake->now_ns, .live_bytes = live, .rss_bytes = rss, .name = name,
		.event = (int64_t)run->n_events - 1, .flags = flags,
	};
	if (run->n_events)
		run->events[run->n_events - 1].n_stamps++;
}

static inline void fake_begin(struct fake *fake, int64_t live, int64_t rss)
{
	struct seep_run *run = &fake->run;

	run->events = seep_arena_grow(&fake->arena, run->events, run->n_events, &fake->event_room,
				      sizeof(*run->events));
	run->events[run->n_events] = (struct seep_event){
		.number = (int64_t)run->n_events, .index = (int64_t)run->n_events,
		.first_stamp = run->n_stamps,
	};
	run->n_events++;
	fake_stamp(fake, 0, SEEP_STAMP_BEGIN, live, rss);
}

static inline void fake_end(struct fake *fake, int64_t live, int64_t rss)
{
	fake_stamp(fake, 0, SEEP_STAMP_END, live, rss);
}

/* All that an anchor tells, taken at the start of the event that came last. */
static inline void fake_anchor(struct fake *fake, const struct seep_anchor *terms)
{
	struct seep_run *run = &fake->run;
	struct seep_anchor *anchor;

	run->anchors = seep_arena_grow(&fake->arena, run->anchors, run->n_anchors,
				       &fake->anchor_room, sizeof(*run->anchors));
	anchor = &run->anchors[run->n_anchors++];
	*anchor = *terms;
	anchor->t_ns = fake->now_ns;
	anchor->event = (int64_t)run->n_events - 1;
	anchor->flags |= SEEP_ANCHOR_BEGIN | SEEP_ANCHOR_RSS;
}

/* A snapshot behind the last stamp. */
static inline void fake_snapshot(struct fake *fake)
{
	fake->run.snapshot_event = (int64_t)fake->run.n_events - 1;
	fake->run.snapshot_t_ns = fake->now_ns + 1;
	fake->run.snapshot_final = true;
}

/* One bin per event; blocks[e] of them alive, size bytes each. */
static inline struct seep_site *fake_site(struct fake *fake, size_t n, const double *blocks,
					  double size)
{
	struct seep_run *run = &fake->run;
	struct seep_site *site;
	size_t e;

	run->sites = seep_arena_grow(&fake->arena, run->sites, run->n_sites, &fake->site_room,
				     sizeof(*run->sites));
	site = &run->sites[run->n_sites++];
	memset(site, 0, sizeof(*site));
	site->id = (uint32_t)run->n_sites;
	site->cohorts.events_per_bin = 1;
	site->cohorts.n_bins = n;
	site->cohorts.live_blocks = seep_arena_array(&fake->arena, n, sizeof(uint64_t));
	site->cohorts.live_bytes = seep_arena_array(&fake->arena, n, sizeof(uint64_t));
	for (e = 0; e < n; e++) {
		site->cohorts.live_blocks[e] = (uint64_t)blocks[e];
		site->cohorts.live_bytes[e] = (uint64_t)(blocks[e] * size);
		site->born_blocks += (uint64_t)blocks[e];
		site->born_bytes += (uint64_t)(blocks[e] * size);
	}
	return site;
}

/* Blocks of this age that died. */
static inline void fake_deaths(struct seep_site *site, uint64_t age, uint64_t blocks)
{
	size_t bin = 0;

	while (age >> bin)
		bin++;
	site->ages[bin] += blocks;
	site->died_blocks += blocks;
	site->born_blocks += blocks;
	site->born_bytes += blocks;
}

static inline void fake_counter(struct fake *fake, const char *name, const double *values)
{
	struct seep_run *run = &fake->run;
	size_t e;

	if (!run->counters)
		run->counters = seep_arena_array(&fake->arena, 16, sizeof(*run->counters));
	run->counters[run->n_counters] = (struct seep_counter){
		.name = name, .given = run->n_events,
		.values = seep_arena_array(&fake->arena, run->n_events, sizeof(double)),
	};
	for (e = 0; e < run->n_events; e++)
		run->counters[run->n_counters].values[e] = values[e];
	run->n_counters++;
}

#endif
