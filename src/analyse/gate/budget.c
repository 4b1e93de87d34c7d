/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts the rate and its interval to the unit of the budget, subtracts the baseline, and
 * compares the interval with the budget.  Most of this file handles answers that are neither
 * "over" nor "within", and finds out what would settle them.
 */
#include "analyse/gate/budget.h"
#include "analyse/series/trend.h"

#include "analyse/threshold/thresholds.h"
#include "analyse/words/sentence.h"
#include "analyse/words/unit.h"

#include <math.h>
#include <string.h>

struct seep_budget seep_budget_settle(struct seep_budget budget, const struct seep_run *run)
{
	if (!(budget.bytes > 0) && seep_run_has_slices(run))
		budget.per_second = true;
	return budget;
}

const char *seep_budget_per(const struct seep_budget *budget)
{
	return budget->per_second ? "s" : "event";
}

double seep_budget_scale(const struct seep_budget *budget, const struct seep_run *run,
			 const struct seep_verdict *verdict)
{
	const struct seep_estimate *rate = &verdict->bytes_per_event;
	double scale = 0;

	if (!budget->per_second)
		return 1;
	if (rate->known && fabs(rate->value) > 0)
		scale = verdict->bytes_per_s / rate->value;
	return isfinite(scale) && scale > 0 ? scale : seep_unit_count_per_s(run);
}

struct seep_estimate seep_budget_scaled(const struct seep_estimate *rate, double scale)
{
	return (struct seep_estimate){
		.known = rate->known && scale > 0, .value = rate->value * scale,
		.low = rate->low * scale, .high = rate->high * scale,
	};
}

struct seep_estimate seep_budget_add(const struct seep_estimate *a, const struct seep_estimate *b)
{
	double value = a->value + b->value;
	struct seep_estimate sum = {
		.value = value,
		.low = value - hypot(a->value - a->low, b->value - b->low),
		.high = value + hypot(a->high - a->value, b->high - b->value),
	};

	sum.known = a->known && b->known && isfinite(sum.low) && isfinite(sum.high);
	return sum;
}

struct seep_estimate seep_budget_subtract(const struct seep_estimate *a,
					  const struct seep_estimate *b)
{
	struct seep_estimate negative = { b->known, -b->value, -b->high, -b->low };

	return seep_budget_add(a, &negative);
}

bool seep_budget_counts(const struct seep_budget_question *question,
			const struct seep_estimate *more)
{
	double scale = seep_budget_scale(&question->budget, question->run, question->verdict);
	double events = (double)question->verdict->events_used;

	return more->known && more->low > question->budget.bytes && scale > 0 &&
	       more->value / scale * events >= question->verdict->material_bytes;
}

static const char *size_of(double bytes, struct seep_arena *arena)
{
	return seep_sentence_size(bytes, arena);
}

/* "2.19 MB/event" */
static const char *amount(double bytes, const struct seep_budget *budget, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%s/%s", size_of(bytes, arena), seep_budget_per(budget));
}

/* "2.19 MB/event (95 %: 2.18 MB to 2.20 MB), 30 B/event beyond the baseline" */
static const char *tell_rate(const struct seep_budget_answer *answer,
			     const struct seep_budget_question *question,
			     struct seep_arena *arena)
{
	const struct seep_estimate *rate = &answer->beyond;

	return seep_arena_printf(arena, "%s%s (95 %%: %s to %s)",
				 amount(rate->value, &question->budget, arena),
				 question->baseline ? " beyond the baseline" : "",
				 size_of(rate->low, arena), size_of(rate->high, arena));
}

static void leave_open(struct seep_budget_answer *answer, double more, const char *why)
{
	answer->outcome = SEEP_BUDGET_OPEN;
	answer->events_more = more > 0 && isfinite(more) ? ceil(more) : 0;
	answer->why = why;
}

/* The additional events that the verdict itself needs. */
static double verdict_needs(const struct seep_budget_question *question)
{
	return question->verdict->events_needed - (double)seep_run_marked(question->run);
}

/*
 * Noise that accumulates, as when blocks of random size are kept, averages out more slowly than
 * noise around a level.
 */
static double count_more(const struct seep_budget_answer *answer,
			 const struct seep_budget_question *question)
{
	const struct seep_estimate *rate = &answer->beyond;
	double distance = fabs(rate->value - question->budget.bytes);
	double half = rate->value > question->budget.bytes ? rate->value - rate->low
							   : rate->high - rate->value;
	double power = seep_verdict_kind_grows(question->verdict->kind) ? 2 : 2. / 3;
	double n = (double)question->verdict->events_used;

	return distance > 0 ? n * (pow(half / distance, power) - 1) : INFINITY;
}

/* Rounds up to the three digits that are printed, so that the printed budget is sufficient. */
static double round_up(double bytes)
{
	double unit = bytes > 0 ? fmax(pow(10, floor(log10(bytes)) - 2), .01) : 1;

	return unit * ceil(bytes / unit);
}

