/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides how two runs are compared (by rates, or by live memory), computes the differences with
 * their intervals, and lets the other compare_*.c files fill in sites, series and words.
 */
#include "analyse/compare/compare.h"

#include "analyse/gate/budget.h"
#include "analyse/compare/compare_sides.h"
#include "analyse/words/unit.h"
#include "base/table.h"
#include "base/words.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-6            /* relative difference between two computations of one rate */
#define NOTES_MAX 8

const char *seep_compare_outcome_name(enum seep_compare_outcome outcome)
{
	static const char *const names[] = {
		[SEEP_COMPARE_SAME] = "same", [SEEP_COMPARE_LESS] = "less",
		[SEEP_COMPARE_MORE] = "more", [SEEP_COMPARE_GONE] = "gone",
		[SEEP_COMPARE_NEW] = "new",   [SEEP_COMPARE_NONE] = "none",
		[SEEP_COMPARE_OPEN] = "open",
	};

	return names[outcome];
}

const char *seep_compare_change_name(enum seep_compare_change change)
{
	static const char *const names[] = {
		[SEEP_CHANGE_SAME] = "same", [SEEP_CHANGE_PERHAPS] = "perhaps",
		[SEEP_CHANGE_MORE] = "more", [SEEP_CHANGE_LESS] = "less",
		[SEEP_CHANGE_NEW] = "new",   [SEEP_CHANGE_GONE] = "gone",
	};

	return names[change];
}

struct seep_compare_pair seep_compare_pair(const struct seep_estimate *before,
					   const struct seep_estimate *after)
{
	struct seep_compare_pair pair = { *before, *after, seep_budget_subtract(after, before) };
	struct seep_estimate *d = &pair.difference;

	if (fabs(d->value) <= ROUNDING * fmax(fabs(before->value), fabs(after->value))) {
		d->value = 0;
		d->low = fmin(d->low, 0);
		d->high = fmax(d->high, 0);
	}
	return pair;
}

void seep_compare_note(struct seep_compare *compare, const char *note, struct seep_arena *arena)
{
	if (!compare->notes)
		compare->notes = seep_arena_array(arena, NOTES_MAX, sizeof(*compare->notes));
	if (compare->n_notes < NOTES_MAX)
		compare->notes[compare->n_notes++] = note;
}

/* The driver that consists of this counter alone, or NULL. */
static const struct seep_driver *find_driver(const struct seep_compare_side *side,
					     const char *counter)
{
	for (size_t i = 0; i < side->verdict->n_drivers; i++) {
		const struct seep_driver *driver = &side->verdict->drivers[i];

		if (!driver->time && !driver->running_maximum && !driver->combined &&
		    driver->bytes_per_unit.known && driver->counter < side->run->n_counters &&
		    (!counter || !strcmp(side->run->counters[driver->counter].name, counter)))
			return driver;
	}
	return NULL;
}

static double units_per_event(const struct seep_run *run, size_t counter)
{
	double sum = 0, events = (double)seep_run_marked(run);

	for (size_t e = 0; e < run->n_events; e++)
		sum += run->counters[counter].values[e];
	return events > 0 ? sum / events : 0;
}

/* Fills the unit.  True if sites can be compared per unit because nothing else drives them. */
static bool compare_units(struct seep_compare *compare, const struct seep_compare_side *sides,
			  const double *scales)
{
	struct seep_compare_unit *unit = &compare->unit;
	const struct seep_driver *before, *after = find_driver(&sides[1], NULL);
	const char *counter = after ? sides[1].run->counters[after->counter].name : NULL;

	before = counter ? find_driver(&sides[0], counter) : NULL;
	if (!before || compare->mixed)
		return false;
	unit->known = true;
	unit->counter = counter;
	unit->bytes = seep_compare_pair(&before->bytes_per_unit, &after->bytes_per_unit);
	unit->before_units = units_per_event(sides[0].run, before->counter) * scales[0];
	unit->after_units = units_per_event(sides[1].run, after->counter) * scales[1];
	unit->same = seep_compare_tell(&unit->bytes.difference, 1) == SEEP_CHANGE_SAME;
	return before->proportional && after->proportional && unit->before_units > 0 &&
	       unit->after_units > 0;
}

static const char *name_of(const struct seep_run *run, uint32_t name)
{
	return name && name < run->n_names ? run->names[name] : NULL;
}

