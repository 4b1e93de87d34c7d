/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "outcome.h"

#include "baselines.h"

#include <inttypes.h>

#define KINDS (SEEP_KIND_UNDECIDED + 1)
#define SEEDS_SHOWN 12

static double percent(size_t part, size_t of)
{
	return of ? 100 * (double)part / (double)of : NAN;
}

static enum seep_kind first_kind(unsigned int kinds)
{
	int kind = 0;

	while (kind < SEEP_KIND_UNDECIDED && !(kinds & SCORE_KIND(kind)))
		kind++;
	return (enum seep_kind)kind;
}

static void print_matrix(const struct score_set *set)
{
	size_t counts[KINDS][KINDS] = { { 0 } }, columns[KINDS] = { 0 }, rows[KINDS] = { 0 }, i;
	int a, b;

	for (i = 0; i < set->n; i++)
		if (set->outcomes[i].filled) {
			enum seep_kind truth = first_kind(set->outcomes[i].kinds);

			counts[truth][set->outcomes[i].kind]++;
			rows[truth]++;
			columns[set->outcomes[i].kind]++;
		}
	printf("\n%-14s verdict\n%-14s", "", "truth");
	for (b = 0; b < KINDS; b++)
		if (columns[b])
			printf(" %7.7s", seep_verdict_kind_name((enum seep_kind)b));
	putchar('\n');
	for (a = 0; a < KINDS; a++) {
		if (!rows[a])
			continue;
		printf("%-14s", seep_verdict_kind_name((enum seep_kind)a));
		for (b = 0; b < KINDS; b++)
			if (columns[b] && counts[a][b])
				printf(" %7zu", counts[a][b]);
			else if (columns[b])
				printf(" %7s", ".");
		putchar('\n');
	}
}

static void print_rate(const char *name, size_t part, size_t of)
{
	printf("%-34s %6.1f %%  %zu of %zu\n", name, percent(part, of), part, of);
}

static void print_totals(const struct tally *t)
{
	putchar('\n');
	print_rate("strict accuracy", t->right, t->n);
	print_rate("leak recall", t->found, t->leaks);
	printf("%-34s %6.2f %%  %zu of %zu, below %.2f %% (95 %%)\n", "false leaks",
	       percent(t->false_leaks, t->leak_free), t->false_leaks, t->leak_free,
	       100 * tally_upper(t->false_leaks, t->leak_free));
	print_rate("undecided, n >= 200 with heap", t->long_heap_undecided, t->long_heap);
	print_rate("rate within its interval, leaks", t->covered, t->rates);
	printf("%-34s %6.3f\n", "median width over rate, leaks", t->width);
	print_rate("rate within its interval, others", t->other_covered, t->other_rates);
	print_rate("phase", t->phases_right, t->phases);
	print_rate("site", t->sites_right, t->sites);
	print_rate("driver", t->drivers_right, t->drivers);
	print_rate("driver, or not told apart from it", t->in_set, t->drivers);
	printf("%-34s %6.3f\n", "cost per case", t->n ? t->cost / (double)t->n : NAN);
	if (t->contradictions)
		print_rate("runs that contradict themselves", t->contradictions, t->n);
}

static void print_baselines(const struct tally *t)
{
	size_t b;

	printf("\n%-34s %8s %12s\n", "who says leak", "recall", "false leaks");
	printf("%-34s %6.1f %% %10.1f %%\n", "seep", percent(t->found, t->leaks),
	       percent(t->false_leaks, t->leak_free));
	for (b = 0; b < BASELINES; b++)
		printf("%-34s %6.1f %% %10.1f %%\n", baseline_name((enum baseline)b),
		       percent(t->baseline_found[b], t->leaks),
		       percent(t->baseline_false[b], t->baseline_free));
}

static void print_wrong_kinds(const struct score_set *set, size_t scenario)
{
	size_t wrong[KINDS] = { 0 }, i;
	int k;

	for (i = 0; i < set->n; i++)
		if (set->outcomes[i].filled && set->outcomes[i].scenario == scenario &&
		    !outcome_right(&set->outcomes[i]))
			wrong[set->outcomes[i].kind]++;
	for (k = 0; k < KINDS; k++)
		if (wrong[k])
			printf(" %s %zu", seep_verdict_kind_name((enum seep_kind)k), wrong[k]);
}

static void print_part(const char *name, size_t right, size_t of)
{
	if (of)
		printf(" %s %zu/%zu", name, right, of);
}