/* The budget is inside the interval. */
static void leave_wide(struct seep_budget_answer *answer,
		       const struct seep_budget_question *question, struct seep_arena *arena)
{
	const char *rate = tell_rate(answer, question, arena);
	const char *budget = amount(question->budget.bytes, &question->budget, arena);
	double more = fmax(count_more(answer, question), verdict_needs(question));

	if (!(more < BUDGET_HOPELESS * (double)question->verdict->events_used))
		leave_open(answer, 0, seep_arena_printf(arena,
			   "the rate is %s, too close to the budget of %s for more events to "
			   "settle it; the run would pass with a budget of %s", rate, budget,
			   amount(round_up(answer->beyond.high), &question->budget, arena)));
	else
		leave_open(answer, more, seep_arena_printf(arena,
			   "the rate is %s, and the budget of %s is inside that interval", rate,
			   budget));
}

/* The rate is above the budget, but the verdict does not say that memory grows. */
static void leave_unproven(struct seep_budget_answer *answer,
			   const struct seep_budget_question *question, struct seep_arena *arena)
{
	const struct seep_verdict *verdict = question->verdict;

	leave_open(answer, verdict_needs(question), seep_arena_printf(arena,
		   "the rate is %s, over the budget of %s, but the verdict is %s%s%s",
		   tell_rate(answer, question, arena),
		   amount(question->budget.bytes, &question->budget, arena),
		   seep_verdict_kind_name(verdict->kind), verdict->sentence ? ": " : "",
		   verdict->sentence ? verdict->sentence : ""));
}

/* RSS also grows outside the heap, so the rate of the heap is not the whole growth. */
static double grows_outside(const struct seep_budget_question *question)
{
	const struct seep_verdict *verdict = question->verdict;
	const struct seep_closing_sum *sum = &verdict->sum;

	if ((verdict->kind != SEEP_KIND_LEAK || question->baseline) &&
	    (verdict->kind != SEEP_KIND_UNDECIDED || verdict->events_needed > 0))
		return 0;
	if (!verdict->from_heap || !sum->clear)
		return 0;
	return sum->rss - sum->tracker - fmax(sum->heap_live, 0);
}

/* Judged by the total growth in the run. */
static bool is_material(const struct seep_budget_answer *answer,
			const struct seep_budget_question *question)
{
	return answer->beyond.value / answer->scale * (double)question->verdict->events_used >=
	       question->verdict->material_bytes;
}

/* Even at the upper end of the interval, a heap that grows no more than this is called flat. */
static bool is_tolerated(const struct seep_budget_answer *answer,
			 const struct seep_budget_question *question)
{
	const struct seep_trend *trend = question->verdict->basis.trend;

	return trend && !question->baseline &&
	       answer->beyond.high <= trend->tolerance * answer->scale;
}

/*
 * The kinds of verdict that fail the check.  Memory that the allocator keeps for later is not
 * growth of the program; but if it is large, the check cannot know whether it will stop.
 */
static bool must_stop(const struct seep_budget_question *question)
{
	enum seep_kind kind = question->verdict->kind;
	bool may_end = kind == SEEP_KIND_RETENTION ||
		       (kind == SEEP_KIND_FRAGMENTATION && question->verdict->slows_down);

	return seep_verdict_kind_grows(kind) && (!may_end || question->budget.bytes > 0);
}

/* No interval can exclude all growth, so it is enough to exclude growth that matters. */
static bool keeps_to_nothing(const struct seep_budget_answer *answer,
			     const struct seep_budget_question *question)
{
	enum seep_kind kind = question->verdict->kind;
	double same;

	if (question->budget.bytes > 0)
		return false;
	if (kind == SEEP_KIND_FLAT || question->verdict->bounded)
		return true;
	if (kind == SEEP_KIND_RETENTION && !is_material(answer, question))
		return true;
	if (!seep_verdict_kind_grows(kind) && kind != SEEP_KIND_UNDECIDED)
		return !answer->beyond.known || answer->beyond.low <= 0 ||
		       is_tolerated(answer, question);
	if (!question->baseline)
		return false;
	same = fmax(TOLERATED_BYTES * answer->scale, BUDGET_SAME_PART * question->baseline->value);
	return answer->beyond.low <= 0 && answer->beyond.high <= same;
}

static void keep_within(struct seep_budget_answer *answer,
			const struct seep_budget_question *question, struct seep_arena *arena)
{
	double most = answer->beyond.high;

	answer->outcome = SEEP_BUDGET_WITHIN;
	if (question->budget.bytes > 0)
		answer->why = seep_arena_printf(arena, "the rate is %s, within the budget of %s",
						tell_rate(answer, question, arena),
						amount(question->budget.bytes, &question->budget,
						       arena));
	else if (question->verdict->bounded)
		answer->why = seep_arena_printf(arena, "the heap does not grow; RSS rises only as "
						"the program touches memory that it had set aside "
						"before");
	else if (most > 0 && answer->beyond.low > 0)
		answer->why = seep_arena_printf(arena, "what is kept%s, %s at most, is too little "
						"to matter", question->baseline
						? " beyond the baseline" : "",
						amount(most, &question->budget, arena));
	else if (most > 0)
		answer->why = seep_arena_printf(arena, "no growth was found%s; growth above %s "
						"would have been detected",
						question->baseline
						? " beyond the baseline" : "",
						amount(most, &question->budget, arena));
	else if (question->baseline)
		answer->why = "it does not grow by more than the baseline";
	else if (question->verdict->rise_bytes > 0)
		answer->why = seep_arena_printf(arena, "it rose by %s, and no longer grows",
						size_of(question->verdict->rise_bytes, arena));
	else
		answer->why = "there is no growth at all";
}

