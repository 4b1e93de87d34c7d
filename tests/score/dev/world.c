/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world.h"

#define SAMPLED .15              /* of the runs */
#define SAMPLE_LEAST 1024.0
#define SAMPLE_MOST 524288.0

static const char *const stamp_sets[][WORLD_NAMES_MAX] = {
	{ NULL },
	{ "load", "work", "store", NULL },
	{ "HEAD", "PREL", "POST", "DOWN", "TAIL", NULL },
};

static void *array(struct world *w, size_t n, size_t size)
{
	return seep_arena_array(&w->c->fake.arena, n, size);
}

static void draw_knobs(struct world *w)
{
	static const enum colour colours[] = { WHITE, AR5, AR9, AR98, WALK };
	struct noise *noise = w->noise;

	w->knobs = (struct world_knobs){
		.rss_sd = draw_log(noise, 64e3, 2e6),
		.rss_colour = colours[draw_index(noise, 5)],
		.rss_quantum = draw_chance(noise, .1) ? 2097152 : 4096,
		.heap_sd = draw_log(noise, 2e3, 1e5),
		.period_s = draw_log(noise, 1e-3, 2),
		.period_spread = draw_between(noise, .02, .4),
		.hits_mean = draw_log(noise, 100, 50000),
		.hits_spread = draw_between(noise, .05, .4),
		.probe_gain = draw_between(noise, .2, .9),
		.slack_part = draw_between(noise, .03, .1),
		.return_part = draw_log(noise, .02, 1),
		.base_bytes = draw_log(noise, 5e6, 2e8),
	};
}

void world_draw_times(struct world *w)
{
	double s = w->knobs.period_spread;
	size_t e;

	w->seconds[0] = draw_between(w->noise, .1, 3);
	for (e = 0; e < w->n; e++)
		w->seconds[e + 1] = w->seconds[e] + w->knobs.period_s *
				    exp(s * noise_normal(w->noise) - s * s / 2);
}

double *world_add_counter(struct world *w, const char *name)
{
	w->counter_names[w->n_counters] = name;
	w->counters[w->n_counters] = array(w, w->n, sizeof(double));
	return w->counters[w->n_counters++];
}

/* Photons go with the hits, to .98; the other two with nothing. */
void world_draw_counters(struct world *w)
{
	double s = w->knobs.hits_spread, mean = w->knobs.hits_mean;
	size_t e;

	for (e = 0; e < w->n; e++) {
		double z = noise_normal(w->noise);
		double other = .98 * z + sqrt(1 - .98 * .98) * noise_normal(w->noise);

		w->counters[HITS][e] = draw_poisson(w->noise, mean * exp(s * z - s * s / 2));
		w->counters[PHOTONS][e] = round(40 * mean * exp(s * other - s * s / 2));
		w->counters[BYTES][e] = round(1e5 * exp(.5 * noise_normal(w->noise)));
		w->counters[REQUESTS][e] = draw_poisson(w->noise, 100);
	}
}

void world_name_stamps(struct world *w, const char *const *names)
{
	w->n_names = 0;
	while (names[w->n_names]) {
		w->names[w->n_names] = names[w->n_names];
		w->n_names++;
	}
	w->places = w->n_names + 2;
	w->bytes = array(w, w->n * w->places, sizeof(double));
	w->blocks = array(w, w->n * w->places, sizeof(double));
	w->unsampled = array(w, w->n * w->places, sizeof(double));
	w->mapped = array(w, w->n * w->places, sizeof(double));
	w->resident = array(w, w->n * w->places, sizeof(double));
	w->file = array(w, w->n * w->places, sizeof(double));
}

