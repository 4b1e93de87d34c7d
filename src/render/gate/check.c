/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The outcome of seep check as text.  The first line has the word (PASS, FAIL or CANNOT TELL)
 * and the reason; the lines after it have the rate against the budget, the sites, what was
 * suppressed, and the next command to type.
 */
#include "render/gate/check.h"
#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <inttypes.h>
#include <string.h>

#define SITES_SHOWN 3
#define FUNCTION_COLUMNS 200

static bool suspects_fail(const struct seep_check *check)
{
	return check->strict && check->suspects_total;
}

enum seep_budget_outcome seep_check_outcome(const struct seep_check *check)
{
	if (suspects_fail(check))
		return SEEP_BUDGET_OVER;
	if (check->answer.outcome == SEEP_BUDGET_WITHIN && check->unused_fail && check->n_unused)
		return SEEP_BUDGET_OVER;
	return check->answer.outcome;
}

const char *seep_check_word(const struct seep_check *check)
{
	static const char *const words[] = {
		[SEEP_BUDGET_WITHIN] = "PASS",
		[SEEP_BUDGET_OVER] = "FAIL",
		[SEEP_BUDGET_OPEN] = "CANNOT TELL",
	};

	return words[seep_check_outcome(check)];
}

const char *seep_check_why(const struct seep_check *check)
{
	if (suspects_fail(check) && check->answer.outcome != SEEP_BUDGET_OVER)
		return seep_arena_printf(check->view->arena, "%zu site%s suspect (--strict); %s",
					 check->suspects_total,
					 check->suspects_total == 1 ? " is" : "s are",
					 check->answer.why);
	if (seep_check_outcome(check) == check->answer.outcome)
		return check->answer.why;
	return seep_arena_printf(check->view->arena, "%zu suppression%s nothing, and %s",
				 check->n_unused, check->n_unused == 1 ? " matches" : "s match",
				 check->answer.why);
}

const char *seep_check_budget(const struct seep_check *check)
{
	return seep_arena_printf(check->view->arena, "%s/%s",
				 seep_size_format(check->budget.bytes).text,
				 seep_budget_per(&check->budget));
}

const char *seep_check_program(const struct seep_check *check)
{
	return seep_view_program(check->view);
}

const char *seep_check_function(const struct seep_check *check, const struct seep_finding *finding)
{
	const struct seep_frame *frame = seep_view_own_frame(&finding->result->site->stack);
	struct seep_arena *arena = check->view->arena;

	return frame ? seep_safe_shorten(arena, seep_safe_text(arena, frame->function),
					 FUNCTION_COLUMNS)
		     : "(no stack)";
}

const char *seep_check_message(const struct seep_check *check, const struct seep_finding *finding)
{
	const struct seep_estimate *rate = &finding->rate;
	struct seep_size_pair pair = seep_size_interval(rate->value, rate->low, rate->high);

	if (finding->suspect)
		return seep_arena_printf(check->view->arena, "memory allocated in %s is suspect: "
					 "%s kept; %s", seep_check_function(check, finding),
					 seep_suspects_kept(check->view, finding->suspect),
					 seep_suspects_why(check->view, finding->suspect));
	return seep_arena_printf(check->view->arena, "memory allocated in %s grows by %s/%s "
				 "[%s], %s%s", seep_check_function(check, finding), pair.value,
				 seep_budget_per(&check->budget), pair.interval,
				 seep_view_fate(check->view, finding->result->site),
				 finding->is_new ? "; new since the baseline" : "");
}

static enum seep_style_ink ink_of(enum seep_budget_outcome outcome)
{
	static const enum seep_style_ink inks[] = {
		[SEEP_BUDGET_WITHIN] = SEEP_INK_GOOD,
		[SEEP_BUDGET_OVER] = SEEP_INK_BAD,
		[SEEP_BUDGET_OPEN] = SEEP_INK_DOUBT,
	};

	return inks[outcome];
}

/* Line breaks do not count the escape sequences of the coloured word. */
static void print_outcome(const struct seep_check *check)
{
	const struct seep_view *view = check->view;
	enum seep_style_ink ink = ink_of(seep_check_outcome(check));
	struct seep_view rest = *view;
	size_t columns = strlen(seep_check_word(check)) + 2;

	fprintf(view->out, "%s%s%s", seep_style_on(&view->style, ink), seep_check_word(check),
		seep_style_off(&view->style, ink));
	rest.style.width = view->style.width > columns ? view->style.width - columns + 2 : 0;
	seep_view_wrap(&rest, "  ", seep_check_why(check));
}

static void print_estimate(const struct seep_check *check, const char *label,
			   const struct seep_estimate *rate)
{
	struct seep_size_pair pair = seep_size_interval(rate->value, rate->low, rate->high);

	fprintf(check->view->out, "%s%s/%s  [%s]", label, pair.value,
		seep_budget_per(&check->budget), pair.interval);
}

static void print_rate(const struct seep_check *check)
{
	const struct seep_view *view = check->view;
	const struct seep_verdict *verdict = check->verdict;

	if (!check->answer.rate.known)
		return;
	print_estimate(check, "  rate    ", &check->answer.rate);
	fprintf(view->out, "%s  %s: %s\n", verdict->from_heap ? "" : " of RSS",
		seep_view_covered(view), seep_verdict_kind_name(verdict->kind));
}

