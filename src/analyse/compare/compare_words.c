/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the one-line summary of a comparison. */
#include "analyse/compare/compare_sides.h"

#include "analyse/threshold/thresholds.h"
#include "analyse/words/sentence.h"
#include "base/size_unit.h"

#include <math.h>
#include <string.h>

struct words {
	const struct seep_compare *compare;
	const struct seep_compare_side *sides;
	struct seep_arena *arena;
	const char *per;         /* " per event", " per second" or "" */
};

static const char *size_of(const struct words *words, double bytes)
{
	return seep_sentence_size(fabs(bytes) < WORDS_NOTHING ? 0 : bytes, words->arena);
}

static const char *number(const struct words *words, size_t n)
{
	static const char *const names[] = {
		"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
	};

	return n < sizeof(names) / sizeof(*names) ? names[n]
						  : seep_arena_printf(words->arena, "%zu", n);
}

/* "three sites" */
static const char *count_sites(const struct words *words, size_t n)
{
	return seep_arena_printf(words->arena, "%s site%s", number(words, n), n > 1 ? "s" : "");
}

/* "1.12 +- 0.02 kB": the error with one digit, or with two if the first is 1. */
static const char *amount(const struct words *words, const struct seep_estimate *e)
{
	double value = fabs(e->value), error = fmax(e->high - e->value, e->value - e->low);
	struct seep_size_unit unit = seep_size_unit_for_words(fmax(value, error));

	if (!(error / unit.bytes >= WORDS_NOTHING))
		return size_of(words, fabs(e->value));
	while (unit.decimals < 2 && error / unit.bytes * pow(10, unit.decimals) < 1.95)
		unit.decimals++;
	return seep_arena_printf(words->arena, "%s +- %s %s", seep_size_in(unit, value).text,
				 seep_size_in(unit, error).text, unit.name);
}

static const char *kind_of(const struct words *words, int side)
{
	return seep_verdict_kind_name(words->sides[side].verdict->kind);
}

/* "flat (no growth above 12 B per event)" */
static const char *tell_rest(const struct words *words, int side)
{
	const struct seep_estimate *rate = side ? &words->compare->bytes.after
						: &words->compare->bytes.before;

	if (!rate->known)
		return kind_of(words, side);
	if (!(rate->high >= WORDS_NOTHING))
		return seep_arena_printf(words->arena, "%s (no growth at all)",
					 kind_of(words, side));
	return seep_arena_printf(words->arena, "%s (no growth above %s%s)", kind_of(words, side),
				 size_of(words, rate->high), words->per);
}

static const char *noun(const struct words *words, int side)
{
	return words->sides[side].verdict->kind == SEEP_KIND_LEAK ? "leak" : "growth";
}

static const char *verb(const struct words *words)
{
	if (words->compare->mixed)
		return words->compare->heap ? "live heap grows by" : "RSS grows by";
	return words->sides[0].verdict->kind == SEEP_KIND_LEAK ||
	       words->sides[1].verdict->kind == SEEP_KIND_LEAK ? "leaks" : "grows by";
}

/* "; three sites left, one of them new" */
static const char *tell_sites(const struct words *words)
{
	const struct seep_compare *compare = words->compare;
	size_t left = 0, fresh = 0, i;

	for (i = 0; i < compare->n_sites; i++) {
		left += compare->sites[i].n_after;
		if (compare->sites[i].change == SEEP_CHANGE_NEW)
			fresh += compare->sites[i].n_after;
	}
	if (!compare->n_sites)
		return "";
	if (compare->outcome == SEEP_COMPARE_MORE || compare->outcome == SEEP_COMPARE_NEW)
		return seep_arena_printf(words->arena, "; %s %s new", count_sites(words, fresh),
					 fresh > 1 ? "are" : "is");
	return seep_arena_printf(words->arena, "; %s left%s", count_sites(words, left),
				 fresh ? seep_arena_printf(words->arena, ", %s of them new",
							   number(words, fresh)) : "");
}

/* ", 64 B less per hit", or the reason for a different rate if the growth per hit is equal. */
static const char *tell_unit(const struct words *words)
{
	const struct seep_compare_unit *unit = &words->compare->unit;
	double change = unit->bytes.difference.value;

	if (!unit->known)
		return "";
	if (unit->same)
		return seep_arena_printf(words->arena, ", but the same per %s: %s; %.4g of them%s "
					 "before, %.4g after", unit->counter,
					 size_of(words, unit->bytes.after.value),
					 unit->before_units, words->per, unit->after_units);
	return seep_arena_printf(words->arena, ", %s %s per %s",
				 amount(words, &unit->bytes.difference),
				 change < 0 ? "less" : "more", unit->counter);
}

static const char *write_changed(const struct words *words)
{
	const struct seep_compare *compare = words->compare;

	return seep_arena_printf(words->arena, "%s %s %s%s%s%s", verb(words),
				 amount(words, &compare->bytes.difference),
				 compare->outcome == SEEP_COMPARE_LESS ? "less" : "more",
				 words->per, tell_unit(words), tell_sites(words));
}

