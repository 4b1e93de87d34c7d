/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sensitivity.h"

#include "analyse/judge.h"
#include "analyse/threshold/thresholds_table.h"
#include "analyse/verdict/rules.h"
#include "reads.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Is the name in a list with commas? */
static bool is_wanted(const struct sensitivity *s, const char *name)
{
	size_t length = strlen(name);
	const char *p = s->only;

	if (!p)
		return true;
	while ((p = strstr(p, name))) {
		if ((p == s->only || p[-1] == ',') && (!p[length] || p[length] == ','))
			return true;
		p += length;
	}
	return false;
}

static const struct seep_threshold *next_threshold(const struct sensitivity *s,
						   const struct seep_threshold *last)
{
	const struct seep_threshold *end = seep_thresholds;

	if (!&seep_n_thresholds)
		return NULL;
	end += seep_n_thresholds;
	for (last = last ? last + 1 : seep_thresholds; last < end; last++)
		if (is_wanted(s, last->name))
			return last;
	return NULL;
}

size_t sensitivity_settings(const struct sensitivity *s)
{
	const struct seep_threshold *t;
	size_t n = 0;

	for (t = next_threshold(s, NULL); t; t = next_threshold(s, t))
		n += 2;
	return n ? n + 1 : 0;
}

static double value_of(const struct seep_threshold *t)
{
	return t->real ? *t->real : *t->count;
}

/* A whole number moves by one at least, and stays above 0: it may be a divisor. */
static double scale(const struct seep_threshold *t, double factor)
{
	double value = value_of(t), scaled = value * factor;

	if (t->real)
		return scaled;
	scaled = round(scaled);
	if (!(scaled < value) && !(scaled > value))
		scaled += factor < 1 ? -1 : 1;
	return fmin(fmax(scaled, 1), 1e9);
}

static void set(const struct seep_threshold *t, double value)
{
	if (t->real)
		*t->real = value;
	else
		*t->count = (unsigned int)value;
}

static void mix(uint32_t *hash, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n--)
		*hash = (*hash ^ *p++) * 16777619u;
}

static void mix_number(uint32_t *hash, double value)
{
	mix(hash, &value, sizeof(value));
}

static void mix_estimate(uint32_t *hash, const struct seep_estimate *e)
{
	mix_number(hash, e->known);
	mix_number(hash, e->value);
	mix_number(hash, e->low);
	mix_number(hash, e->high);
}

static void mix_cause(uint32_t *hash, const struct seep_verdict *verdict)
{
	size_t i;

	for (i = 0; i < verdict->n_phases; i++) {
		mix_number(hash, verdict->phases[i].accused);
		mix_number(hash, verdict->phases[i].share);
		mix_estimate(hash, &verdict->phases[i].bytes_per_event);
	}
	for (i = 0; i < verdict->n_drivers; i++) {
		mix_number(hash, (double)verdict->drivers[i].counter);
		mix_number(hash, verdict->drivers[i].proportional);
		mix_estimate(hash, &verdict->drivers[i].bytes_per_unit);
	}
	for (i = 0; i < verdict->n_gauges; i++) {
		mix_number(hash, verdict->gauges[i].rises);
		mix_estimate(hash, &verdict->gauges[i].per_event);
	}
}

static uint32_t hash_report(const struct seep_verdict *verdict)
{
	uint32_t hash = 2166136261u;
	size_t i;

	mix(&hash, verdict->rule->id, strlen(verdict->rule->id));
	mix_number(&hash, verdict->kind); /* one sentence may serve two */
	mix(&hash, verdict->sentence, strlen(verdict->sentence));
	mix_estimate(&hash, &verdict->bytes_per_event);
	mix_number(&hash, verdict->rise_bytes);
	mix_number(&hash, verdict->floor_bytes_per_event);
	mix_number(&hash, verdict->events_needed);
	mix_number(&hash, verdict->oom.seconds);
	for (i = 0; i < verdict->n_sites; i++) {
		mix_number(&hash, verdict->sites[i].site->id);
		mix_number(&hash, verdict->sites[i].verdict);
		mix_number(&hash, verdict->sites[i].doubt);
		mix_estimate(&hash, &verdict->sites[i].bytes_per_event);
		mix_estimate(&hash, &verdict->sites[i].kept);
	}
	mix_cause(&hash, verdict);
	return hash;
}

static struct sensitivity_answer judge(const struct score_case *c)
{
	struct sensitivity_answer answer = {
		.kinds = (uint16_t)c->truth.kinds, .leaks = c->truth.leaks, .filled = true,
	};
	struct seep_verdict verdict;
	struct seep_arena arena;

	seep_arena_init(&arena);
	seep_judge(&verdict, &c->fake.run, NULL, &arena);
	answer.kind = (uint8_t)verdict.kind;
	answer.report = hash_report(&verdict);
	seep_arena_release(&arena);
	return answer;
}

