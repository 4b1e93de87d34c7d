/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   survivors
 *   by birth     leak          filling       draining      initialisation
 *
 *      |         # # # # # #   #             . . . . # #   #
 *      |         # # # # # #   # # . . . .   . . . # # #   #
 *      +----->   # # # # # #   # # # # . .   . . # # # #   # . . . . .
 *      event     ^-mature--^
 *                          last events: too young to tell
 *
 * The mature cohorts are split into an older and a younger half; a leak leaves the same
 * in both.  The rate of a leak is averaged over all complete events if no block ever died after
 * its event, because then no cohort is too young.
 */
#include "analyse/site/cohort.h"

#include "analyse/series/glsmix.h"
#include "analyse/series/rate.h"
#include "analyse/site/claim.h"
#include "analyse/site/cohort_table.h"
#include "analyse/threshold/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

/* Nothing was allocated or freed between the snapshot and the event. */
static bool is_still_true(const struct seep_run *run, int64_t event)
{
	size_t place = seep_run_place(run, event);
	const struct seep_stamp *stamp;

	if (place == run->n_events)
		return false;
	stamp = &run->stamps[run->events[place].first_stamp];
	return stamp->flags & SEEP_STAMP_HEAP && stamp->live_bytes == run->live_bytes &&
	       stamp->live_blocks == run->live_blocks;
}

/* Event e has begun.  Has it also ended? */
static int64_t count_complete(const struct seep_run *run, int64_t e)
{
	size_t i, end, place = seep_run_place(run, e);

	if (e == seep_run_marked(run) - 1 && run->last_ended && run->snapshot_final)
		return e + 1;
	if (place == run->n_events || run->events[place].number != e)
		return e; /* nothing was written about this one */
	end = place + 1 < run->n_events ? run->events[place + 1].first_stamp : run->n_stamps;
	for (i = run->events[place].first_stamp; i < end; i++)
		if (run->stamps[i].flags & SEEP_STAMP_END &&
		    run->stamps[i].t_ns <= run->snapshot_t_ns)
			return e + 1;
	return e;
}

struct seep_cohort_clock seep_cohort_read_clock(const struct seep_run *run)
{
	struct seep_cohort_clock clock = { .sample_bytes = (double)run->sampling.mean_bytes };
	int64_t e = run->snapshot_event, last = seep_run_end(run) - 1;

	if (e < 0 || !run->n_events)
		return clock;
	if (e > last)
		e = last;
	clock.snapshot_begun = e + 1;
	clock.snapshot_complete = count_complete(run, e);
	if (is_still_true(run, last))
		e = last;
	clock.begun = e + 1;
	clock.complete = count_complete(run, e);
	return clock;
}

uint64_t seep_cohort_aged_deaths(const struct seep_site *site)
{
	uint64_t sum = 0;
	size_t k;

	for (k = 1; k < SEEP_TRACE_AGE_BINS; k++)
		sum += site->ages[k];
	return sum;
}

int64_t seep_cohort_mature_age(const struct seep_site *site)
{
	uint64_t all = site->ages[0] + seep_cohort_aged_deaths(site), below = 0;
	int64_t age;
	size_t k;

	if (!all)
		return 2;
	for (k = 0; k + 1 < SEEP_TRACE_AGE_BINS; k++) {
		below += site->ages[k];
		if ((double)below >= MATURE_QUANTILE * (double)all)
			break;
	}
	age = ((int64_t)1 << k) - 1; /* the upper edge of the bin */
	age = (3 * age + 1) / 2 + 1;
	return age > 2 ? age : 2;
}

/*
 * The bins of the site that hold only complete events, from the start of the run to its end (a site
 * may have bins for a part of it).  If there are many, they are merged.
 */
