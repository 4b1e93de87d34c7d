/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The injected leak changes between three levels, 0, L and 2L, up and down, in blocks of events.
 * The gain comes from a regression of heap and RSS on the bytes injected so far and the number
 * of events.
 */
#include "analyse/gate/calibrate.h"

#include "analyse/series/glsmix.h"
#include "analyse/series/series.h"
#include "analyse/threshold/thresholds.h"
#include "analyse/words/sentence.h"

#include <math.h>
#include <string.h>

#define TAIL_PART 8              /* part of the events up to the last injection, used after it */
#define BLOCKS 6                 /* in a row; over a row, a drift affects all levels equally */

/* What was injected, and when. */
struct losses {
	const struct seep_counter *counter;
	int64_t first, last;     /* events with an injection */
	int64_t block;           /* number of events in the first block with an injection */
	double level;
};

static const struct seep_counter *find_counter(const struct seep_run *run)
{
	size_t c;

	for (c = 0; c < run->n_counters; c++)
		if (!run->counters[c].gauge && !strcmp(run->counters[c].name,
						       SEEP_CALIBRATE_COUNTER))
			return &run->counters[c];
	return NULL;
}

/* False if nothing was injected.  The first injection has level L or 2L. */
static bool find_losses(struct losses *losses, const struct seep_run *run)
{
	const double *values;
	size_t e, first = run->n_events;

	losses->counter = find_counter(run);
	if (!losses->counter)
		return false;
	values = losses->counter->values;
	for (e = run->n_events; e-- > 0;)
		if (values[e] > 0) {
			if (first == run->n_events)
				losses->last = run->events[e].number;
			first = e;
		}
	if (first == run->n_events)
		return false;
	losses->level = values[first];
	losses->first = run->events[first].number;
	for (e = first; e < run->n_events && fabs(values[e] - losses->level) < .5; e++)
		losses->block = run->events[e].number + 1 - losses->first;
	return true;
}

/* The sum of what was injected before each event started. */
static void sum_losses(double *sums, const struct losses *losses, const struct seep_run *run,
		       const double *index, size_t n)
{
	double sum = 0;
	size_t i, e = 0;

	for (i = 0; i < n; i++) {
		for (; e < run->n_events && (double)run->events[e].number < index[i]; e++)
			sum += losses->counter->values[e];
		sums[i] = sum;
	}
}

/* The events to use: from one block before the first injection to a bit after the last. */
static void find_rows(size_t *first, size_t *n, const struct losses *losses,
		      const struct seep_series *series)
{
	double start = (double)(losses->first - losses->block), end = (double)losses->last + 1;
	size_t i = 0;

	end += fmax((double)losses->block, (end - start) / TAIL_PART);
	start = fmax(start, 1); /* the first event includes initialisation */
	while (i < series->n && series->index[i] < start)
		i++;
	*first = i;
	while (i < series->n && series->index[i] <= end)
		i++;
	*n = i - *first;
}

static struct seep_estimate estimate(const struct seep_glsmix *fit)
{
	return (struct seep_estimate){ fit->known, fit->mean, fit->low, fit->high };
}

/* The confusion of units that would explain the gain, if the gain is known well enough. */
static const char *find_unit_error(const struct seep_estimate *gain, double width)
{
	static const struct {
		double gain;
		const char *mistake;
	} units[] = {
		{ 1000. / 1024, "kilobytes of 1024 bytes are read as 1000 bytes" },
		{ 1.024, "kilobytes of 1000 bytes are read as 1024 bytes" },
		{ 1e6 / 1048576, "megabytes of 1048576 bytes are read as 1000000 bytes" },
		{ 1.048576, "megabytes of 1000000 bytes are read as 1048576 bytes" },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units) && width < CALIBRATE_UNIT_WIDTH; i++)
		if (fabs(gain->value - units[i].gain) < CALIBRATE_UNIT_NEAR + width / 2)
			return units[i].mistake;
	return NULL;
}

/* width: of the interval, due to noise alone. */
static void decide(struct seep_calibrate_reading *reading, double width, double events)
{
	const struct seep_estimate *gain = &reading->gain;

	if (gain->low > 1 || gain->high < 1) {
		reading->outcome = SEEP_CALIBRATE_WRONG;
		reading->unit_error = find_unit_error(gain, width);
	} else if (width < CALIBRATE_WIDTH) {
		reading->outcome = SEEP_CALIBRATE_RIGHT;
	} else {
		/* for any kind of noise, because the levels keep alternating */
		reading->events_needed = ceil(events * pow(width / CALIBRATE_WIDTH, 2));
	}
}

static void read_back(struct seep_calibrate_reading *reading, int64_t *used,
		      const struct losses *losses, const struct seep_run *run,
		      enum seep_series_kind kind, struct seep_arena *arena)
{
	struct seep_glsmix_data data = { .p = 3, .column = 2 };
	struct seep_series series;
	struct seep_glsmix fit;
	size_t first;
	double *sums, width, last, row_end;

