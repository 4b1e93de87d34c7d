/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two questions about the blocks of a site that grow by realloc: would a reservation save copying
 * (advise), and does an array grow without end (is_growth, climb)?  The tracker keeps a histogram
 * of the sizes of each chain and the largest size over time; both answers come from these.
 */
#include "analyse/site/realloc_growth.h"

#include "analyse/threshold/thresholds.h"

#include <math.h>

#define STRETCHES 4              /* moments at which an array was full, each at half the time */

struct seep_realloc_growth_scale seep_realloc_growth_read_scale(const struct seep_run *run)
{
	struct seep_realloc_growth_scale scale = { .events = seep_run_marked(run) };

	for (size_t i = 0; i < run->n_sites; i++)
		if (run->sites[i].kind == SEEP_MEMORY_HEAP)
			scale.born_bytes += (double)run->sites[i].born_bytes;
	return scale;
}

static double per(uint64_t sum, double n)
{
	return n > 0 ? (double)sum / n : 0;
}

static double count_finals(const struct seep_moves *moves)
{
	double n = 0;

	for (size_t b = 0; b < SEEP_TRACE_SIZE_BINS; b++)
		n += (double)moves->bins[b].finals;
	return n;
}

/* The bin that this share of the chains does not exceed. */
static size_t find_quantile(const struct seep_moves *moves, double share)
{
	double want = share * count_finals(moves), n = 0;
	size_t b, last = 0;

	for (b = 0; b < SEEP_TRACE_SIZE_BINS && n < want; b++) {
		n += (double)moves->bins[b].finals;
		last = b;
	}
	return last;
}

/*
 *	without:  final size + what was copied to it last      both are there for a moment
 *	with:     reserved size
 *
 * Blocks that stay smaller waste memory, and all those of one event may exist at once; only one
 * block moves at a time.
 */
static double find_peak(const struct seep_moves *moves, size_t last,
			const struct seep_realloc_growth_advice *advice)
{
	double old = 0, waste = 0, n = count_finals(moves);

	for (size_t b = 0; b <= last; b++) {
		const struct seep_moves_bin *bin = &moves->bins[b];
		double finals = (double)bin->finals;

		old += finals * per(bin->copied_bytes, (double)bin->growths);
		waste += fmax(finals * advice->reserve_bytes - (double)bin->final_bytes, 0);
	}
	return n > 0 ? (old - waste * fmax(advice->chains_per_event, 1)) / n : 0;
}

/* Reserves the largest size of a bin. */
static void reserve(struct seep_realloc_growth_advice *advice, const struct seep_moves *moves,
		    size_t last)
{
	double n = (double)moves->chains, finals = 0, all = count_finals(moves);
	uint64_t saved = 0, copied = 0;

	for (size_t b = 0; b <= last; b++) {
		saved += moves->bins[b].moves;
		copied += moves->bins[b].copied_bytes;
		finals += (double)moves->bins[b].finals;
	}
	advice->reserve_bytes = (double)moves->bins[last].largest_bytes;
	advice->covered = all > 0 ? finals / all : 0;
	advice->moves = per(saved, n);
	advice->copied_bytes = per(copied, n);
	advice->peak_bytes = find_peak(moves, last, advice);
}

static bool is_much(const struct seep_realloc_growth_advice *advice, const struct seep_moves *moves,
		    struct seep_realloc_growth_scale scale)
{
	double all = advice->copied_bytes * (double)moves->chains;
	double each = scale.events ? all / (double)scale.events : 0;

	if (!scale.events)
		return all >= COPIED_PER_RUN;
	return each >= COPIED_PER_EVENT ||
	       (each >= COPIED_LITTLE && all >= COPIED_PART * scale.born_bytes);
}

/* A live block may go on growing, so its final size is not known. */
static bool has_ended(const struct seep_moves *moves)
{
	return (double)moves->live_chains <= CHAIN_LIVE * (double)moves->chains;
}