static void read_cohorts(struct seep_cohort_table *c, const struct seep_site *site,
			 struct seep_cohort_clock clock)
{
	const struct seep_cohorts *from = &site->cohorts;
	int64_t width = from->events_per_bin > 0 ? from->events_per_bin : 1;
	int64_t first = from->first_event > 0 ? from->first_event : 0, origin = first % width;
	int64_t all = (clock.complete - origin + width - 1) / width, j, i, stop;
	int64_t merge = (all + SEEP_COHORTS_MAX - 1) / SEEP_COHORTS_MAX;

	memset(c, 0, sizeof(*c));
	c->start[0] = origin;
	for (j = 0; j < all; j += merge) {
		int64_t end = origin + (j + merge) * width;

		if (end > clock.complete && clock.begun > clock.complete)
			break; /* mixed with blocks of the event in progress */
		i = j - first / width;
		stop = i + merge < (int64_t)from->n_bins ? i + merge : (int64_t)from->n_bins;
		for (i = i > 0 ? i : 0; i < stop; i++) {
			c->blocks[c->n] += (double)from->live_blocks[i];
			c->bytes[c->n] += (double)from->live_bytes[i];
			if (from->variance)
				c->variance[c->n] += from->variance[i];
		}
		c->start[++c->n] = end < clock.complete ? end : clock.complete;
	}
}

static void find_mature(struct seep_cohort_table *c, int64_t restart, int64_t complete,
			int64_t mature_age)
{
	int64_t warmup = restart + (complete - restart + 9) / 10;

	if (warmup < 1)
		warmup = 1;
	while (c->first < c->n && c->start[c->first] < warmup)
		c->first++;
	c->end = c->first;
	while (c->end < c->n && c->start[c->end + 1] <= complete - mature_age)
		c->end++;
}

/* w of blocks of one size z: the variance is the sum of z^2 w (w - 1) over the sample. */
static void find_weight(struct seep_cohort_table *c)
{
	double blocks = 0, bytes = 0, variance = 0;
	size_t i;

	for (i = 0; i < c->n; i++) {
		blocks += c->blocks[i];
		bytes += c->bytes[i];
		variance += c->variance[i];
	}
	c->weight = bytes > 0 ? 1 + variance * blocks / bytes / bytes : 1;
}

/*
 * Do as many blocks die at the age at which survivors are judged as survive?  A few long lives
 * among very many short ones do not change the mature age.
 */
static bool still_die(const struct seep_site *site, const struct seep_cohort_table *c)
{
	double deaths = seep_cohort_deaths_from(site, seep_cohort_mature_age(site)), survivors = 0;
	size_t i;

	for (i = c->first; i < c->end; i++)
		survivors += c->blocks[i];
	return deaths >= survivors;
}

/* Deaths at the ages at which survivors are judged, as far as the age bins show. */
static double late_deaths(const struct seep_site *site)
{
	int64_t mature = seep_cohort_mature_age(site);
	double sum = 0;
	size_t k;

	for (k = 1; k < SEEP_TRACE_AGE_BINS; k++)
		if (((int64_t)1 << k) > mature)
			sum += (double)site->ages[k];
	return sum;
}

/* How the survivors of a site change during the run. */
struct slant {
	bool late;               /* there were none at first */
	bool still_fills;        /* the younger half has less, but not nothing */
};

/* Less than half of the cohorts have survivors. */
static bool is_rare(size_t surviving, size_t cohorts)
{
	return (double)surviving < SURVIVORS_RARE * (double)cohorts;
}

/* The rule of docs/method.md. */
static enum seep_site_verdict classify(const struct seep_site *site,
				       const struct seep_cohort_table *c, size_t surviving,
				       struct slant *slant)
{
	size_t middle = c->first + (c->end - c->first) / 2;
	struct seep_cohort_half old = seep_cohort_half(c, c->blocks, c->first, middle);
	struct seep_cohort_half young = seep_cohort_half(c, c->blocks, middle, c->end);
	double rise = young.mean - old.mean, error;

