/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kernel and an allocator make of the blocks.  The heap gets its memory in pieces, touches
 * what it needs, and gives back at most its top; large blocks come and go by themselves.
 */
#include "held.h"

#define TOP_PAD (132 * 1024.)
#define HUGE_PAGE (2 * 1024 * 1024.)

static double to_pages(double bytes)
{
	return floor(bytes / HELD_PAGE) * HELD_PAGE;
}

static void draw_allocator(struct held *h)
{
	struct held_memory *memory = &h->memory;

	memory->allocator = "glibc";
	memory->trims = held_chance(h, .5);
	memory->slack_bytes = held_log_between(h, 16 * HELD_KB, 400 * HELD_KB);
	memory->holes_gain = 1;
	memory->free_gain = held_between(h, .2, .8);
	memory->probed = held_chance(h, .6);
	if (held_chance(h, .15)) {
		memory->allocator = "jemalloc";
		memory->trims = false;
		memory->decay = held_between(h, .1, .5);
	}
}

static void draw_noise(struct held *h)
{
	struct held_memory *memory = &h->memory;

	memory->noise = (enum held_noise)held_pick(h, HELD_NOISES);
	memory->noise_bytes = held_log_between(h, 16 * HELD_KB, HELD_MB);
	memory->noise_in_files = held_chance(h, .6);
	if (held_chance(h, .5)) {
		memory->warm_bytes = memory->noise_bytes * held_between(h, .5, 3);
		memory->warm_events = held_between(h, .5, .03 * (double)h->n);
	}
	if (held_chance(h, .1)) {
		memory->n_huge = 1 + held_pick(h, 2);
		memory->huge_flips = held_between(h, .05, .2);
	}
}

void held_memory_draw(struct held *h)
{
	struct held_memory *memory = &h->memory;
	size_t i;

	draw_allocator(h);
	draw_noise(h);
	memory->file_bytes = held_log_between(h, 4 * HELD_MB, 60 * HELD_MB);
	memory->anon_bytes = held_log_between(h, 1 * HELD_MB, 20 * HELD_MB);
	memory->level = memory->noise_bytes * noise_normal(h->noise);
	for (i = 0; i < 8; i++)
		memory->huge[i] = held_chance(h, .5);
	h->next_anchor = 0;
}

static double needed(const struct held_memory *memory)
{
	return memory->used + memory->holes_bytes +
	       memory->slack_bytes * (1 + .25 * tanh(memory->slack_state));
}

void held_memory_settle(struct held *h)
{
	struct held_memory *memory = &h->memory;
	double need = needed(memory);

	if (need > memory->footprint)
		memory->footprint = ceil(need / TOP_PAD) * TOP_PAD;
	if (need > memory->touched)
		memory->touched = need;
	if (memory->trims && memory->footprint - need > 2 * TOP_PAD)
		memory->footprint = need + TOP_PAD;
	if (memory->touched > memory->footprint)
		memory->touched = memory->footprint;
}

/* Student's t with two degrees of freedom, cut. */
static double heavy(struct held *h)
{
	double t = noise_normal(h->noise) / sqrt(held_exponential(h, 1));

	return fmax(-20, fmin(20, t));
}

static void remember(struct held *h, double phi)
{
	struct held_memory *memory = &h->memory;

	memory->level = phi * memory->level +
			memory->noise_bytes * sqrt(1 - phi * phi) * noise_normal(h->noise);
}

static void move_level(struct held *h)
{
	struct held_memory *memory = &h->memory;
	double sd = memory->noise_bytes, z = noise_normal(h->noise);

	switch (memory->noise) {
	case HELD_QUIET:
	case HELD_NOISES:
		memory->level = HELD_PAGE * (double)held_pick(h, 3);
		break;
	case HELD_WHITE:
		memory->level = sd * z;
		break;
	case HELD_BURSTS:
		memory->shot = .6 * memory->shot +
			       (held_chance(h, .1) ? held_exponential(h, 3 * sd) : 0);
		memory->level = memory->shot + .1 * sd * z;
		break;
	case HELD_TAILS:
		memory->level = .5 * sd * heavy(h);
		break;
	case HELD_WANDER:
		remember(h, .9);
		break;
	case HELD_SLOW:
		remember(h, .98);
		break;
	case HELD_DAYS:
		memory->level = sd * (1.4 * sin(6.2831853 * (double)h->event / h->day_events) +
				      .3 * z);
		break;
	case HELD_UNEVEN:
		memory->level = sd * h->load[h->event] * z;
		break;
	}
}