	seep_series_build(&series, run, kind, arena);
	find_rows(&first, &data.n, losses, &series);
	if (data.n < CALIBRATE_ROWS)
		return;
	sums = seep_arena_array(arena, data.n, sizeof(double));
	sum_losses(sums, losses, run, series.index + first, data.n);
	data.y = series.values + first;
	data.x[1] = series.index + first;
	data.x[2] = sums;
	data.quantum = series.quantum;
	seep_glsmix_fit(&fit, &data);
	reading->gain = estimate(&fit);
	width = fit.high - fit.low;
	data.column = 1;
	seep_glsmix_fit(&fit, &data);
	reading->own = estimate(&fit);
	if (kind == SEEP_SERIES_RSS) {
		reading->gain.low -= CALIBRATE_GRAIN + CALIBRATE_ROOM +
				     CALIBRATE_ROOM_BYTES / losses->level;
		reading->gain.high += CALIBRATE_GRAIN;
	}
	last = series.index[first + data.n - 1];
	row_end = (double)(losses->first + (BLOCKS - 1) * losses->block - 1);
	*used = (int64_t)(last - series.index[first]);
	reading->incomplete = last < row_end;
	if (reading->incomplete)
		reading->events_needed = row_end + 1;
	else if (reading->gain.known)
		decide(reading, width, last + 1);
}

const char *seep_calibrate_outcome_name(enum seep_calibrate_outcome outcome)
{
	switch (outcome) {
	case SEEP_CALIBRATE_RIGHT:
		return "right";
	case SEEP_CALIBRATE_WRONG:
		return "wrong";
	case SEEP_CALIBRATE_UNKNOWN:
		break;
	}
	return "unknown";
}

static enum seep_calibrate_outcome worse(enum seep_calibrate_outcome a,
					 enum seep_calibrate_outcome b)
{
	if (a == SEEP_CALIBRATE_WRONG || b == SEEP_CALIBRATE_WRONG)
		return SEEP_CALIBRATE_WRONG;
	return a > b ? a : b;
}

/* Prints as many decimals as are needed to see the interval. */
static const char *name_gain(const struct seep_estimate *gain, struct seep_arena *arena)
{
	double width = gain->high - gain->low;
	int decimals = width > .02 ? 2 : width > .002 ? 3 : 4;

	if (!gain->known)
		return "an unknown part";
	return seep_arena_printf(arena, "%.*f [%.*f, %.*f]", decimals, gain->value, decimals,
				 gain->low, decimals, gain->high);
}

static const char *explain_reading(const struct seep_calibrate_reading *reading, bool is_rss,
				   struct seep_arena *arena)
{
	const struct seep_estimate *gain = &reading->gain;
	const char *series = is_rss ? "RSS" : "the heap";

	if (reading->outcome == SEEP_CALIBRATE_RIGHT)
		return "";
	if (!gain->known)
		return seep_arena_printf(arena, "; too few events for %s", series);
	if (reading->incomplete)
		return seep_arena_printf(arena, "; %s was not seen at all levels in both "
					 "directions; that takes %.0f events", series,
					 reading->events_needed);
	if (reading->unit_error)
		return seep_arena_printf(arena, "; the interval for %s does not contain 1, as "
					 "happens when %s", series, reading->unit_error);
	if (reading->outcome == SEEP_CALIBRATE_WRONG)
		return seep_arena_printf(arena, "; the interval for %s does not contain 1%s",
					 series,
					 is_rss && gain->high < 1 ? ": RSS rises less if the "
					 "allocator reuses free memory or pages are swapped out"
					 : "");
	return seep_arena_printf(arena, "; the interval for %s is too wide to tell; about %.0f "
				 "events would make it narrow enough", series,
				 reading->events_needed);
}

static const char *write_sentence(const struct seep_calibrate *calibrate, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "the heap shows %s of a leak of %s/event, RSS %s%s%s",
				 name_gain(&calibrate->heap.gain, arena),
				 seep_sentence_size(calibrate->level_bytes, arena),
				 name_gain(&calibrate->rss.gain, arena),
				 explain_reading(&calibrate->heap, false, arena),
				 explain_reading(&calibrate->rss, true, arena));
}

static const char *explain_nothing(const struct seep_run *run, struct seep_arena *arena)
{
	if (!run->has_heap)
		return "nothing was leaked on purpose: the heap of this program cannot be tracked";
	return seep_arena_printf(arena, "nothing was leaked on purpose: the run has only %lld "
				 "events; the first 10 are only observed, and the block after them "
				 "has no leak; 130 are usually enough",
				 (long long)seep_run_marked(run));
}

void seep_calibrate_judge(struct seep_calibrate *calibrate, const struct seep_run *run,
			  struct seep_arena *arena)
{
	struct losses losses = { 0 };
	size_t e;

	*calibrate = (struct seep_calibrate){
		.outcome = SEEP_CALIBRATE_UNKNOWN,
		.heap = { .outcome = SEEP_CALIBRATE_UNKNOWN },
		.rss = { .outcome = SEEP_CALIBRATE_UNKNOWN },
	};
	if (!find_losses(&losses, run)) {
		calibrate->sentence = explain_nothing(run, arena);
		return;
	}
	calibrate->level_bytes = losses.level;
	for (e = 0; e < run->n_events; e++)
		calibrate->injected_bytes += losses.counter->values[e];
	read_back(&calibrate->heap, &calibrate->events_used, &losses, run, SEEP_SERIES_HEAP,
		  arena);
	read_back(&calibrate->rss, &calibrate->events_used, &losses, run, SEEP_SERIES_RSS, arena);
	calibrate->outcome = worse(calibrate->heap.outcome, calibrate->rss.outcome);
	calibrate->sentence = write_sentence(calibrate, arena);
}
