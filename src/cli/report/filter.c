/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report/filter.h"
#include "os/base_name.h"
#include "render/view.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

static int compile(regex_t *regex, const char *option, const char *pattern, struct seep_err *err)
{
	int code = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
	char why[200];

	if (!code)
		return 0;
	regerror(code, regex, why, sizeof(why));
	return seep_err_set(err, EINVAL, "--%s '%.200s' is not a valid regular expression: %s",
			    option, pattern, why);
}

static bool frame_matches(const struct seep_frame *frame, const regex_t *regex,
			  struct seep_arena *arena)
{
	const char *place;

	if (!regexec(regex, frame->function, 0, NULL, 0))
		return true;
	if (!frame->file)
		return false;
	place = seep_arena_printf(arena, "%s:%d", seep_base_name(frame->file), frame->line);
	return !regexec(regex, place, 0, NULL, 0);
}

static bool stack_matches(const struct seep_stack *stack, const regex_t *regex,
			  struct seep_arena *arena)
{
	for (size_t i = 0; i < stack->n_frames; i++)
		if (frame_matches(&stack->frames[i], regex, arena))
			return true;
	return false;
}

/* "libfoo.so" is also the name of libfoo.so.1. */
static bool is_in_module(const struct seep_stack *stack, const char *name)
{
	const struct seep_frame *own = seep_view_own_frame(stack);
	size_t n = strlen(name);

	return own && own->module && !strncmp(own->module, name, n) &&
	       (!own->module[n] || own->module[n] == '.');
}

static bool is_after(const struct seep_run *run, const struct seep_site *site, const char *phase)
{
	const char *stamp = seep_view_site_phase(run, site);

	return stamp && !strcmp(stamp, phase);
}

/* Hides what does not have (or, inverted, what has) a matching frame. */
static int hide(struct seep_analysis *analysis, bool *hidden, const char *option,
		const char *pattern, struct seep_err *err)
{
	const struct seep_verdict *verdict = &analysis->verdict;
	bool inverted = !strcmp(option, "ignore");
	regex_t regex;
	int rc;

	if (!pattern)
		return 0;
	rc = compile(&regex, option, pattern, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < verdict->n_sites; i++)
		hidden[i] = hidden[i] || inverted == stack_matches(&verdict->sites[i].site->stack,
								   &regex, &analysis->arena);
	regfree(&regex);
	return 0;
}

static void hide_others(struct seep_analysis *analysis, bool *hidden,
			const struct seep_filter *filter)
{
	const struct seep_verdict *verdict = &analysis->verdict;

	for (size_t i = 0; i < verdict->n_sites; i++) {
		const struct seep_site *site = verdict->sites[i].site;

		if ((filter->module && !is_in_module(&site->stack, filter->module)) ||
		    (filter->phase && !is_after(&analysis->run, site, filter->phase)))
			hidden[i] = true;
	}
}

static const char *list_options(const struct seep_filter *filter, struct seep_arena *arena)
{
	const char *const names[] = { "--focus", "--ignore", "--module", "--phase" };
	const char *const values[] = { filter->focus, filter->ignore, filter->module,
				       filter->phase };
	const char *list = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (values[i])
			list = seep_arena_printf(arena, "%s%s%s", list ? list : "",
						 list ? ", " : "", names[i]);
	return list;
}

int seep_filter_apply(const struct seep_filter *filter, struct seep_analysis *analysis,
		      bool **hidden, const char **by, struct seep_err *err)
{
	size_t n = analysis->verdict.n_sites;
	int rc;

	*hidden = NULL;
	*by = list_options(filter, &analysis->arena);
	if (!*by)
		return 0;
	*hidden = seep_arena_array(&analysis->arena, n + 1, sizeof(**hidden));
	seep_analysis_resolve(analysis, 0, n);
	rc = hide(analysis, *hidden, "focus", filter->focus, err);
	if (!rc)
		rc = hide(analysis, *hidden, "ignore", filter->ignore, err);
	hide_others(analysis, *hidden, filter);
	return rc;
}

static size_t mark(struct seep_analysis *analysis, bool *hidden, const regex_t *regex, bool own)
{
	const struct seep_verdict *verdict = &analysis->verdict;
	size_t n = 0;

	for (size_t i = 0; i < verdict->n_sites; i++) {
		const struct seep_stack *stack = &verdict->sites[i].site->stack;
		const struct seep_frame *frame = seep_view_own_frame(stack);

		hidden[i] = own ? !frame || !frame_matches(frame, regex, &analysis->arena)
				: !stack_matches(stack, regex, &analysis->arena);
		n += !hidden[i];
	}
	return n;
}

int seep_filter_find(const char *pattern, struct seep_analysis *analysis, bool **hidden,
		     size_t *n, struct seep_err *err)
{
	size_t sites = analysis->verdict.n_sites;
	regex_t regex;
	int rc = compile(&regex, "site", pattern, err);

	if (rc)
		return rc;
	*hidden = seep_arena_array(&analysis->arena, sites + 1, sizeof(**hidden));
	seep_analysis_resolve(analysis, 0, sites);
	*n = mark(analysis, *hidden, &regex, true);
	if (!*n)
		*n = mark(analysis, *hidden, &regex, false);
	regfree(&regex);
	if (*n)
		return 0;
	return seep_err_set(err, ENOENT, "no site matches '%.200s'; seep report --all lists all "
			    "sites", pattern);
}
