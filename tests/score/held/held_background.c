/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sites around those that a scenario is about: what any program does all day.  Some fill in
 * the first events, and all of them are done with that soon.
 */
#include "held.h"

enum habit {
	TRANSIENT,       /* freed in the event */
	SHORT,           /* freed some events later */
	SESSIONS,        /* come and go at random; there were some before */
	CHURN,           /* a cache that is full: who comes drives the oldest out */
	RING,            /* the last so many events */
	BUFFER,          /* the last result, until the next one is there */
	RARE,            /* an error, a reload: now and then */
	GREAT,           /* now and then one large block */
	INITIAL,         /* made before the first event, and kept */
	FIRST,           /* made in the first event, and kept */
	LAZY,            /* one block, made when it is needed for the first time, and kept */
	STACK,           /* of a thread that was there before */
	MAPPED,          /* a file or a buffer that was there before */
	SCRATCH,         /* mapped and unmapped in the event */
	HABITS,
};

static const double shares[HABITS] = {
	[TRANSIENT] = .34, [SHORT] = .1, [SESSIONS] = .06, [CHURN] = .04, [RING] = .04,
	[BUFFER] = .05, [RARE] = .06, [GREAT] = .01, [INITIAL] = .2, [FIRST] = .05, [LAZY] = .02,
	[STACK] = .01, [MAPPED] = .01, [SCRATCH] = .01,
};

struct held_actor {
	struct held_site *site;
	enum habit habit;
	double rate;             /* blocks in an event of the usual size */
	double size;
	double life;             /* mean, in events */
	double variation;        /* of the size from event to event */
	int64_t when;
};

static enum habit draw_habit(struct held *h)
{
	double u = noise_uniform(h->noise);
	size_t habit;

	for (habit = 0; habit + 1 < HABITS; habit++)
		if ((u -= shares[habit]) < 0)
			return (enum habit)habit;
	return TRANSIENT;
}

static uint32_t kind_of(enum habit habit)
{
	if (habit == STACK)
		return SEEP_MEMORY_STACK;
	return habit == MAPPED || habit == SCRATCH ? SEEP_MEMORY_MMAP : SEEP_MEMORY_HEAP;
}

/*
 * What was there before lives for a twelfth of the run at most, so that all have come and gone
 * several times; what begins with the first event has all it will have soon after.
 */
static double longest_life(const struct held *h, enum habit habit)
{
	if (habit == SHORT)
		return fmax(1.5, fmin(5, (double)h->n / 30));
	if (habit == RING)
		return fmin(8, (double)h->n / 20);
	return (double)h->n / 12;
}

/* Where RSS is all that is seen, what the heap does by itself must not hide the rest. */
static void draw_numbers(struct held *h, struct held_actor *actor)
{
	bool heap = h->c->fake.run.has_heap;

	actor->rate = held_log_between(h, .3, 30);
	actor->size = held_log_between(h, 16, 3000);
	actor->life = held_log_between(h, 1, longest_life(h, actor->habit));
	actor->variation = held_chance(h, .5) ? held_between(h, 0, .4) : 0;
	actor->when = (int64_t)held_exponential(h, .04 * (double)h->n);
	switch (actor->habit) {
	case SESSIONS:
	case CHURN:
		actor->rate = held_log_between(h, .3, 5);
		actor->size = held_log_between(h, 64, heap ? 8000 : 500);
		break;
	case RING:
	case BUFFER:
		actor->size = held_log_between(h, 256, heap ? 60000 : 2000);
		break;
	case GREAT:
		actor->size = held_log_between(h, 1 * HELD_MB, 20 * HELD_MB);
		break;
	case INITIAL:
		actor->rate = held_log_between(h, 1, 3000);
		break;
	case LAZY:
		actor->size = held_log_between(h, 16, 1000);
		break;
	case STACK:
		actor->size = 8 * HELD_MB;
		break;
	case MAPPED:
	case SCRATCH:
		actor->size = HELD_PAGE * floor(held_log_between(h, 1, 2000));
		break;
	default:
		break;
	}
}

/* How long one lives that is born now, or, if it has lived for a while, still will. */
static double draw_life(struct held *h, const struct held_actor *actor, bool rest)
{
	if (actor->habit == SESSIONS || actor->habit == SHORT)
		return 1 + floor(held_exponential(h, actor->life));
	return 1 + floor(rest ? held_between(h, 0, actor->life)
			      : actor->life * held_between(h, .8, 1.2));
}

static void settle_before(struct held *h, struct held_actor *actor)
{
	uint64_t alive = held_poisson(h, actor->rate * (actor->life + .5)), i;

	switch (actor->habit) {
	case SESSIONS:
	case CHURN:
		for (i = 0; i < alive; i++)
			held_alloc(h, actor->site, 1, actor->size, draw_life(h, actor, true));
		break;
	case INITIAL:
		held_alloc(h, actor->site, (uint64_t)actor->rate, actor->size, HELD_FOREVER);
		break;
	case STACK:
	case MAPPED:
		actor->site->resident = actor->habit == STACK ? held_between(h, .001, .02)
							      : held_between(h, .1, 1);
		held_alloc(h, actor->site, 1 + held_pick(h, 3), actor->size, HELD_FOREVER);
		break;
	default:
		break;
	}
}

void held_background(struct held *h)
{
	size_t n = (size_t)held_log_between(h, 10, 300), i;

	for (i = 0; i < n; i++) {
		struct held_actor *actor = seep_arena_alloc(&h->arena, sizeof(*actor));

		h->actors = seep_arena_grow(&h->arena, h->actors, h->n_actors, &h->actor_room,
					    sizeof(struct held_actor *));
		h->actors[h->n_actors++] = actor;
		actor->habit = draw_habit(h);
		actor->site = held_site(h, kind_of(actor->habit), held_pick(h, h->n_phases));
		draw_numbers(h, actor);
		settle_before(h, actor);
	}
}

static void make_each(struct held *h, const struct held_actor *actor, double load)
{
	uint64_t n = held_poisson(h, actor->rate * load), i;

	for (i = 0; i < n; i++)
		held_alloc(h, actor->site, 1, actor->size, draw_life(h, actor, false));
}

static void act(struct held *h, const struct held_actor *actor)
{
	double load = h->load[h->event];
	double size = actor->size * exp(actor->variation * fmin(noise_normal(h->noise), 1.5));

	switch (actor->habit) {
	case TRANSIENT:
		held_alloc(h, actor->site, held_poisson(h, actor->rate * load), size, 0);
		break;
	case SHORT:
	case SESSIONS:
	case CHURN:
		make_each(h, actor, load);
		break;
	case RING:
		held_alloc(h, actor->site, 1, size, floor(actor->life) + 1);
		break;
	case BUFFER:
		held_alloc(h, actor->site, 1, size, 1);
		break;
	case RARE:
		if (held_chance(h, .04))
			held_alloc(h, actor->site, 1 + held_pick(h, 3), size,
				   (double)held_pick(h, 3));
		break;
	case GREAT:
		if (held_chance(h, .03))
			held_alloc(h, actor->site, 1, size, 0);
		break;
	case FIRST:
	case LAZY:
		if (h->event == (actor->habit == FIRST ? 0 : actor->when))
			held_alloc(h, actor->site, 1, size, HELD_FOREVER);
		break;
	case SCRATCH:
		held_alloc(h, actor->site, 1, actor->size, 0);
		break;
	default:
		break;
	}
}

void held_background_act(struct held *h)
{
	size_t i;

	for (i = 0; i < h->n_actors; i++)
		if (h->actors[i]->site->phase == h->phase)
			act(h, h->actors[i]);
}