	if (!c->restarted && (still_die(site, c) || ((c->slices || seep_cohort_keeps_rarely(c)) &&
						     seep_cohort_frees_old(site, c, OLD_PARTS))))
		return SEEP_SITE_DRAINING;
	if (middle - c->first == 1)
		old.error2 = young.error2;
	error = sqrt(old.error2 + young.error2);
	if (old.mean < LATE_OLDER * young.mean && rise > HALVES_DIFFER * error) {
		/* the old ones are fewer: did they die, or were they never born? */
		if (!c->restarted &&
		    late_deaths(site) >=
			    DEATHS_EXPLAIN * rise * seep_cohort_events(c, c->first, middle))
			return SEEP_SITE_DRAINING;
		slant->late = true;
	}
	slant->still_fills = young.mean > STILL_FILLS * old.mean;
	if (young.mean < FILLING_YOUNGER * old.mean && -rise > HALVES_DIFFER * error)
		return SEEP_SITE_FILLING;
	/* births fall, nothing old dies: a cache meets its keys */
	if (c->slices ? seep_cohort_slows_down(c)
		      : !site->died_blocks && seep_cohort_declines(c))
		return SEEP_SITE_FILLING;
	if (is_rare(surviving, c->end - c->first) && seep_cohort_thins_out(c))
		return SEEP_SITE_FILLING;
	return SEEP_SITE_LEAK;
}

/* Smallest and largest of the mature cohorts, per event. */
static void find_range(const struct seep_cohort_table *c, const double *values, double *low,
		       double *high)
{
	size_t i;

	*low = INFINITY;
	*high = 0;
	for (i = c->first; i < c->end; i++) {
		*low = fmin(*low, values[i] / seep_cohort_events(c, i, i + 1));
		*high = fmax(*high, values[i] / seep_cohort_events(c, i, i + 1));
	}
}

static bool is_within(double value, double low, double high, double slack)
{
	slack += high - low;
	return value >= low - slack && value <= high + slack;
}

/*
 * Could this cohort be one of the mature ones?  Late cohorts get the benefit of
 * the doubt, early ones do not: initialisation looks like an outlier.
 */
static bool is_consistent(const struct seep_cohort_table *c, size_t i, bool early)
{
	double low, high, slack, size, events = seep_cohort_events(c, i, i + 1);

	find_range(c, c->blocks, &low, &high);
	slack = early ? 0 : 2 * sqrt(high * c->weight) + c->weight;
	if (!is_within(c->blocks[i] / events, low, high, slack))
		return false;
	size = high > 0 ? 1 / high : 0;
	find_range(c, c->bytes, &low, &high);
	return is_within(c->bytes[i] / events, low, high, slack * size * high);
}

/* The cohorts over which the rate of a leak is averaged. */
static void choose_window(const struct seep_site *site, const struct seep_cohort_table *c,
			  const struct slant *slant, size_t *first, size_t *end)
{
	size_t quarter, onset = seep_cohort_onset(c, c->first, c->end);
	bool rises, late = slant->late || onset > c->first;

	*first = onset;
	*end = c->end;
	if (slant->late)
		while (*first + COHORTS_ENOUGH < *end && c->blocks[*first] <= 0)
			++*first;
	quarter = (*end - *first) / 4;
	rises = quarter >= COHORTS_ENOUGH && seep_cohort_rises(site, c, *first, *end);
	if (rises) /* what it has come to */
		*first = *end - quarter;
	if (seep_cohort_aged_deaths(site))
		return;
	while (!late && !rises && *first > 0 && is_consistent(c, *first - 1, true))
		--*first;
	while (*end < c->n && is_consistent(c, *end, false))
		++*end;
}

/*
 * Rare or lopsided survivors: the number of cohorts that kept something is taken as Poisson
 * (Garwood), and reduced if they kept very different amounts.
 */