/* An array that begins with 32 bytes may begin with one item or with four. */
static double find_item(const struct seep_moves *moves)
{
	uint64_t unit = moves->unit_bytes;

	return moves->first_bytes == moves->chains * unit && unit & (unit - 1) ? (double)unit : 0;
}

void seep_realloc_growth_advise(struct seep_realloc_growth_advice *advice,
				const struct seep_site *site,
				struct seep_realloc_growth_scale scale)
{
	const double shares[] = { CHAIN_TYPICAL, CHAIN_MEDIAN };
	const struct seep_moves *moves = site->moves;

	*advice = (struct seep_realloc_growth_advice){ 0 };
	if (!moves || !moves->chains)
		return;
	if (scale.events)
		advice->chains_per_event = (double)moves->chains / (double)scale.events;
	advice->typical_bytes =
		(double)moves->bins[find_quantile(moves, CHAIN_TYPICAL)].largest_bytes;
	advice->item_bytes = find_item(moves);
	if (!has_ended(moves) || seep_realloc_growth_is_growth(site, scale.events))
		return;
	/* If sizes differ a lot, reserving for the large ones costs more than it saves. */
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]) && !advice->worth; i++) {
		reserve(advice, moves, find_quantile(moves, shares[i]));
		advice->worth = advice->peak_bytes >= 0 && advice->moves >= MOVES_SAVED &&
				is_much(advice, moves, scale);
	}
}

/* Compares what live chains added to their first sizes with all that the site added. */
static bool is_most(const struct seep_site *site)
{
	const struct seep_moves *moves = site->moves;
	double live = fmax((double)site->born_bytes - (double)site->died_bytes, 0), born = 0;
	double first = per(moves->first_bytes, (double)moves->chains) * (double)moves->live_chains;
	double grown = (double)moves->live_bytes - first, other;

	/* Blocks that never grew and are older than the events are no growth. */
	for (size_t b = 0; b < site->cohorts.n_bins; b++)
		born += (double)site->cohorts.live_bytes[b];
	other = fmin(fmax(live - (double)moves->live_bytes, 0), born);
	return grown > 0 && grown >= GROWTH_BY_CHAINS * (grown + other);
}

/* Blocks that each event keeps may grow too, but their largest size does not keep rising. */
static bool is_rising(const struct seep_moves *moves, int64_t events)
{
	double early = 0, most = 0;
	size_t records = 0;

	for (size_t i = 0; i < moves->n_peaks; i++) {
		int64_t end = moves->first_event + (int64_t)(i + 1) * moves->events_per_peak;
		double peak = (double)moves->peaks[i];

		if (end <= events / CHAIN_EARLY)
			early = fmax(early, peak);
		records += peak > most;
		most = fmax(most, peak);
	}
	return records >= CHAIN_RECORDS && early <= CHAIN_EARLY_SIZE * most;
}

bool seep_realloc_growth_is_growth(const struct seep_site *site, int64_t events)
{
	const struct seep_moves *moves = site->moves;

	if (!moves || !moves->chains || !moves->live_chains ||
	    moves->last_event < events / CHAIN_EARLY)
		return false;
	return is_most(site) && is_rising(moves, events) &&
	       (double)moves->live_bytes >= CHAIN_EVEN * (double)moves->live_chains *
					    (double)moves->largest_bytes;
}

/* A size that was outgrown in some event: the array was that full by then. */
struct outgrown {
	double event, bytes;
};

/* The sizes that the largest array had before each of its growths; returns how many. */
static size_t list_outgrown(struct outgrown *list, const struct seep_moves *moves)
{
	double most = 0;
	size_t n = 0;

	for (size_t i = 0; i < moves->n_peaks && i < SEEP_TRACE_PEAK_BINS; i++) {
		double peak = (double)moves->peaks[i];

		if (!(peak > most))
			continue;
		if (most > 0)
			list[n++] = (struct outgrown){
				(double)moves->first_event +
					((double)i + .5) * (double)moves->events_per_peak, most,
			};
		most = peak;
	}
	return n;
}