void sensitivity_judge(const struct sensitivity *s, struct sensitivity_answer *answers,
		       const struct score_case *c)
{
	const double factors[] = { s->low, s->high };
	struct sensitivity_answer base;
	const struct seep_threshold *t;
	size_t i;

	gsl_set_error_handler_off(); /* some values keep its functions from converging */
	reads_start();
	base = judge(c);
	reads_end();
	*answers++ = base;
	for (t = next_threshold(s, NULL); t; t = next_threshold(s, t)) {
		double value = value_of(t);

		for (i = 0; i < 2; i++) {
			answers[i] = base;
			if (!reads_has(t)) /* then its value makes no difference */
				continue;
			set(t, scale(t, factors[i]));
			answers[i] = judge(c);
			answers[i].read = true;
			set(t, value);
		}
		answers += 2;
	}
}

void sensitivity_add(const struct sensitivity *s, struct sensitivity_sums *sums,
		     const struct sensitivity_answer *answers)
{
	size_t i, n = sensitivity_settings(s);

	for (i = 0; i < n && answers->filled; i++) {
		const struct sensitivity_answer *a = &answers[i];
		bool free = !(a->kinds & SCORE_KIND(SEEP_KIND_LEAK));

		sums[i].n++;
		sums[i].right += (a->kinds & SCORE_KIND(a->kind)) != 0;
		sums[i].leaks += a->leaks;
		sums[i].found += a->leaks && a->kind == SEEP_KIND_LEAK;
		sums[i].leak_free += free;
		sums[i].false_leaks += free && a->kind == SEEP_KIND_LEAK;
		sums[i].reads += a->read;
		sums[i].verdicts += a->kind != answers->kind;
		sums[i].reports += a->report != answers->report;
	}
}

/* A threshold with the sums at both settings. */
struct line {
	const struct seep_threshold *threshold;
	const struct sensitivity_sums *base, *at;
};

static size_t distance(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

static size_t effect_of(const struct line *line, size_t i)
{
	return distance(line->at[i].right, line->base->right) +
	       distance(line->at[i].found, line->base->found) +
	       distance(line->at[i].false_leaks, line->base->false_leaks);
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static int order(size_t a, size_t b)
{
	return a > b ? -1 : a < b;
}

/* By the scores, then by the verdicts, then by the reports that change. */
static int compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int result = order(larger(effect_of(x, 0), effect_of(x, 1)),
			   larger(effect_of(y, 0), effect_of(y, 1)));

	if (!result)
		result = order(larger(x->at[0].verdicts, x->at[1].verdicts),
			       larger(y->at[0].verdicts, y->at[1].verdicts));
	if (!result)
		result = order(larger(x->at[0].reports, x->at[1].reports),
			       larger(y->at[0].reports, y->at[1].reports));
	return result ? result : strcmp(x->threshold->name, y->threshold->name);
}

static double percent(size_t part, size_t of)
{
	return of ? 100 * (double)part / (double)of : NAN;
}

static void print_side(const struct sensitivity_sums *base, const struct sensitivity_sums *at)
{
	printf(" | %+5.1f %+6.1f %+5.1f %5zu %5zu",
	       percent(at->right, at->n) - percent(base->right, base->n),
	       percent(at->found, at->leaks) - percent(base->found, base->leaks),
	       percent(at->false_leaks, at->leak_free) -
		       percent(base->false_leaks, base->leak_free),
	       at->verdicts, at->reports);
}

static void print_line(const struct line *line)
{
	const struct sensitivity_sums *at = line->at;
	const char *mark = "";

	if (!effect_of(line, 0) && !effect_of(line, 1))
		mark = "  no score";
	if (!at[0].verdicts && !at[1].verdicts)
		mark = "  no verdict";
	if (!at[0].reports && !at[1].reports)
		mark = at->reads ? "  NOTHING" : "  NOTHING: never read";
	printf("%-24s %8.4g %5zu", line->threshold->name, value_of(line->threshold), at->reads);
	print_side(line->base, &at[0]);
	print_side(line->base, &at[1]);
	printf("%s\n", mark);
}

static void print_score(const char *name, size_t part, size_t of)
{
	printf("%-12s %6.1f %%  %zu of %zu\n", name, percent(part, of), part, of);
}

static void print_head(const struct sensitivity *s, const struct sensitivity_sums *base)
{
	printf("\nat the default\n");
	print_score("right", base->right, base->n);
	print_score("leak recall", base->found, base->leaks);
	print_score("false leaks", base->false_leaks, base->leak_free);
	printf("\nruns that read it; differences in percentage points; verdicts and reports that "
	       "change\n\n%-39s | times %-25.4g | times %-.4g\n%-24s %8s %5s", "", s->low,
	       s->high, "threshold", "value", "read");
	for (int i = 0; i < 2; i++)
		printf(" | %5s %6s %5s %5s %5s", "right", "recall", "false", "verd.", "rep.");
	putchar('\n');
}

void sensitivity_print(const struct sensitivity *s, const struct sensitivity_sums *sums)
{
	size_t n = sensitivity_settings(s) / 2, i = 0;
	struct line *lines = calloc(n, sizeof(*lines));
	const struct seep_threshold *t;

	if (!lines)
		return;
	for (t = next_threshold(s, NULL); t; t = next_threshold(s, t), i++)
		lines[i] = (struct line){ t, sums, sums + 1 + 2 * i };
	qsort(lines, n, sizeof(*lines), compare);
	print_head(s, sums);
	for (i = 0; i < n; i++)
		print_line(&lines[i]);
	free(lines);
}