static void bound_by_count(struct seep_estimate *e, const struct seep_cohort_table *c, size_t first,
			   size_t end)
{
	double count = 0, sum = 0, squares = 0;
	size_t i;

	for (i = first; i < end; i++) {
		count += c->bytes[i] > 0;
		sum += c->bytes[i];
		squares += c->bytes[i] * c->bytes[i];
	}
	if (sum <= 0)
		return;
	count = sum * sum / squares; /* = count / (1 + cv^2) */
	seep_rate_bound_count(e->value, count, &e->low, &e->high);
}

/*
 * Survivors of a sample: similar cohorts do not show how few samples they are based on.  Blocks
 * that were certain to be sampled add no error.
 */
static void bound_by_samples(struct seep_estimate *e, const struct seep_cohort_table *c,
			     size_t first, size_t end)
{
	double sum = 0, variance = 0, low, high;
	size_t i;

	for (i = first; i < end; i++) {
		sum += c->bytes[i];
		variance += c->variance[i];
	}
	if (!(variance > 0) || !(sum > 0))
		return;
	seep_rate_bound_count(e->value, sum * sum / variance, &low, &high);
	e->low = fmin(e->low, low);
	e->high = fmax(e->high, high);
}

static void estimate(struct seep_cohort *out, const struct seep_cohort_table *c, size_t first,
		     size_t end)
{
	double sums[SEEP_COHORTS_MAX + 1] = { 0 }, events[SEEP_COHORTS_MAX + 1] = { 0 };
	struct seep_estimate *e = &out->bytes_per_event;
	struct seep_glsmix mix = { 0 };
	double blocks = 0;
	size_t i, surviving = 0;

	for (i = first; i < end; i++) {
		sums[i - first + 1] = sums[i - first] + c->bytes[i];
		events[i - first + 1] = seep_cohort_events(c, first, i + 1);
		blocks += c->blocks[i];
		surviving += c->blocks[i] > 0;
	}
	out->first = c->start[first];
	out->end = c->start[end];
	out->objects_per_event = blocks / events[end - first];
	e->known = true;
	e->value = sums[end - first] / events[end - first];
	if (out->verdict == SEEP_SITE_LEAK) { /* no other site needs an interval */
		seep_glsmix_trend(&mix, sums, events, end - first + 1, 0);
		e->low = fmin(fmax(mix.low, 0), e->value);
		e->high = fmax(mix.high, e->value);
	}
	if (!mix.known || mix.low <= 0 || is_rare(surviving, end - first))
		bound_by_count(e, c, first, end);
	bound_by_samples(e, c, first, end);
}

/*
 * Nothing was kept, so it happens in fewer than 3 of m cohorts (95 %).  If no sampled block was
 * kept, less than 3 samples' worth of bytes was.
 */
static void bound_nothing(struct seep_cohort *out, const struct seep_site *site,
			  const struct seep_cohort_table *c, double sample_bytes)
{
	double size = site->born_blocks ? (double)site->born_bytes / (double)site->born_blocks : 0;

	if (sample_bytes > 0)
		size = size > 0 ? size / -expm1(-size / sample_bytes) : sample_bytes;
	out->first = c->start[c->first];
	out->end = c->start[c->end];
	out->bytes_per_event.known = true;
	out->bytes_per_event.high = NONE_SEEN * size / seep_cohort_events(c, c->first, c->end);
}

static void describe(struct seep_cohort *out, const struct seep_site *site,
		     const struct seep_cohort_table *c, int64_t complete)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		out->event_bytes += c->bytes[i];
		if (i < c->end ||
		    (double)site->died_blocks < FREED_MOSTLY * (double)site->born_blocks)
			out->kept_bytes += c->bytes[i];
	}
	out->evicts = seep_cohort_deaths_from(site, 2) >= EVICTED * (double)site->born_blocks;
	out->queues = seep_cohort_is_queue(site, c, complete);
}

