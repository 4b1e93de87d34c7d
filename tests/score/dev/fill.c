/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the blocks of a world to the run that a trace of it would have given. */
#include "world.h"

#define IN_EVENT .9              /* of an event's time, before its end */
#define TRACKER_START 2e6
#define TRACKER_PER_BLOCK 32

struct filling {
	struct world *w;
	double *noise;           /* of RSS, by event */
	double slack;            /* bytes that are always there */
	double live, blocks;     /* now, as the tracker counts them */
	double heap;             /* bytes that are really alive */
	double footprint;        /* ... and what the allocator keeps of those that were */
	double mapped, resident, file; /* not of the heap; of it in memory; of that of files */
	int64_t rss;             /* at the last stamp */
	size_t next_anchor;
};

/* The noise of RSS by event, of the sd that was drawn. */
static double *draw_rss_noise(struct world *w)
{
	static const double phis[N_COLOURS] = { [AR5] = .5, [AR9] = .9, [AR98] = .98 };
	double *y = seep_arena_array(&w->c->fake.arena, w->n, sizeof(double));
	enum colour colour = w->knobs.rss_colour;
	double scale = w->knobs.rss_sd * sqrt(1 - phis[colour] * phis[colour]);
	size_t e;

	if (colour == WALK || colour == WALK_WHITE || colour == LOGNORMAL_WALK)
		scale = 1.5 * w->knobs.rss_sd / sqrt((double)w->n);
	noise_fill(w->noise, colour, y, w->n);
	for (e = 0; e < w->n; e++)
		y[e] *= scale;
	return y;
}

static double slack_now(const struct filling *f, size_t e)
{
	return f->slack + f->w->knobs.slack_part * f->heap + f->w->slack[e] + f->footprint -
	       f->heap;
}

/* The heap grows at once, and shrinks with time. */
static void follow_heap(struct filling *f, size_t k)
{
	if (k == 0)
		f->footprint -= f->w->knobs.return_part * (f->footprint - f->heap);
	f->footprint = fmax(f->footprint, f->heap);
}

static double tracker_now(const struct filling *f)
{
	if (!f->w->c->fake.run.has_heap)
		return 0;
	return 4096 * floor((TRACKER_START + TRACKER_PER_BLOCK * f->blocks) / 4096);
}

/* Noise does not wait for the start of an event: it is spread over its stamps. */
static double noise_now(const struct filling *f, size_t e, size_t k)
{
	double to = f->noise[e + 1 < f->w->n ? e + 1 : e];

	return f->noise[e] + (double)k / (double)f->w->places * (to - f->noise[e]);
}

static int64_t rss_now(const struct filling *f, size_t e, size_t k)
{
	const struct world *w = f->w;
	double bytes = w->knobs.base_bytes + f->heap + slack_now(f, e) + f->resident +
		       w->beside[e] + noise_now(f, e, k);

	bytes = fmax(bytes, f->heap);
	return (int64_t)(w->knobs.rss_quantum * floor(bytes / w->knobs.rss_quantum) +
			 tracker_now(f));
}

static void put_stamp(struct filling *f, size_t e, size_t k)
{
	struct world *w = f->w;
	struct fake *fake = &w->c->fake;
	double part = (double)k / (double)(w->places - 1) * IN_EVENT;
	double at = w->seconds[e] + part * (w->seconds[e + 1] - w->seconds[e]);
	struct seep_stamp *stamp;

	f->rss = rss_now(f, e, k);
	fake->now_ns = (int64_t)(at * 1e9) - 1000000; /* fake_stamp adds it again */
	if (k == 0)
		fake_begin(fake, (int64_t)f->live, f->rss);
	else if (k == w->places - 1)
		fake_end(fake, (int64_t)f->live, f->rss);
	else
		fake_stamp(fake, w->name_ids[k - 1], 0, (int64_t)f->live, f->rss);
	stamp = &fake->run.stamps[fake->run.n_stamps - 1];
	stamp->live_blocks = (int64_t)f->blocks;
	stamp->tracker_bytes = (int64_t)tracker_now(f);
	stamp->vm_bytes = 2 * f->rss;
	if (!fake->run.has_heap)
		stamp->live_bytes = stamp->live_blocks = 0;
}

/* At the first 16 events and then at every 16th part of the events so far. */
static void put_anchor(struct filling *f, size_t e)
{
	struct world *w = f->w;

	if (e != f->next_anchor || !w->c->fake.run.has_heap)
		return;
	f->next_anchor += 1 + e / 16;
	fake_anchor(&w->c->fake, &(struct seep_anchor){
		.rss_bytes = f->rss, .rss_file_bytes = (int64_t)f->file,
		.live_bytes = (int64_t)f->live,
		.allocator_bytes = (int64_t)(f->heap + slack_now(f, e)),
		.non_heap_bytes = (int64_t)f->mapped,
		.non_heap_resident_bytes = (int64_t)f->resident,
		.tracker_bytes = (int64_t)tracker_now(f),
		.flags = SEEP_ANCHOR_ALLOCATOR | SEEP_ANCHOR_RESIDENT,
	});
}