static void print_seeds(const struct score_set *set, size_t scenario)
{
	size_t i, shown = 0;

	for (i = 0; i < set->n && shown < SEEDS_SHOWN; i++) {
		const struct outcome *o = &set->outcomes[i];
		bool missed = outcome_right(o) && !isnan(o->truth) &&
			      !(o->low <= o->truth && o->truth <= o->high);

		if (!o->filled || o->scenario != scenario ||
		    (outcome_right(o) && !missed && o->phase != WRONG && o->site != WRONG &&
		     o->driver != WRONG))
			continue;
		shown++;
		printf("\tseed %" PRIu64 ", n %zu: %s, %.1f [%.1f, %.1f]", o->seed, o->n,
		       seep_verdict_kind_name(o->kind), o->value, o->low, o->high);
		if (!isnan(o->truth))
			printf(" for %.1f", o->truth);
		printf("%s%s%s%s\n",
		       missed ? ", rate" : "", o->phase == WRONG ? ", phase" : "",
		       o->site == WRONG ? ", site" : "", o->driver == WRONG ? ", driver" : "");
	}
}

static void print_scenarios(const struct score_set *set, bool verbose)
{
	size_t s;

	printf("\n  # %-36s right\n", "scenario");
	for (s = 0; s < set->n_scenarios; s++) {
		struct tally t = tally_count(set, s);

		if (!t.n)
			continue;
		printf("%3d %-36s %4zu/%zu", set->scenarios[s].number, set->scenarios[s].name,
		       t.right, t.n);
		print_part("rate", t.covered + t.other_covered, t.rates + t.other_rates);
		print_part("phase", t.phases_right, t.phases);
		print_part("site", t.sites_right, t.sites);
		print_part("driver", t.drivers_right, t.drivers);
		if (t.right < t.n) {
			printf("  wrong:");
			print_wrong_kinds(set, s);
		}
		putchar('\n');
		if (verbose)
			print_seeds(set, s);
	}
}

void table_print(const struct score_set *set, bool verbose)
{
	struct tally t = tally_count(set, SIZE_MAX);

	printf("%s: %zu scenarios, %zu cases\n", set->name, set->n_scenarios, t.n);
	print_scenarios(set, verbose);
	print_matrix(set);
	print_totals(&t);
	print_baselines(&t);
}

/* JSON has no word for what is not a number. */
static void put_number(FILE *out, const char *key, double value)
{
	if (isnan(value))
		fprintf(out, ", \"%s\": null", key);
	else
		fprintf(out, ", \"%s\": %.6g", key, value);
}

static void put_tally(FILE *out, const struct tally *t)
{
	int k;

	fprintf(out, "\"cases\": %zu, \"right\": %zu, \"leaks\": %zu, \"found\": %zu, "
		"\"leak_free\": %zu, \"false_leaks\": %zu, \"undecided\": %zu, "
		"\"long_heap\": %zu, \"long_heap_undecided\": %zu, \"rates\": %zu, "
		"\"covered\": %zu, \"other_rates\": %zu, \"other_covered\": %zu, ",
		t->n, t->right, t->leaks, t->found, t->leak_free, t->false_leaks, t->undecided,
		t->long_heap, t->long_heap_undecided, t->rates, t->covered, t->other_rates,
		t->other_covered);
	fprintf(out, "\"phases\": %zu, \"phases_right\": %zu, \"sites\": %zu, "
		"\"sites_right\": %zu, \"drivers\": %zu, \"drivers_right\": %zu, "
		"\"drivers_in_set\": %zu, \"contradictions\": %zu", t->phases,
		t->phases_right, t->sites, t->sites_right, t->drivers, t->drivers_right,
		t->in_set, t->contradictions);
	put_number(out, "false_leaks_bound", tally_upper(t->false_leaks, t->leak_free));
	put_number(out, "width", t->width);
	put_number(out, "cost", t->cost);
	fprintf(out, ", \"verdicts\": {");
	for (k = 0; k < KINDS; k++)
		fprintf(out, "%s\"%s\": %zu", k ? ", " : "",
			seep_verdict_kind_name((enum seep_kind)k), t->kinds[k]);
	fputc('}', out);
}

void table_write_json(FILE *out, const struct score_set *set)
{
	struct tally t = tally_count(set, SIZE_MAX);
	size_t i;

	fprintf(out, "{\"set\": \"%s\", ", set->name);
	put_tally(out, &t);
	fprintf(out, ",\n \"baselines\": [");
	for (i = 0; i < BASELINES; i++)
		fprintf(out, "%s\n  {\"name\": \"%s\", \"found\": %zu, \"leaks\": %zu, "
			"\"false_leaks\": %zu, \"leak_free\": %zu}", i ? "," : "",
			baseline_name((enum baseline)i), t.baseline_found[i], t.leaks,
			t.baseline_false[i], t.baseline_free);
	fprintf(out, "],\n \"scenarios\": [");
	for (i = 0; i < set->n_scenarios; i++) {
		t = tally_count(set, i);
		fprintf(out, "%s\n  {\"number\": %d, \"name\": \"%s\", ", i ? "," : "",
			set->scenarios[i].number, set->scenarios[i].name);
		put_tally(out, &t);
		fputc('}', out);
	}
	fprintf(out, "]}\n");
}
