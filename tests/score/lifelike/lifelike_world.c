/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lifelike.h"

static void *array(struct life *l, size_t n, size_t size)
{
	return seep_arena_array(&l->c->fake.arena, n, size);
}

void life_start(struct life *l, struct score_case *c, size_t n, struct noise *noise,
		enum life_program program)
{
	size_t e;

	fake_init(&c->fake, true);
	c->truth = (struct score_truth){ .bytes_per_event = NAN };
	*l = (struct life){ .c = c, .noise = noise, .n = n, .end = n, .per_bin = 1,
			    .planted = SIZE_MAX };
	l->slices = program == LIFE_SLICES || program == LIFE_PYTHON_SLICES;
	l->python = program == LIFE_PYTHON || program == LIFE_PYTHON_SLICES;
	while (l->per_bin * (int64_t)SEEP_TRACE_COHORT_BINS < (int64_t)n)
		l->per_bin *= 2;
	l->bins = (n - 1) / (size_t)l->per_bin + 1;
	l->bytes = array(l, n, sizeof(double));
	l->blocks = array(l, n, sizeof(double));
	l->load = array(l, n, sizeof(double));
	l->none = array(l, l->bins, sizeof(uint64_t));
	l->period_s = l->slices ? .1 * ceil(life_between(l, 0, 10)) : life_log(l, 1e-3, 1);
	for (e = 0; e < n; e++)
		l->load[e] = 1;
	if (l->python)
		life_python(l);
}

void life_clean_up(struct life *l)
{
	size_t events = 1 + life_pick(l, 2 + l->n / 60);

	l->end = l->n - events;
	l->left = life_between(l, .01, .3);
	l->bins = (l->end - 1) / (size_t)l->per_bin + 1;
}

size_t life_site(struct life *l)
{
	struct seep_run *run = &l->c->fake.run;
	struct seep_site *site;

	run->sites = seep_arena_grow(&l->c->fake.arena, run->sites, run->n_sites, &l->site_room,
				     sizeof(*run->sites));
	site = &run->sites[run->n_sites];
	*site = (struct seep_site){ .kind = SEEP_MEMORY_HEAP };
	site->cohorts.events_per_bin = l->per_bin;
	site->cohorts.n_bins = l->bins;
	site->cohorts.live_blocks = site->cohorts.live_bytes = l->none;
	if (l->python)
		life_stack(l, run->n_sites, LIFE_BY_INTERPRETER);
	return run->n_sites++;
}

static void die(struct seep_site *site, uint64_t blocks, uint64_t bytes, size_t age)
{
	size_t bin = 0;

	while (age >> bin)
		bin++;
	site->ages[bin] += blocks;
	site->died_blocks += blocks;
	site->died_bytes += bytes;
}

static void survive(struct life *l, struct seep_site *site, uint64_t blocks, uint64_t bytes,
		    size_t e)
{
	struct seep_cohorts *cohorts = &site->cohorts;
	size_t bin = e / (size_t)l->per_bin;

	if (cohorts->live_blocks == l->none) {
		cohorts->live_blocks = array(l, l->bins, sizeof(uint64_t));
		cohorts->live_bytes = array(l, l->bins, sizeof(uint64_t));
	}
	cohorts->live_blocks[bin] += blocks;
	cohorts->live_bytes[bin] += bytes;
}

void life_blocks(struct life *l, size_t place, double count, double size, size_t e, size_t d)
{
	struct seep_site *site = &l->c->fake.run.sites[place];
	uint64_t blocks = (uint64_t)round(count), bytes = blocks * (uint64_t)fmax(round(size), 1);

	if (!blocks || e >= l->end)
		return;
	site->born_blocks += blocks;
	site->born_bytes += bytes;
	if (d == e) {
		die(site, blocks, bytes, 0);
		return;
	}
	l->bytes[e] += (double)bytes;
	l->blocks[e] += (double)blocks;
	if (d >= l->end) {
		survive(l, site, blocks, bytes, e);
		return;
	}
	l->bytes[d] -= (double)bytes;
	l->blocks[d] -= (double)blocks;
	die(site, blocks, bytes, d - e);
}

void life_early(struct life *l, size_t place, double count, double size, size_t d)
{
	struct seep_site *site = &l->c->fake.run.sites[place];
	uint64_t blocks = (uint64_t)round(count), bytes = blocks * (uint64_t)fmax(round(size), 1);

	site->born_blocks += blocks;
	site->born_bytes += bytes;
	l->early_bytes += (double)bytes;
	l->early_blocks += (double)blocks;
	if (d >= l->end) {
		site->cohorts.early_blocks += blocks;
		site->cohorts.early_bytes += bytes;
		return;
	}
	l->bytes[d] -= (double)bytes;
	l->blocks[d] -= (double)blocks;
	die(site, blocks, bytes, d + 1);
}

void life_is(struct life *l, unsigned int kinds)
{
	l->c->truth.kinds = kinds;
}

void life_leaks(struct life *l, double bytes_per_event, size_t site)
{
	l->c->truth.kinds = IS_LEAK;
	l->c->truth.leaks = true;
	l->c->truth.bytes_per_event = bytes_per_event;
	l->planted = site;
}