void world_start(struct world *w, struct score_case *c, size_t n, struct noise *noise, bool heap)
{
	static const char *const names[] = { "hits", "photons", "bytes", "requests" };
	size_t e;

	fake_init(&c->fake, heap);
	c->truth = (struct score_truth){ .bytes_per_event = NAN };
	*w = (struct world){ .c = c, .noise = noise, .n = n, .planted = WORLD_NO_SITE,
			     .events_per_bin = 1 };
	while ((int64_t)n > w->events_per_bin * (int64_t)SEEP_TRACE_COHORT_BINS)
		w->events_per_bin *= 2;
	w->bins = (n + (size_t)w->events_per_bin - 1) / (size_t)w->events_per_bin;
	draw_knobs(w);
	w->seconds = array(w, n + 1, sizeof(double));
	w->slack = array(w, n, sizeof(double));
	w->beside = array(w, n, sizeof(double));
	w->index = array(w, n, sizeof(int64_t));
	for (e = 0; e < n; e++)
		w->index[e] = (int64_t)e;
	world_name_stamps(w, stamp_sets[draw_index(noise, 3)]);
	for (e = 0; e < WORLD_COUNTERS; e++)
		world_add_counter(w, names[e]);
	world_draw_times(w);
	world_draw_counters(w);
}

size_t world_add_other(struct world *w, uint32_t kind, size_t born_at)
{
	struct world_site *site;

	w->sites = seep_arena_grow(&w->c->fake.arena, w->sites, w->n_sites, &w->site_room,
				   sizeof(*w->sites));
	site = &w->sites[w->n_sites];
	*site = (struct world_site){ .kind = kind, .born_at = born_at, .dies_at = born_at };
	site->live_blocks = array(w, w->bins, sizeof(uint64_t));
	site->live_bytes = array(w, w->bins, sizeof(uint64_t));
	site->samples = array(w, w->bins, sizeof(uint64_t));
	site->variance = array(w, w->bins, sizeof(double));
	return w->n_sites++;
}

size_t world_add_site(struct world *w, size_t born_at, size_t dies_at)
{
	size_t s = world_add_other(w, SEEP_MEMORY_HEAP, born_at);

	w->sites[s].dies_at = dies_at;
	return s;
}

size_t world_inner_place(struct world *w)
{
	if (w->n_names < 2)
		return 0;
	return 1 + draw_index(w->noise, w->n_names - 1);
}

/* What lies before the first and behind the last stamp is one phase, across the begin. */
const char *world_phase(const struct world *w, size_t place)
{
	if (!w->n_names)
		return NULL;
	if (place == 0 || place > w->n_names)
		place = w->n_names;
	return w->names[place - 1];
}

void world_draw_sampling(struct world *w, double bytes, double samples)
{
	double most = fmin(bytes / samples, SAMPLE_MOST);

	if (draw_chance(w->noise, SAMPLED) && most > SAMPLE_LEAST)
		w->knobs.sample_bytes = floor(draw_log(w->noise, SAMPLE_LEAST, most));
}

/* The place where something happens, among those of all events; past the end of the run: none. */
static size_t moment(const struct world *w, size_t e, size_t place)
{
	size_t at = e >= w->n ? SIZE_MAX : e * w->places + place;

	return at >= w->n * w->places - 1 ? SIZE_MAX : at;
}

static void die(struct world *w, struct world_site *site, double count, double size, size_t age,
		size_t at)
{
	size_t bin = 0;

	while (age >> bin)
		bin++;
	site->ages[bin] += (uint64_t)count;
	site->died_blocks += (uint64_t)count;
	site->died_bytes += (uint64_t)(count * size);
	w->bytes[at] -= count * size;
	w->blocks[at] -= count;
}

/*
 * Of a sample each block stands for several, a whole number as in the tracker; returns
 * how many the tracker counts, and the weight of each.
 */
static double thin(struct world *w, double count, double size, double *weight)
{
	double p, seen, above;

	*weight = 1;
	if (!(w->knobs.sample_bytes > 0))
		return count;
	p = -expm1(-size / w->knobs.sample_bytes);
	seen = draw_binomial(w->noise, count, p);
	*weight = 1 / p;
	above = draw_binomial(w->noise, seen, *weight - floor(*weight));
	return seen * floor(*weight) + above;
}

