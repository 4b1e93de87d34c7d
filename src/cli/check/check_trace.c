/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/gate/exclude.h"
#include "analyse/judge.h"
#include "cli/check/check_trace.h"
#include "render/text/suspects.h"

#include <errno.h>

/* A cut or damaged trace may have lost what would have changed the verdict. */
static int check_whole(const struct seep_run *run, struct seep_err *err)
{
	if (run->damaged)
		return seep_err_set(err, EPROTO, "'%.200s' is damaged in %llu place%s; it cannot "
				    "be judged", run->path, (unsigned long long)run->damaged,
				    run->damaged == 1 ? "" : "s");
	if (!run->complete && !run->killed)
		return seep_err_set(err, EPROTO, "'%.200s' is not complete and cannot be judged "
				    "(seep report shows what it contains)", run->path);
	return 0;
}

/* Of a flat run no site of the heap is accused, whatever it keeps. */
static bool is_accused(const struct seep_verdict *verdict, const struct seep_site_result *result)
{
	return seep_view_is_accused(result) &&
	       (verdict->kind != SEEP_KIND_FLAT || result->site->kind != SEEP_MEMORY_HEAP);
}

static void find_sites(struct seep_check_trace *trace, struct seep_suppressions *suppressions)
{
	struct seep_analysis *analysis = &trace->analysis;
	const struct seep_verdict *verdict = &analysis->verdict;
	size_t room = 0;

	for (size_t i = 0; i < verdict->n_sites; i++) {
		const struct seep_site_result *result = &verdict->sites[i];
		const struct seep_suppression *suppression = NULL;

		if (result->verdict == SEEP_SITE_NONE ||
		    (!suppressions->n && !is_accused(verdict, result)))
			continue;
		seep_analysis_resolve(analysis, i, 1);
		if (suppressions->n)
			suppression = seep_suppress_find(suppressions, &result->site->stack);
		if (!suppression && !is_accused(verdict, result))
			continue;
		trace->findings = seep_arena_grow(&analysis->arena, trace->findings,
						  trace->n_findings, &room,
						  sizeof(*trace->findings));
		trace->findings[trace->n_findings++] = (struct seep_finding){
			.result = result, .rank = i + 1, .rate = result->bytes_per_event,
			.suppressed = suppression,
			.reason = suppression ? suppression->reason : NULL,
		};
	}
}

/* Sites that are not accused, and are named only if somebody asks. */
static void find_suspects(struct seep_check_trace *trace, const struct seep_check_trace_plan *plan)
{
	struct seep_analysis *analysis = &trace->analysis;
	size_t n, room = 0;
	const struct seep_suspect *list = seep_suspect_list(&analysis->run, &analysis->verdict,
							    &analysis->arena, &n);

	for (size_t i = 0; i < n; i++) {
		const struct seep_site_result *result = list[i].result;

		if (plan->suppressions->n) {
			seep_analysis_resolve(analysis, list[i].rank - 1, 1);
			if (seep_suppress_find(plan->suppressions, &result->site->stack))
				continue;
		}
		if (trace->suspects_total++ >= SEEP_SUSPECTS_JSON || !plan->suspects)
			continue;
		seep_analysis_resolve(analysis, list[i].rank - 1, 1);
		trace->suspects = seep_arena_grow(&analysis->arena, trace->suspects,
						  trace->n_suspects, &room,
						  sizeof(*trace->suspects));
		trace->suspects[trace->n_suspects++] = (struct seep_finding){
			.result = result, .rank = list[i].rank, .rate = result->bytes_per_event,
			.suspect = &list[i],
		};
	}
}

static void take_fingerprints(struct seep_check_trace *trace, struct seep_finding *findings,
			      size_t n)
{
	struct seep_arena *arena = &trace->analysis.arena;
	struct seep_fingerprint *prints = seep_arena_array(arena, n, sizeof(*prints));
	struct seep_fingerprint_of *sites = seep_arena_array(arena, n, sizeof(*sites));

	for (size_t i = 0; i < n; i++) {
		const struct seep_site *site = findings[i].result->site;

		sites[i] = (struct seep_fingerprint_of){
			&site->stack, seep_view_site_kind(site),
			seep_view_site_phase(&trace->analysis.run, site),
		};
	}
	seep_fingerprint_make(prints, sites, n);
	for (size_t i = 0; i < n; i++)
		findings[i].fingerprint = prints[i];
}

/* What is kept outside the heap by sites that are not suppressed. */
static struct seep_estimate sum_others(const struct seep_check_trace *trace)
{
	struct seep_estimate sum = { .known = false };

	for (size_t i = 0; i < trace->n_findings; i++) {
		const struct seep_finding *finding = &trace->findings[i];

		if (finding->suppressed || finding->result->site->kind == SEEP_MEMORY_HEAP)
			continue;
		sum.known = true;
		sum = seep_budget_add(&sum, &finding->rate);
	}
	return sum;
}

static void judge_rest(struct seep_check_trace *trace)
{
	struct seep_analysis *analysis = &trace->analysis;
	const struct seep_run *run = &analysis->run;
	bool *left_out = seep_arena_array(&analysis->arena, run->n_sites, sizeof(*left_out));
	enum seep_kind kind = analysis->verdict.kind;
	struct seep_estimate others = sum_others(trace);
	double rate = analysis->verdict.bytes_per_event.value;

	if (kind == SEEP_KIND_NON_HEAP && others.known) {
		trace->verdict.bytes_per_event = others;
		trace->verdict.bytes_per_s *= rate > 0 ? others.value / rate : 0;
		return;
	}
	for (size_t i = 0; i < trace->n_findings; i++)
		if (trace->findings[i].suppressed)
			left_out[trace->findings[i].result->site - run->sites] = true;
	seep_exclude_sites(&trace->rest, run, left_out,
			   kind != SEEP_KIND_LEAK && kind != SEEP_KIND_NON_HEAP, &analysis->arena);
	seep_judge(&trace->verdict, &trace->rest, &analysis->judge, &analysis->arena);
}

int seep_check_trace_open(struct seep_check_trace *trace, const char *path,
			  const struct seep_check_trace_plan *plan, struct seep_err *err)
{
	int rc;

	*trace = (struct seep_check_trace){ .n_findings = 0 };
	rc = seep_analysis_open_as(&trace->analysis, &path, 1, &plan->analysis, err);
	if (rc)
		return rc;
	rc = check_whole(&trace->analysis.run, err);
	if (rc) {
		seep_analysis_close(&trace->analysis);
		return rc;
	}
	trace->verdict = trace->analysis.verdict;
	find_sites(trace, plan->suppressions);
	find_suspects(trace, plan);
	take_fingerprints(trace, trace->findings, trace->n_findings);
	take_fingerprints(trace, trace->suspects, trace->n_suspects);
	for (size_t i = 0; i < trace->n_findings; i++) {
		if (!trace->findings[i].suppressed)
			continue;
		judge_rest(trace);
		break;
	}
	return 0;
}

void seep_check_trace_close(struct seep_check_trace *trace)
{
	seep_analysis_close(&trace->analysis);
}