static void print_baseline(const struct seep_check *check)
{
	const struct seep_view *view = check->view;

	if (!check->baseline || !check->baseline->known)
		return;
	print_estimate(check, "  before  ", check->baseline);
	fprintf(view->out, "  (%s)\n", seep_safe_text(view->arena, check->baseline_name));
}

static void add_site(const struct seep_check *check, struct seep_grid *grid,
		     const struct seep_finding *finding)
{
	const struct seep_view *view = check->view;
	const struct seep_site *site = finding->result->site;
	const struct seep_frame *frame = seep_view_own_frame(&site->stack);
	struct seep_size_pair pair = seep_size_interval(finding->rate.value, finding->rate.low,
							finding->rate.high);
	const char **row = seep_grid_add(grid);

	row[0] = seep_arena_printf(view->arena, "%zu", finding->rank);
	row[1] = frame ? seep_safe_shorten(view->arena, seep_view_site_name(view, frame),
					   FUNCTION_COLUMNS) : "(no stack)";
	row[2] = seep_view_site_place(view, frame);
	row[3] = seep_arena_printf(view->arena, "%s/%s", pair.value,
				   seep_budget_per(&check->budget));
	row[4] = seep_view_fate(view, site);
	row[5] = finding->is_new ? "new" : "";
}

/* The accused sites; if there are none, all sites that grow. */
static void print_sites(const struct seep_check *check)
{
	const struct seep_view *view = check->view;
	struct seep_grid grid;
	size_t more = 0;

	seep_grid_init(&grid, view->arena, 6);
	grid.columns[0].right = true;
	grid.columns[1].least = 20;
	grid.columns[2].least = 14;
	grid.columns[3].right = true;
	for (size_t i = 0; i < check->n_findings; i++) {
		const struct seep_finding *finding = &check->findings[i];

		if (finding->suppressed ||
		    (check->answer.outcome == SEEP_BUDGET_OVER && !finding->accused))
			continue;
		if (grid.n_rows < SITES_SHOWN)
			add_site(check, &grid, finding);
		else
			more++;
	}
	seep_grid_print(&grid, view->out, "  sites   ", view->style.width);
	if (more)
		fprintf(view->out, "          and %zu more\n", more);
}

/* Lists the suspects if they fail the check; otherwise prints only their number. */
static void print_suspects(const struct seep_check *check)
{
	const struct seep_view *view = check->view;
	struct seep_suspect shown[SITES_SHOWN];
	size_t n = 0;

	if (!check->suspects_total)
		return;
	if (!check->strict) {
		fprintf(view->out, "  also    %zu site%s suspect; %s the check only with "
			"--strict\n", check->suspects_total,
			check->suspects_total == 1 ? " is" : "s are",
			check->suspects_total == 1 ? "it fails" : "they fail");
		return;
	}
	for (; n < check->n_suspects && n < SITES_SHOWN; n++)
		shown[n] = *check->suspects[n].suspect;
	seep_suspects_lines(view, shown, n);
	if (check->suspects_total > n)
		fprintf(view->out, "          and %zu more\n", check->suspects_total - n);
}

static void print_suppressed(const struct seep_check *check)
{
	struct seep_estimate sum = { .known = true };
	const char *names = "";
	size_t n = 0;

	for (size_t i = 0; i < check->n_findings; i++) {
		const struct seep_finding *finding = &check->findings[i];

		if (!finding->suppressed)
			continue;
		sum = seep_budget_add(&sum, &finding->rate);
		if (n++ < SITES_SHOWN)
			names = seep_arena_printf(check->view->arena, "%s%s %s", names,
						  n > 1 ? "," : "",
						  seep_check_function(check, finding));
	}
	if (n)
		seep_view_wrap(check->view, "  also    ",
			       seep_arena_printf(check->view->arena, "%s/%s in %zu suppressed "
						 "site%s:%s%s", seep_size_format(sum.value).text,
						 seep_budget_per(&check->budget), n,
						 n == 1 ? "" : "s", names,
						 n > SITES_SHOWN ? ", ..." : ""));
}

/* The site to look at first; 0: none. */
static size_t pick_site(const struct seep_check *check)
{
	for (size_t i = 0; i < check->n_findings; i++)
		if (check->findings[i].accused)
			return check->findings[i].rank;
	return check->strict && check->n_suspects ? check->suspects[0].rank : 0;
}

static void print_next(const struct seep_check *check)
{
	const struct seep_view *view = check->view;
	const struct seep_budget_answer *answer = &check->answer;
	size_t site = pick_site(check);

	if (answer->outcome == SEEP_BUDGET_OPEN && answer->events_more > 0)
		fprintf(view->out, "next: run it longer: about %s more would settle it\n",
			seep_view_events(view, answer->events_more));
	else if (check->keeps_trace && site)
		fprintf(view->out, "next: %s report --site %zu %s\n", view->self, site,
			seep_view_trace(view));
	else if (check->keeps_trace)
		fprintf(view->out, "next: %s report %s\n", view->self, seep_view_trace(view));
}

void seep_check_text(const struct seep_check *check)
{
	print_outcome(check);
	print_rate(check);
	print_baseline(check);
	print_sites(check);
	print_suspects(check);
	print_suppressed(check);
	print_next(check);
}