/* The one that came after about half the time of the last. */
static size_t find_half(const struct outgrown *list, size_t last)
{
	size_t best = 0;

	for (size_t i = 1; i < last; i++)
		if (fabs(log(2 * list[i].event / list[last].event)) <
		    fabs(log(2 * list[best].event / list[last].event)))
			best = i;
	return best;
}

/* Bytes per event between two of them.  Their distance may be off by w events. */
static struct seep_estimate find_speed(const struct outgrown *from, const struct outgrown *to,
				       double w)
{
	double bytes = to->bytes - from->bytes, events = to->event - from->event;

	return (struct seep_estimate){
		.known = events > 0, .value = bytes / events, .low = bytes / (events + w),
		.high = events > w ? bytes / (events - w) : INFINITY,
	};
}

/* Is the speed the same in all parts, within the error of the times? */
static bool is_steady(const struct outgrown *at, double w, double part)
{
	double most = 0, least = INFINITY;

	for (size_t i = 0; i + 1 < STRETCHES; i++) {
		struct seep_estimate speed = find_speed(&at[i], &at[i + 1], w);

		most = fmax(most, speed.low);
		least = fmin(least, speed.high);
	}
	return least >= part * most;
}

/* Is each size the previous one times the same factor, clearly above 1? */
static bool is_geometric(const struct outgrown *list, size_t n, double largest)
{
	double last = largest / list[n - 1].bytes, before = list[n - 1].bytes / list[n - 2].bytes;

	return last >= CLIMB_FACTOR && fabs(log(last / before)) <= CLIMB_FACTOR_SAME;
}

/*
 *	size           ._____ largest    An array that doubles shows how much is in it only when
 *	     .________ |                 it grows: then it has just become full.  What is put in
 *	  .__|                           event after event outgrows each size after twice the
 *	._|                              time, and the next growth is not overdue.
 *	   1     2     3      events
 */
enum seep_realloc_growth_climb seep_realloc_growth_climb(const struct seep_site *site,
							 int64_t events,
							 double until, struct seep_estimate *rate)
{
	const struct seep_moves *moves = site->moves;
	struct outgrown list[SEEP_TRACE_PEAK_BINS], at[STRETCHES];
	double w, room, rest, speed;
	size_t n, i, place;

	if (!moves || !seep_realloc_growth_is_growth(site, events))
		return SEEP_CLIMB_UNKNOWN;
	n = list_outgrown(list, moves);
	if (n < STRETCHES)
		return SEEP_CLIMB_UNKNOWN;
	list[n - 1].event = (double)moves->last_event + .5;
	for (i = STRETCHES, place = n - 1; i-- > 0; place = place ? find_half(list, place) : 0)
		at[i] = list[place];
	w = (double)moves->events_per_peak;
	for (i = 0; i + 1 < STRETCHES; i++)
		if (!(at[i + 1].event - at[i].event > (i ? w : 0)))
			return SEEP_CLIMB_UNKNOWN;
	room = (double)moves->largest_bytes - at[STRETCHES - 1].bytes;
	rest = until - at[STRETCHES - 1].event - w;
	speed = find_speed(&at[STRETCHES - 2], &at[STRETCHES - 1], w).high;
	if (speed < CLIMB_STOPS * find_speed(&at[STRETCHES - 3], &at[STRETCHES - 2], w).low ||
	    room < CLIMB_STOPS * speed * rest)
		return SEEP_CLIMB_STOPS;
	if (!is_geometric(list, n, (double)moves->largest_bytes) ||
	    !is_steady(at, w, CLIMB_MAYBE) || room < CLIMB_MAYBE * speed * rest)
		return SEEP_CLIMB_UNKNOWN;
	*rate = find_speed(&at[1], &at[STRETCHES - 1], w);
	rate->high = fmax(rate->high, ((double)moves->largest_bytes - at[1].bytes) /
					      ((double)events - at[1].event));
	return is_steady(at, CLIMB_STEADY_TIMES * w, CLIMB_STEADY) &&
	       at[STRETCHES - 1].event >= CLIMB_BINS * w
		? SEEP_CLIMB_GOES_ON : SEEP_CLIMB_MAY_GO_ON;
}