/* An event begins: time for all that happens by itself. */
void held_memory_turn(struct held *h)
{
	struct held_memory *memory = &h->memory;
	double spare = memory->touched - needed(memory);
	size_t i;

	memory->slack_state = .9 * memory->slack_state + .4 * noise_normal(h->noise);
	if (memory->decay > 0 && spare > 0)
		memory->touched -= memory->decay * spare;
	move_level(h);
	for (i = 0; i < memory->n_huge; i++)
		if (held_chance(h, memory->huge_flips))
			memory->huge[i] = !memory->huge[i];
	held_memory_settle(h);
}

static double files(const struct held_memory *memory)
{
	double level = memory->noise_in_files ? fmax(memory->level, -.8 * memory->file_bytes) : 0;

	return memory->file_bytes + level + memory->read_bytes;
}

static double anonymous(const struct held *h)
{
	const struct held_memory *memory = &h->memory;
	double sum = memory->anon_bytes + memory->touched + memory->large +
		     memory->non_heap_resident;
	size_t i;

	if (!memory->noise_in_files)
		sum += fmax(memory->level, -.8 * memory->anon_bytes);
	if (memory->warm_bytes > 0)
		sum += memory->warm_bytes * (1 - exp(-(double)h->event / memory->warm_events));
	for (i = 0; i < memory->n_huge; i++)
		sum += memory->huge[i] ? HUGE_PAGE : 0;
	if (h->c->fake.run.has_heap)
		sum += 640 * HELD_KB + (double)(h->live_blocks * 8 / HELD_PAGE * HELD_PAGE);
	return sum;
}

/* Within an event it moves by some pages; more so where there is more to do. */
double held_memory_rss(struct held *h)
{
	double spread = fmin(.05 * h->memory.noise_bytes * h->load[h->event], 50 * HELD_KB);
	double jitter = fmax(spread * noise_normal(h->noise), -100 * HELD_KB);

	return to_pages(files(&h->memory) + anonymous(h) + jitter);
}

/* As the tracker: each of the first 16 events, then every 16th part of those so far. */
void held_memory_anchor(struct held *h)
{
	const struct seep_run *run = &h->c->fake.run;
	const struct held_memory *memory = &h->memory;
	const struct seep_stamp *begin = &run->stamps[run->n_stamps - 1];
	bool known = memory->decay <= 0;

	if (!run->has_heap || h->event < h->next_anchor)
		return;
	h->next_anchor = h->event + (h->event < 16 ? 1 : h->event / 16);
	fake_anchor(&h->c->fake, &(struct seep_anchor){
		.rss_bytes = begin->rss_bytes,
		.rss_file_bytes = (int64_t)to_pages(files(memory)),
		.live_bytes = h->live_bytes,
		.allocator_bytes = known ? (int64_t)(memory->footprint + memory->large) : 0,
		.non_heap_bytes = (int64_t)memory->non_heap_bytes,
		.non_heap_resident_bytes = (int64_t)to_pages(memory->non_heap_resident +
							     memory->read_bytes),
		.tracker_bytes = begin->tracker_bytes,
		.flags = (uint16_t)(SEEP_ANCHOR_RESIDENT |
				    (known ? SEEP_ANCHOR_ALLOCATOR : 0)),
	});
}

/* At the end of the run. */
void held_memory_probe(struct held *h)
{
	struct seep_probe *probe = &h->c->fake.run.probe;
	const struct held_memory *memory = &h->memory;
	double resident = memory->touched + memory->large;
	double other = fmax(0, memory->touched - memory->used - memory->holes_bytes);
	double back = memory->holes_bytes * memory->holes_gain * held_between(h, .95, 1) +
		      other * memory->free_gain;
	double before = held_memory_rss(h);

	if (!memory->probed)
		return;
	*probe = (struct seep_probe){
		.done = true,
		.event = h->event,
		.allocator = memory->allocator,
		.rss_before_bytes = (int64_t)before,
		.rss_after_bytes = (int64_t)(before - to_pages(back)),
		.heap_resident_bytes = (int64_t)to_pages(resident),
		.live_bytes = h->live_bytes,
	};
}