void world_blocks(struct world *w, size_t s, double count, double size, size_t e, size_t d)
{
	struct world_site *site = &w->sites[s];
	size_t born = moment(w, e, site->born_at), dead, bin = e / (size_t)w->events_per_bin;
	bool turned = d == e && site->dies_at < site->born_at;
	double weight;

	count = round(count);
	size = fmax(round(size), 1);
	if (born == SIZE_MAX || !(count > 0))
		return;
	dead = moment(w, d, turned ? site->born_at : site->dies_at);
	w->unsampled[born] += count * size;
	if (dead != SIZE_MAX)
		w->unsampled[dead] -= count * size;
	count = thin(w, count, size, &weight);
	if (!(count > 0))
		return;
	site->born_blocks += (uint64_t)count;
	site->born_bytes += (uint64_t)(count * size);
	w->bytes[born] += count * size;
	w->blocks[born] += count;
	if (dead != SIZE_MAX) {
		die(w, site, count, size, d - e, dead);
		return;
	}
	site->live_blocks[bin] += (uint64_t)count;
	site->live_bytes[bin] += (uint64_t)(count * size);
	site->samples[bin] += (uint64_t)round(count / weight);
	site->variance[bin] += count * size * size * (weight - 1);
}

void world_early(struct world *w, size_t s, double count, double size, size_t d)
{
	struct world_site *site = &w->sites[s];
	size_t dead = moment(w, d, site->dies_at);

	count = round(count);
	size = fmax(round(size), 1);
	site->born_blocks += (uint64_t)count;
	site->born_bytes += (uint64_t)(count * size);
	w->early_bytes += count * size;
	w->early_blocks += count;
	if (dead != SIZE_MAX) {
		w->unsampled[dead] -= count * size;
		die(w, site, count, size, d + 1, dead);
		return;
	}
	site->early_blocks += (uint64_t)count;
	site->early_bytes += (uint64_t)(count * size);
}

void world_regrow(struct world *w, size_t s, double bytes, size_t birth, size_t e)
{
	struct world_site *site = &w->sites[s];
	size_t at = moment(w, e, site->born_at);

	if (at == SIZE_MAX)
		return;
	bytes = round(bytes);
	site->moved_blocks++;
	site->born_bytes += (uint64_t)bytes;
	site->live_bytes[birth / (size_t)w->events_per_bin] += (uint64_t)bytes;
	w->bytes[at] += bytes;
	w->unsampled[at] += bytes;
}

void world_map(struct world *w, size_t s, double bytes, double resident, size_t e)
{
	struct world_site *site = &w->sites[s];
	size_t at = moment(w, e, site->born_at), bin = e / (size_t)w->events_per_bin;

	if (at == SIZE_MAX)
		return;
	bytes = 4096 * ceil(bytes / 4096);
	site->born_blocks++;
	site->born_bytes += (uint64_t)bytes;
	site->live_blocks[bin]++;
	site->live_bytes[bin] += (uint64_t)bytes;
	w->mapped[at] += bytes;
	w->resident[at] += fmin(resident, bytes);
}

void world_read_file(struct world *w, size_t s, double bytes, size_t e)
{
	size_t at = moment(w, e, w->sites[s].born_at);

	if (at == SIZE_MAX)
		return;
	w->resident[at] += bytes;
	w->file[at] += bytes;
}

size_t world_event_at(const struct world *w, double seconds)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->seconds[middle + 1] <= seconds)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void world_leaks(struct world *w, double bytes_per_event, size_t site)
{
	struct score_truth *truth = &w->c->truth;

	truth->kinds = SCORE_KIND(SEEP_KIND_LEAK);
	truth->leaks = true;
	truth->bytes_per_event = bytes_per_event;
	truth->phase = world_phase(w, w->sites[site].born_at);
	w->planted = site;
}

void world_is(struct world *w, unsigned int kinds)
{
	w->c->truth.kinds = kinds;
}