/* The largest change that is not ruled out. */
static const char *tell_bound(const struct words *words, const struct seep_estimate *difference)
{
	double most = fmax(fabs(difference->low), fabs(difference->high));

	return seep_arena_printf(words->arena, "a change of more than %s%s is ruled out",
				 size_of(words, most), words->per);
}

static const char *write_same(const struct words *words)
{
	const struct seep_compare *compare = words->compare;
	const struct seep_compare_unit *unit = &compare->unit;
	const char *but = "";

	if (compare->live && compare->bytes.difference.high - compare->bytes.difference.low < .5)
		return seep_arena_printf(words->arena, "the same amount is live in both: %s",
					 size_of(words, compare->bytes.after.value));
	if (unit->known && !unit->same)
		but = seep_arena_printf(words->arena, "; but %s %s per %s",
					amount(words, &unit->bytes.difference),
					unit->bytes.difference.value < 0 ? "less" : "more",
					unit->counter);
	return seep_arena_printf(words->arena, "no difference was detected: %s%s before, %s "
				 "after; %s%s", size_of(words, compare->bytes.before.value),
				 compare->live ? " alive" : words->per,
				 size_of(words, compare->bytes.after.value),
				 tell_bound(words, &compare->bytes.difference), but);
}

/* A caveat if the outcome follows from the verdicts but not from the rates alone. */
static const char *doubt(const struct words *words)
{
	return seep_compare_tell(&words->compare->bytes.difference, 1) == SEEP_CHANGE_SAME
		? "; the rates alone do not show it" : "";
}

static const char *write_kinds(const struct words *words)
{
	const struct seep_compare *compare = words->compare;

	if (compare->outcome == SEEP_COMPARE_GONE)
		return seep_arena_printf(words->arena, "the %s is gone: %s%s before, %s after%s",
					 noun(words, 0),
					 size_of(words, compare->bytes.before.value), words->per,
					 tell_rest(words, 1), doubt(words));
	if (compare->outcome == SEEP_COMPARE_NEW)
		return seep_arena_printf(words->arena, "the %s is new: %s before, %s%s after%s%s",
					 noun(words, 1), tell_rest(words, 0),
					 size_of(words, compare->bytes.after.value), words->per,
					 tell_sites(words), doubt(words));
	return seep_arena_printf(words->arena, "neither run has a leak: %s before, %s after",
				 tell_rest(words, 0), tell_rest(words, 1));
}

static const char *write_open(const struct words *words)
{
	bool before = words->compare->bytes.before.known, after = words->compare->bytes.after.known;

	if (words->compare->mixed)
		return seep_arena_printf(words->arena, "cannot be compared: the verdict on one "
					 "run is based on the live heap and that on the other on "
					 "RSS, and the %s run has no rate for %s",
					 before ? "second" : "first",
					 words->compare->heap ? "the live heap" : "RSS");
	return seep_arena_printf(words->arena, "cannot be compared: %s", !before && !after
				 ? "neither run was long enough for a rate"
				 : before ? "the second run was too short for a rate"
					  : "the first run was too short for a rate");
}

/* "; three sites grew, one shrank" */
static const char *tell_levels(const struct words *words)
{
	size_t more = 0, less = 0;

	for (size_t i = 0; i < words->compare->n_sites; i++) {
		enum seep_compare_change change = words->compare->sites[i].change;

		more += change == SEEP_CHANGE_MORE || change == SEEP_CHANGE_NEW;
		less += change == SEEP_CHANGE_LESS || change == SEEP_CHANGE_GONE;
	}
	return seep_arena_printf(words->arena, "; %s grew, %s shrank", count_sites(words, more),
				 less ? number(words, less) : "none");
}

static const char *write_level(const struct words *words)
{
	const struct seep_compare *compare = words->compare;

	return seep_arena_printf(words->arena, "%s %s alive: %s before, %s after%s",
				 amount(words, &compare->bytes.difference),
				 compare->outcome == SEEP_COMPARE_LESS ? "less" : "more",
				 size_of(words, compare->bytes.before.value),
				 size_of(words, compare->bytes.after.value), tell_levels(words));
}

void seep_compare_write(struct seep_compare *compare, const struct seep_compare_side *sides,
			struct seep_arena *arena)
{
	struct words words = {
		.compare = compare, .sides = sides, .arena = arena,
		.per = compare->live ? "" : strcmp(compare->per, "s") ? " per event"
								     : " per second",
	};

	switch (compare->outcome) {
	case SEEP_COMPARE_LESS:
	case SEEP_COMPARE_MORE:
		compare->summary = compare->live ? write_level(&words) : write_changed(&words);
		break;
	case SEEP_COMPARE_SAME:
		compare->summary = write_same(&words);
		break;
	case SEEP_COMPARE_OPEN:
		compare->summary = write_open(&words);
		break;
	default:
		compare->summary = write_kinds(&words);
		break;
	}
}
