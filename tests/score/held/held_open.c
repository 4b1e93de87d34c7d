/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which program it is: its phases and counters, how long its events take, what there is to do. */
#include "held.h"

#include <string.h>

struct persona {
	const char *exe;
	const char *phases[HELD_PHASES];
	const char *counters[2];
	double counts[2];
	double event_ns, spread;
};

static const struct persona personas[] = {
	{ "detsim", { "generate", "simulate", "digitise", "reset" },
	  { "tracks", "steps" }, { 120, 9000 }, 80e6, .3 },
	{ "daqlog", { "read", "unpack", "store" },
	  { "fragments", "words" }, { 16, 4000 }, 2e6, .1 },
	{ "httpd", { "accept", "route", "render", "send", "log" },
	  { "headers", "rows" }, { 14, 60 }, 9e6, .7 },
	{ "ccd", { "lex", "parse", "optimise", "emit" },
	  { "tokens", "functions" }, { 20000, 40 }, 300e6, .5 },
	{ "pysvc", { "recv", "decode", "handle" },
	  { "messages", "objects" }, { 25, 3000 }, 15e6, .4 },
	{ "renderd", { "cull", "draw" },
	  { "triangles", "textures" }, { 50000, 12 }, 16e6, .05 },
};

enum load {
	STEADY,
	UNEVEN,
	DRIFTING,        /* and back */
	DAYS,
	BURSTS,
	TAILS,
	LOADS,
};

/* exp(sd * z) that is at its cap so often that a maximum is soon reached. */
static double lopsided(double sd, double z)
{
	return exp(sd * fmin(z, 1.3));
}

static double next_load(struct held *h, enum load load, double event, double *state)
{
	double z = noise_normal(h->noise);

	switch (load) {
	case STEADY:
	case LOADS:
		return 1;
	case UNEVEN:
		return lopsided(.3, z);
	case DRIFTING:
		*state = .9 * *state + .44 * z;
		return lopsided(.3, *state);
	case DAYS:
		return (1 + .5 * sin(6.2831853 * event / h->day_events)) * lopsided(.1, z);
	case BURSTS:
		if (held_chance(h, *state > 0 ? .3 : .06))
			*state = *state <= 0;
		return *state > 0 ? 2.5 : 1;
	case TAILS:
		return fmin(8, pow(noise_uniform(h->noise), -.5));
	}
	return 1;
}

static void draw_load(struct held *h)
{
	enum load load = (enum load)held_pick(h, LOADS);
	double state = 0, sum = 0;
	size_t e;

	h->day_events = (double)h->n / held_between(h, 4, 12);
	h->load = seep_arena_array(&h->arena, h->n, sizeof(double));
	for (e = 0; e < h->n; e++) {
		h->load[e] = next_load(h, load, (double)e, &state);
		sum += h->load[e];
	}
	for (e = 0; e < h->n; e++)
		h->load[e] *= (double)h->n / sum;
	/* Who keeps the pages of the largest event so far has a retention of its own. */
	if ((load == BURSTS || load == TAILS) && h->memory.decay <= 0)
		h->memory.trims = true;
}

static void name_phases(struct held *h, const char *const *phases)
{
	double sum = 0;
	size_t i;

	h->n_phases = 1;
	h->phase_names[0] = "";
	for (i = 0; phases[i] && h->n_phases < HELD_PHASES; i++) {
		h->phase_ids[h->n_phases] = fake_name(&h->c->fake, phases[i]);
		h->phase_names[h->n_phases++] = phases[i];
	}
	for (i = 0; i <= h->n_phases; i++)
		sum += h->phase_parts[i] = held_between(h, .1, 1);
	for (i = 0; i <= h->n_phases; i++)
		h->phase_parts[i] /= sum;
}

static void open_run(struct held *h, const struct persona *persona)
{
	struct seep_run *run = &h->c->fake.run;

	run->path = "held-out.seep";
	run->exe = persona->exe;
	run->command = seep_arena_array(&h->c->fake.arena, 2, sizeof(char *));
	run->command[0] = seep_arena_copy(&h->c->fake.arena, persona->exe, strlen(persona->exe));
	run->event_source = SEEP_EVENTS_API;
	run->has_exit = run->complete = true;
	run->limits = seep_arena_alloc(&h->c->fake.arena, sizeof(*run->limits));
	run->limits[0] = (struct seep_limit){ .bytes = (int64_t)16 << 30, .source = "RAM" };
	run->n_limits = 1;
	h->c->fake.now_ns = 50000000;
}

static void open_with(struct held *h, struct score_case *c, size_t n, struct noise *noise,
		      bool heap, const char *const *phases)
{
	const struct persona *persona;
	size_t i;

	memset(h, 0, sizeof(*h));
	h->c = c;
	h->n = n;
	h->noise = noise;
	h->event = HELD_EARLY;
	h->ends = true;
	seep_arena_init(&h->arena);
	fake_init(&c->fake, heap);
	held_truth(h, 0, NAN);
	persona = &personas[held_pick(h, sizeof(personas) / sizeof(personas[0]))];
	open_run(h, persona);
	name_phases(h, phases ? phases : persona->phases);
	h->event_ns = persona->event_ns * held_log_between(h, .3, 3);
	h->spread = persona->spread;
	h->at_begin = seep_arena_array(&h->arena, n, sizeof(struct held_lot *));
	h->at_end = seep_arena_array(&h->arena, n, sizeof(struct held_lot *));
	held_memory_draw(h);
	draw_load(h);
	for (i = 0; i < 2; i++)
		h->count_means[held_counter(h, persona->counters[i])] = persona->counts[i];
	held_background(h);
}

void held_open(struct held *h, struct score_case *c, size_t n, struct noise *noise, bool heap)
{
	open_with(h, c, n, noise, heap, NULL);
}

void held_open_phases(struct held *h, struct score_case *c, size_t n, struct noise *noise,
		      const char *const *phases)
{
	open_with(h, c, n, noise, true, phases);
}