/* The recent rate of the site, if it differs from the mean. */
static void find_recent(struct seep_estimate *recent, const struct seep_cohort_table *c)
{
	size_t first = c->end - (c->end - c->first + 3) / 4, i;
	double events = seep_cohort_events(c, first, c->end), n = (double)(c->end - first);
	double squares = 0, error;

	recent->known = true;
	for (i = first; i < c->end; i++)
		recent->value += c->bytes[i] / events;
	for (i = first; i < c->end; i++)
		squares += pow(c->bytes[i] / seep_cohort_events(c, i, i + 1) - recent->value, 2);
	error = n > 1 ? 2 * sqrt(squares / (n - 1) / n) : recent->value;
	recent->low = fmax(recent->value - error, 0);
	recent->high = recent->value + error;
}

/* The first of the mature cohorts with survivors, if there were clearly none before it. */
static size_t find_start(const struct seep_cohort_table *c, size_t onset)
{
	size_t start = onset;

	while (start < c->end && !(c->blocks[start] > 0))
		start++;
	if (start + COHORTS_ENOUGH > c->end || start - c->first < COHORTS_ENOUGH)
		return onset + COHORTS_ENOUGH <= c->end ? onset : c->first;
	return start;
}

void seep_cohort_judge(struct seep_cohort *out, const struct seep_site *site,
		       struct seep_cohort_clock clock)
{
	struct seep_cohort_table c;
	size_t i, first, end, start;
	struct slant slant = { 0 };

	memset(out, 0, sizeof(*out));
	out->verdict = SEEP_SITE_NONE;
	out->mature_age = seep_cohort_mature_age(site);
	read_cohorts(&c, site, clock);
	find_weight(&c);
	c.slices = clock.slices;
	c.restarted = clock.restart > 0;
	if (c.restarted && out->mature_age > (clock.complete - clock.restart) / 4)
		out->mature_age = 2 + (clock.complete - clock.restart) / 4;
	find_mature(&c, clock.restart, clock.complete, out->mature_age);
	describe(out, site, &c, clock.complete);
	out->mature = c.end - c.first;
	if (out->mature < COHORTS_ENOUGH) {
		int64_t width = site->cohorts.events_per_bin > 1 ? site->cohorts.events_per_bin : 1;

		out->immature = true;
		out->events_needed = ceil((double)(out->mature_age + COHORTS_ENOUGH * width) / .9);
		return;
	}
	for (i = c.first; i < c.end; i++)
		out->surviving += c.blocks[i] > 0;
	if (!out->surviving) {
		bound_nothing(out, site, &c, clock.sample_bytes);
		return;
	}
	seep_cohort_read_work(&c, &clock);
	find_recent(&out->recent, &c);
	out->verdict = classify(site, &c, out->surviving, &slant);
	out->frees_old = seep_cohort_frees_old(site, &c, OLD_PARTS);
	out->frees_older = seep_cohort_frees_old(site, &c, OLD_PARTS_REGULAR);
	out->still_fills = slant.still_fills;
	first = c.first;
	end = c.end;
	if (out->verdict == SEEP_SITE_LEAK)
		choose_window(site, &c, &slant, &first, &end);
	start = find_start(&c, seep_cohort_onset(&c, c.first, c.end));
	out->late = start > c.first;
	out->began = c.start[start];
	seep_birth_profile_read(&out->profile, &c, start, end);
	if (out->verdict == SEEP_SITE_LEAK && seep_birth_profile_has_ended(&out->profile))
		out->verdict = SEEP_SITE_FILLING;
	if (out->surviving < COHORTS_ENOUGH &&
	    (out->surviving < 2 || !(clock.material_bytes > 0) ||
	     out->profile.bytes < LARGE_MATERIAL * clock.material_bytes))
		out->verdict = SEEP_SITE_NONE;
	if (out->verdict == SEEP_SITE_LEAK)
		seep_claim_weigh(out, &clock);
	estimate(out, &c, first, end);
}