/* Phases with the same names are added up. */
struct phases {
	struct seep_compare *compare;
	struct seep_words names;
	struct seep_table places; /* size_t: index in compare->phases + 1, by numbers of names */
};

static struct seep_compare_phase *find_phase(struct phases *phases, const struct seep_run *run,
					     const struct seep_phase_share *share)
{
	const char *from = name_of(run, share->from), *to = name_of(run, share->to);
	size_t from_bytes = from ? strlen(from) + 1 : 0, to_bytes = to ? strlen(to) + 1 : 0;
	char *key = seep_arena_alloc(phases->names.arena, from_bytes + to_bytes + 2);
	struct seep_compare_phase *phase;
	size_t *place;
	bool is_new;

	if (share->outside)
		from = to = "outside events";
	key[0] = (char)(share->between_events + 2 * share->outside);
	memcpy(key + 1, from ? from : "", from_bytes);
	memcpy(key + 2 + from_bytes, to ? to : "", to_bytes);
	place = seep_table_at(&phases->places, seep_words_put(&phases->names, key, from_bytes +
							      to_bytes + 2, &is_new));
	if (!*place) {
		phase = &phases->compare->phases[phases->compare->n_phases];
		*phase = (struct seep_compare_phase){ .from = from, .to = to,
						      .between_events = share->between_events };
		*place = ++phases->compare->n_phases;
	}
	return &phases->compare->phases[*place - 1];
}

/* Phases are comparable only if both runs grow and both verdicts use the same method. */
static bool has_like_phases(const struct seep_compare_side *sides)
{
	const struct seep_verdict *before = sides[0].verdict, *after = sides[1].verdict;

	return seep_verdict_kind_grows(before->kind) && seep_verdict_kind_grows(after->kind) &&
	       before->n_phases && after->n_phases &&
	       !isnan(before->phases[0].gross) == !isnan(after->phases[0].gross);
}

static void compare_phases(struct seep_compare *compare, const struct seep_compare_side *sides,
			   const double *scales, struct seep_arena *arena)
{
	size_t room = sides[0].verdict->n_phases + sides[1].verdict->n_phases;
	struct phases phases = { compare, { 0 }, SEEP_TABLE(arena, size_t) };
	double stretch;

	seep_words_init(&phases.names, arena);
	compare->phases = seep_arena_array(arena, room, sizeof(*compare->phases));
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < sides[s].verdict->n_phases; i++) {
			const struct seep_phase_share *share = &sides[s].verdict->phases[i];
			struct seep_compare_phase *phase = find_phase(&phases, sides[s].run, share);
			struct seep_estimate rate = seep_budget_scaled(&share->bytes_per_event,
								       scales[s]);

			*(s ? &phase->rate.after : &phase->rate.before) = rate;
			*(s ? &phase->in_after : &phase->in_before) = true;
		}
	stretch = seep_compare_stretch(compare->n_phases);
	for (size_t i = 0; i < compare->n_phases; i++) {
		struct seep_compare_phase *phase = &compare->phases[i];

		phase->rate = seep_compare_pair(&phase->rate.before, &phase->rate.after);
		phase->change = !phase->in_before ? SEEP_CHANGE_NEW
				: !phase->in_after ? SEEP_CHANGE_GONE
				: seep_compare_tell(&phase->rate.difference, stretch);
	}
}

static enum seep_compare_outcome decide(const struct seep_compare *compare,
					const struct seep_compare_side *sides)
{
	enum seep_kind before = sides[0].verdict->kind, after = sides[1].verdict->kind;
	bool grew = seep_verdict_kind_grows(before), grows = seep_verdict_kind_grows(after);
	bool decided = before != SEEP_KIND_UNDECIDED && after != SEEP_KIND_UNDECIDED;

	if (compare->mixed && !compare->bytes.difference.known)
		return SEEP_COMPARE_OPEN;
	if (!compare->live && decided && grew != grows)
		return grows ? SEEP_COMPARE_NEW : SEEP_COMPARE_GONE;
	if (!compare->live && decided && !grows)
		return SEEP_COMPARE_NONE;
	switch (seep_compare_tell(&compare->bytes.difference, 1)) {
	case SEEP_CHANGE_MORE:
		return SEEP_COMPARE_MORE;
	case SEEP_CHANGE_LESS:
		return SEEP_COMPARE_LESS;
	case SEEP_CHANGE_SAME:
		return SEEP_COMPARE_SAME;
	default:
		return SEEP_COMPARE_OPEN;
	}
}

