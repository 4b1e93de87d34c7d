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
		return seep_err_set(err, EPROTO, "'%.200s' is damaged in %llu place%s; nothing is "
				    "judged by it", run->path, (unsigned long long)run->damaged,
				    run->damaged == 1 ? "" : "s");
	if (!run->complete && !run->killed)
		return seep_err_set(err, EPROTO, "'%.200s' is not complete; nothing is judged by "
				    "it (seep report shows what it holds)", run->path);
	return 0;
}

/* Of a flat run no site of the heap is accused, whatever it keeps. */
static bool is_accused(const struct seep_verdict *verdict, const struct seep_site_result *result)
{
	return seep_view_is_guilty(result) &&
	       (verdict->kind != SEEP_KIND_FLAT || result->site->kind != SEEP_SITE_HEAP);
}

static void find_sites(struct seep_check_trace *trace, struct seep_suppressions *suppressions)
{
	struct seep_study *study = &trace->study;
	const struct seep_verdict *verdict = &study->verdict;
	size_t room = 0;

	for (size_t i = 0; i < verdict->n_sites; i++) {
		const struct seep_site_result *result = &verdict->sites[i];
		const struct seep_suppression *suppression = NULL;

		if (result->verdict == SEEP_SITE_NONE ||
		    (!suppressions->n && !is_accused(verdict, result)))
			continue;
		seep_study_resolve(study, i, 1);
		if (suppressions->n)
			suppression = seep_suppress_find(suppressions, &result->site->stack);
		if (!suppression && !is_accused(verdict, result))
			continue;
		trace->findings = seep_arena_grow(&study->arena, trace->findings,
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
	struct seep_study *study = &trace->study;
	size_t n, room = 0;
	const struct seep_suspect *list = seep_suspect_list(&study->run, &study->verdict,
							    &study->arena, &n);

	for (size_t i = 0; i < n; i++) {
		const struct seep_site_result *result = list[i].result;

		if (plan->suppressions->n) {
			seep_study_resolve(study, list[i].rank - 1, 1);
			if (seep_suppress_find(plan->suppressions, &result->site->stack))
				continue;
		}
		if (trace->suspects_total++ >= SEEP_SUSPECTS_JSON || !plan->suspects)
			continue;
		seep_study_resolve(study, list[i].rank - 1, 1);
		trace->suspects = seep_arena_grow(&study->arena, trace->suspects,
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
	struct seep_arena *arena = &trace->study.arena;
	struct seep_fingerprint *prints = seep_arena_array(arena, n, sizeof(*prints));
	struct seep_fingerprint_of *sites = seep_arena_array(arena, n, sizeof(*sites));

	for (size_t i = 0; i < n; i++) {
		const struct seep_site *site = findings[i].result->site;

		sites[i] = (struct seep_fingerprint_of){
			&site->stack, seep_view_site_kind(site),
			seep_view_site_phase(&trace->study.run, site),
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

		if (finding->suppressed || finding->result->site->kind == SEEP_SITE_HEAP)
			continue;
		sum.known = true;
		sum = seep_budget_add(&sum, &finding->rate);
	}
	return sum;
}

static void judge_rest(struct seep_check_trace *trace)
{
	struct seep_study *study = &trace->study;
	const struct seep_run *run = &study->run;
	bool *left_out = seep_arena_array(&study->arena, run->n_sites, sizeof(*left_out));
	enum seep_kind kind = study->verdict.kind;
	struct seep_estimate others = sum_others(trace);
	double rate = study->verdict.bytes_per_event.value;

	if (kind == SEEP_KIND_NON_HEAP && others.known) {
		trace->verdict.bytes_per_event = others;
		trace->verdict.bytes_per_s *= rate > 0 ? others.value / rate : 0;
		return;
	}
	for (size_t i = 0; i < trace->n_findings; i++)
		if (trace->findings[i].suppressed)
			left_out[trace->findings[i].result->site - run->sites] = true;
	seep_without_sites(&trace->rest, run, left_out,
			   kind != SEEP_KIND_LEAK && kind != SEEP_KIND_NON_HEAP, &study->arena);
	seep_judge(&trace->verdict, &trace->rest, &study->judge, &study->arena);
}

int seep_check_trace_open(struct seep_check_trace *trace, const char *path,
			  const struct seep_check_trace_plan *plan, struct seep_err *err)
{
	int rc;

	*trace = (struct seep_check_trace){ .n_findings = 0 };
	rc = seep_study_open_as(&trace->study, &path, 1, &plan->study, err);
	if (rc)
		return rc;
	rc = check_whole(&trace->study.run, err);
	if (rc) {
		seep_study_close(&trace->study);
		return rc;
	}
	trace->verdict = trace->study.verdict;
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
	seep_study_close(&trace->study);
}