static void put_events(struct filling *f)
{
	struct world *w = f->w;
	size_t e, k, at = 0;

	for (e = 0; e < w->n; e++)
		for (k = 0; k < w->places; k++, at++) {
			put_stamp(f, e, k);
			if (k == 0) {
				w->c->fake.run.events[e].index = w->index[e];
				put_anchor(f, e);
			}
			f->live += w->bytes[at];
			f->blocks += w->blocks[at];
			f->heap += w->unsampled[at];
			follow_heap(f, k);
			f->mapped += w->mapped[at];
			f->resident += w->resident[at];
			f->file += w->file[at];
		}
	w->c->fake.run.last_ended = true;
}

static void put_probe(struct filling *f)
{
	struct world *w = f->w;
	struct seep_run *run = &w->c->fake.run;
	double slack = slack_now(f, w->n - 1);

	if (!run->has_heap)
		return;
	run->live_bytes = run->end_live_bytes = (int64_t)f->live;
	run->live_blocks = (int64_t)f->blocks;
	run->probe = (struct seep_probe){
		.done = true, .event = (int64_t)w->n - 1, .allocator = "glibc",
		.rss_before_bytes = f->rss,
		.rss_after_bytes = f->rss - (int64_t)(w->knobs.probe_gain * slack),
		.heap_resident_bytes = (int64_t)(f->heap + slack),
		.live_bytes = (int64_t)f->live,
	};
}

static uint32_t phase_id(const struct world *w, size_t place)
{
	if (place == w->places - 1)
		return SEEP_PHASE_BETWEEN;
	return place ? w->name_ids[place - 1] : 0;
}

static void put_site(struct world *w, const struct world_site *from)
{
	struct fake *fake = &w->c->fake;
	double *none = seep_arena_array(&fake->arena, w->bins, sizeof(double));
	struct seep_site *site = fake_site(fake, w->bins, none, 0);
	struct seep_cohorts *cohorts = &site->cohorts;

	site->kind = from->kind;
	site->after_stamp = phase_id(w, from->born_at);
	site->born_blocks = from->born_blocks;
	site->born_bytes = from->born_bytes;
	site->died_blocks = from->died_blocks;
	site->died_bytes = from->died_bytes;
	site->moved_blocks = from->moved_blocks;
	site->pinned_bytes = from->pinned_bytes;
	site->pinning_blocks = from->pinning_blocks;
	memcpy(site->ages, from->ages, sizeof(site->ages));
	cohorts->events_per_bin = w->events_per_bin;
	cohorts->live_blocks = from->live_blocks;
	cohorts->live_bytes = from->live_bytes;
	cohorts->early_blocks = from->early_blocks;
	cohorts->early_bytes = from->early_bytes;
	if (w->knobs.sample_bytes > 0 && from->kind == SEEP_MEMORY_HEAP) {
		cohorts->samples = from->samples;
		cohorts->variance = from->variance;
	}
}

/* In any order, so that the number of a site tells nothing. */
static void put_sites(struct world *w)
{
	size_t *order = seep_arena_array(&w->c->fake.arena, w->n_sites, sizeof(size_t)), i, j;

	for (i = 0; i < w->n_sites; i++) {
		j = draw_index(w->noise, i + 1);
		order[i] = order[j];
		order[j] = i;
	}
	for (i = 0; i < w->n_sites; i++) {
		put_site(w, &w->sites[order[i]]);
		if (order[i] == w->planted)
			w->c->truth.site = w->c->fake.run.sites[i].id;
	}
}

void world_finish(struct world *w)
{
	struct seep_run *run = &w->c->fake.run;
	struct filling f = { .w = w };
	size_t i;

	world_add_background(w);
	f.noise = draw_rss_noise(w);
	f.file = draw_between(w->noise, .1, .5) * w->knobs.base_bytes; /* code, and what it maps */
	f.slack = draw_between(w->noise, 1e5, 6e5);
	f.live = f.heap = f.footprint = w->early_bytes;
	f.blocks = w->early_blocks;
	run->event_source = SEEP_EVENTS_API;
	run->complete = true;
	for (i = 0; i < w->n_names; i++)
		w->name_ids[i] = fake_name(&w->c->fake, w->names[i]);
	put_events(&f);
	fake_snapshot(&w->c->fake);
	put_probe(&f);
	for (i = 0; i < w->n_counters; i++)
		fake_counter(&w->c->fake, w->counter_names[i], w->counters[i]);
	if (!run->has_heap) {
		run->snapshot_event = SEEP_EVENT_NONE;
		run->snapshot_final = false;
		w->c->truth.site = 0;
		return;
	}
	run->sampling.mean_bytes = (uint64_t)w->knobs.sample_bytes;
	run->wall_ns = (int64_t)(w->seconds[w->n] * 1e9);
	put_sites(w);
}