static void note_rates(struct seep_compare *compare, const struct seep_compare_side *sides,
		       struct seep_arena *arena)
{
	static const char *const series[] = { "RSS", "the live heap" };
	bool before = sides[0].verdict->from_heap, after = sides[1].verdict->from_heap;

	if (seep_run_has_slices(sides[0].run) != seep_run_has_slices(sides[1].run))
		seep_compare_note(compare, "one of the runs marks no events, so rates are per "
				  "second", arena);
	if (sides[0].run->has_heap != sides[1].run->has_heap)
		seep_compare_note(compare, "only one of them has call sites, so these are not "
				  "compared", arena);
	if (compare->mixed)
		seep_compare_note(compare, seep_arena_printf(arena,
				  "the first verdict is based on %s and the second on %s; the "
				  "rates compared are those of %s in both runs", series[before],
				  series[after], series[compare->heap]), arena);
}

static void compare_rates(struct seep_compare *compare, const struct seep_compare_side *sides,
			  struct seep_arena *arena)
{
	struct seep_budget budget = { .per_second = seep_run_has_slices(sides[0].run) ||
						    seep_run_has_slices(sides[1].run) };
	struct seep_estimate rates[2];
	double scales[2], site_scales[2];

	seep_compare_series(compare, sides, arena);
	compare->per = compare->site_per = seep_budget_per(&budget);
	for (int s = 0; s < 2; s++) {
		scales[s] = seep_budget_scale(&budget, sides[s].run, sides[s].verdict);
		site_scales[s] = scales[s];
		rates[s] = seep_budget_scaled(s ? &compare->bytes.after : &compare->bytes.before,
					      scales[s]);
		*(s ? &compare->blocks_after : &compare->blocks_before) =
			(double)sides[s].run->live_blocks;
	}
	compare->bytes = seep_compare_pair(&rates[0], &rates[1]);
	if (compare_units(compare, sides, scales)) {
		compare->site_per = compare->unit.counter;
		site_scales[0] = scales[0] / compare->unit.before_units;
		site_scales[1] = scales[1] / compare->unit.after_units;
	}
	if (!compare->mixed && has_like_phases(sides))
		compare_phases(compare, sides, scales, arena);
	if (sides[0].run->has_heap && sides[1].run->has_heap)
		seep_compare_site_rates(compare, sides, site_scales, arena);
	note_rates(compare, sides, arena);
}

static void note_levels(struct seep_compare *compare, const struct seep_compare_side *sides,
			bool wanted, struct seep_arena *arena)
{
	const struct seep_run *before = sides[0].run, *after = sides[1].run;

	if (!before->n_dumps != !after->n_dumps)
		seep_compare_note(compare, "one is a heap profile and the other a run: a profiler "
				  "may count different blocks, or block sizes as rounded up by the "
				  "allocator", arena);
	else if (!wanted && !before->n_dumps)
		seep_compare_note(compare, seep_arena_printf(arena,
				  "%s for a rate, so the memory still live at the end is compared",
				  seep_run_has_slices(before) || seep_run_has_slices(after)
				  ? "the runs are too short" : "there are too few events"), arena);
	if (!before->sampling.mean_bytes != !after->sampling.mean_bytes)
		seep_compare_note(compare, "one is a sample and the other is not", arena);
}

void seep_compare_runs(struct seep_compare *compare, const struct seep_compare_side *before,
		       const struct seep_compare_side *after, bool live,
		       struct seep_arena *arena)
{
	struct seep_compare_side sides[] = { *before, *after };
	bool rates = before->verdict->bytes_per_event.known &&
		     after->verdict->bytes_per_event.known;

	memset(compare, 0, sizeof(*compare));
	seep_compare_footprint_of(&compare->footprint, before->run, after->run);
	compare->live = before->run->has_heap && after->run->has_heap && (live || !rates);
	if (compare->live) {
		seep_compare_site_levels(compare, sides, arena);
		note_levels(compare, sides, live, arena);
	} else {
		compare_rates(compare, sides, arena);
	}
	compare->outcome = decide(compare, sides);
	seep_compare_write(compare, sides, arena);
}