/* Other sites may grow less than before, so the total may not show it. */
static void exceed_by_new(struct seep_budget_answer *answer,
			  const struct seep_budget_question *question, struct seep_arena *arena)
{
	const struct seep_estimate *rate = &question->new_rate;

	answer->outcome = SEEP_BUDGET_OVER;
	answer->why = seep_arena_printf(arena, "%zu site%s that did not in the baseline, by %s "
					"(95 %%: %s to %s); the overall rate is %s",
					question->n_new, question->n_new == 1 ? " grows" : "s grow",
					amount(rate->value, &question->budget, arena),
					size_of(rate->low, arena), size_of(rate->high, arena),
					tell_rate(answer, question, arena));
}

static void decide(struct seep_budget_answer *answer, const struct seep_budget_question *question,
		   struct seep_arena *arena)
{
	const struct seep_estimate *rate = &answer->beyond;
	double budget = question->budget.bytes;
	double outside = grows_outside(question) * answer->scale;

	if (rate->low > budget && must_stop(question)) {
		answer->outcome = SEEP_BUDGET_OVER;
		answer->why = seep_arena_printf(arena, "the rate is %s, over the budget of %s",
						tell_rate(answer, question, arena),
						amount(budget, &question->budget, arena));
	} else if (question->n_new) {
		exceed_by_new(answer, question, arena);
	} else if (outside > budget) {
		leave_open(answer, 0, seep_arena_printf(arena,
			   "the heap stays within the budget, but RSS grows by about %s more, and "
			   "no call site explains that",
			   amount(outside, &question->budget, arena)));
	} else if (rate->high <= budget || keeps_to_nothing(answer, question)) {
		keep_within(answer, question, arena);
	} else if (rate->low > budget) {
		leave_unproven(answer, question, arena);
	} else {
		leave_wide(answer, question, arena);
	}
}

/* The reason why there is no rate to compare; NULL if there is one. */
static const char *find_obstacle(const struct seep_budget_question *question,
				 struct seep_arena *arena)
{
	const struct seep_budget *budget = &question->budget;
	struct seep_unit unit = seep_unit_of(question->run, question->verdict);
	int64_t marked = seep_run_marked(question->run);

	if (!marked)
		return "no event was seen: the program marked none (seep.h), and no time slices "
		       "were recorded or requested";
	if (seep_run_has_slices(question->run) && !budget->per_second && budget->bytes > 0)
		return seep_arena_printf(arena, "the program marks no events (seep.h), so a budget "
					 "per event makes no sense; set one per second, such as "
					 "--budget 10kB/s");
	if (marked >= question->min_events)
		return NULL;
	if (unit.time)
		return seep_arena_printf(arena, "only %s was seen; %s is required (--min-events "
					 "%lld)", seep_unit_span(&unit, (double)marked, arena),
					 seep_unit_span(&unit, (double)question->min_events, arena),
					 (long long)question->min_events);
	return seep_arena_printf(arena, "there %s only %s; %lld are required (--min-events)",
				 marked == 1 ? "was" : "were",
				 seep_unit_span(&unit, (double)marked, arena),
				 (long long)question->min_events);
}

void seep_budget_judge(struct seep_budget_answer *answer,
		       const struct seep_budget_question *question, struct seep_arena *arena)
{
	const struct seep_verdict *verdict = question->verdict;
	const char *obstacle = find_obstacle(question, arena);
	int64_t marked = seep_run_marked(question->run);

	memset(answer, 0, sizeof(*answer));
	answer->scale = seep_budget_scale(&question->budget, question->run, verdict);
	answer->rate = seep_budget_scaled(&verdict->bytes_per_event, answer->scale);
	answer->beyond = answer->rate;
	if (question->baseline)
		answer->beyond = seep_budget_subtract(&answer->rate, question->baseline);
	if (obstacle) {
		leave_open(answer, marked ? (double)(question->min_events - marked) : 0, obstacle);
	} else if (!(answer->scale > 0)) {
		leave_open(answer, 0, "the duration of the events is unknown, so there is no rate "
			   "per second");
	} else if (!answer->rate.known) {
		leave_open(answer, verdict_needs(question),
			   verdict->sentence ? verdict->sentence : "too little data was recorded");
	} else if (question->baseline && !question->baseline->known) {
		leave_open(answer, 0, "the baseline itself was too short for a rate");
	} else {
		decide(answer, question, arena);
	}
}
