/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the blocks of a lifelike program to the run that a trace of it would have given. */
#include "lifelike.h"

#define PAGE 4096.0
#define TRACKER_START 2e6
#define TRACKER_PER_BLOCK 32

struct telling {
	struct life *l;
	double live, blocks;     /* now */
	double most;             /* what the allocator has for them */
	double base, slack, wander, wander_sd, phi; /* of RSS */
	double returns;          /* per event, of what is free */
	size_t next_anchor;
	int64_t rss;
};

static double tracker_now(const struct telling *t)
{
	return PAGE * floor((TRACKER_START + TRACKER_PER_BLOCK * t->blocks +
			     16 * (double)t->l->c->fake.run.n_sites) / PAGE);
}

static double allocator_now(const struct telling *t)
{
	return PAGE * ceil(1.06 * t->most / PAGE) + t->slack;
}

/* Memory that is free goes back to the system slowly. */
static void breathe(struct telling *t)
{
	double z = noise_normal(t->l->noise);

	t->most = fmax(t->live, t->most - t->returns * (t->most - t->live));
	t->wander = t->phi * t->wander + t->wander_sd * sqrt(1 - t->phi * t->phi) * z;
	t->rss = (int64_t)(PAGE * floor((t->base + allocator_now(t) + fabs(t->wander)) / PAGE) +
			   tracker_now(t));
}

/* The program slept in this event. */
static bool is_idle(const struct life *l, size_t e)
{
	return l->slices && !(l->load[e] > 0) && l->bytes[e] == 0 && l->blocks[e] == 0;
}

static void put_stamp(struct telling *t, size_t e, double seconds, uint16_t flags)
{
	struct fake *fake = &t->l->c->fake;
	struct seep_stamp *stamp;

	fake->now_ns = (int64_t)(seconds * 1e9) - 1000000; /* fake_stamp adds it again */
	if (flags & SEEP_STAMP_BEGIN)
		fake_begin(fake, (int64_t)t->live, t->rss);
	else
		fake_end(fake, (int64_t)t->live, t->rss);
	stamp = &fake->run.stamps[fake->run.n_stamps - 1];
	stamp->live_blocks = (int64_t)t->blocks;
	stamp->tracker_bytes = (int64_t)tracker_now(t);
	stamp->vm_bytes = 3 * t->rss;
	stamp->flags |= flags;
	if (flags & SEEP_STAMP_BEGIN && e && is_idle(t->l, e - 1))
		stamp->flags |= SEEP_STAMP_FILLED;
}

static void put_anchor(struct telling *t, size_t e)
{
	if (e != t->next_anchor)
		return;
	t->next_anchor += 1 + e / 16;
	fake_anchor(&t->l->c->fake, &(struct seep_anchor){
		.rss_bytes = t->rss, .rss_file_bytes = (int64_t)(.4 * t->base),
		.live_bytes = (int64_t)t->live,
		.allocator_bytes = (int64_t)allocator_now(t),
		.tracker_bytes = (int64_t)tracker_now(t),
		.flags = SEEP_ANCHOR_ALLOCATOR | SEEP_ANCHOR_RESIDENT,
	});
}

/* The clean-up frees all but a part, the same amount in each of its events. */
static void plan_clean_up(struct life *l)
{
	double live = l->early_bytes, blocks = l->early_blocks;
	double events = (double)(l->n - l->end);
	size_t e;

	for (e = 0; e < l->end; e++) {
		live += l->bytes[e];
		blocks += l->blocks[e];
	}
	for (; e < l->n; e++) {
		l->bytes[e] = -floor((1 - l->left) * live / events);
		l->blocks[e] = -floor((1 - l->left) * blocks / events);
		l->load[e] = 1;
	}
}

static void put_moment(struct telling *t, double seconds)
{
	struct seep_run *run = &t->l->c->fake.run;
	bool cleaned = t->l->end < t->l->n;

	run->snapshot_event = (int64_t)t->l->end - 1;
	run->snapshot_t_ns = (int64_t)(seconds * 1e9);
	run->snapshot_final = !cleaned;
	run->cleaned_up = cleaned;
	run->live_bytes = (int64_t)t->live;
	run->live_blocks = (int64_t)t->blocks;
}

static void put_events(struct telling *t)
{
	struct life *l = t->l;
	double now = life_between(l, .1, 2), spread = life_between(l, .02, .3), length;
	size_t e;

	for (e = 0; e < l->n; e++) {
		length = l->period_s * (l->slices ? 1 : exp(spread * noise_normal(l->noise)));
		if (!e || !is_idle(l, e - 1))
			breathe(t);
		put_stamp(t, e, now, SEEP_STAMP_BEGIN | (l->slices ? SEEP_STAMP_TICK : 0));
		put_anchor(t, e);
		t->live += l->bytes[e];
		t->blocks += l->blocks[e];
		t->most = fmax(t->most, t->live);
		if (!l->slices)
			put_stamp(t, e, now + .8 * length, SEEP_STAMP_END);
		now += length;
		if (e + 1 == l->end)
			put_moment(t, now);
	}
	l->c->fake.run.wall_ns = (int64_t)(now * 1e9);
}

static void put_end(struct telling *t)
{
	struct seep_run *run = &t->l->c->fake.run;
	double resident = allocator_now(t);

	run->end_live_bytes = (int64_t)t->live;
	run->end_event = (int64_t)t->l->end;
	run->stride = 1;
	run->last_ended = true;
	run->complete = run->has_exit = true;
	run->event_source = t->l->slices ? SEEP_EVENTS_TIME : SEEP_EVENTS_API;
	run->probe = (struct seep_probe){
		.done = true, .asked = true, .at_end = true, .event = (int64_t)t->l->n - 1,
		.allocator = "glibc", .rss_before_bytes = t->rss,
		.rss_after_bytes = t->rss - (int64_t)(.6 * (resident - t->live)),
		.heap_resident_bytes = (int64_t)resident, .live_bytes = (int64_t)t->live,
	};
}

/* In any order, so that the place of a site does not give it away. */
static void shuffle(struct life *l)
{
	struct seep_run *run = &l->c->fake.run;
	size_t i, j;

	for (i = run->n_sites; i-- > 1;) {
		struct seep_site site = run->sites[i];

		j = life_pick(l, i + 1);
		run->sites[i] = run->sites[j];
		run->sites[j] = site;
		if (l->planted == i)
			l->planted = j;
		else if (l->planted == j)
			l->planted = i;
	}
	for (i = 0; i < run->n_sites; i++)
		run->sites[i].id = (uint32_t)i + 1;
	if (l->planted != SIZE_MAX)
		l->c->truth.site = run->sites[l->planted].id;
}

void life_finish(struct life *l)
{
	struct telling t = { .l = l };

	if (l->end < l->n)
		plan_clean_up(l);
	t.live = t.most = l->early_bytes;
	t.blocks = l->early_blocks;
	t.base = life_log(l, 8e6, 8e7);
	t.slack = life_log(l, 5e4, 8e5);
	t.wander_sd = life_log(l, 2e4, 4e5);
	t.phi = life_between(l, 0, .95);
	t.returns = life_log(l, .01, .5);
	put_events(&t);
	put_end(&t);
	shuffle(l);
}
