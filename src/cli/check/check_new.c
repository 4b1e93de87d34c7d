/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/check/check_new.h"

#include "base/hash_map.h"

#include <stdint.h>

void seep_check_sites_of(struct seep_check_sites *sites, struct seep_check_trace *trace,
			 struct seep_suppressions *suppressions)
{
	struct seep_analysis *analysis = &trace->analysis;
	const struct seep_verdict *verdict = &analysis->verdict;
	size_t n = 0;

	sites->run = analysis->run;
	sites->verdict = *verdict;
	sites->verdict.sites = seep_arena_array(&analysis->arena, verdict->n_sites,
						sizeof(*sites->verdict.sites));
	for (size_t i = 0; i < verdict->n_sites; i++) {
		const struct seep_site_result *result = &verdict->sites[i];

		if (!seep_site_result_grows(result) && result->verdict != SEEP_SITE_SUSPECT)
			continue;
		seep_analysis_resolve(analysis, i, 1);
		if (!suppressions->n || !seep_suppress_find(suppressions, &result->site->stack))
			sites->verdict.sites[n++] = *result;
	}
	sites->verdict.n_sites = n;
}

static void put_after(struct seep_hash_map *found, struct seep_compare *compare)
{
	for (size_t i = 0; i < compare->n_sites; i++)
		for (size_t k = 0; k < compare->sites[i].n[1]; k++)
			seep_hash_map_put(found, (uintptr_t)compare->sites[i].results[1][k]->site,
					  &compare->sites[i]);
}

/* One that was suspect before and keeps more is new as well. */
static bool is_new(const struct seep_compare_site *site)
{
	return site->change == SEEP_CHANGE_NEW ||
	       (site->change == SEEP_CHANGE_MORE && !site->n_before);
}

static void take_change(struct seep_finding *finding, const struct seep_compare_site *site,
			double scale, struct seep_budget_question *question)
{
	struct seep_estimate rate = seep_budget_scaled(&finding->rate, scale);

	finding->is_new = is_new(site);
	finding->rose = finding->is_new || site->change == SEEP_CHANGE_MORE;
	finding->fails = finding->is_new && seep_budget_counts(question, &site->bytes.difference);
	if (!finding->fails)
		return;
	question->new_rate.known = true;
	question->new_rate = seep_budget_add(&question->new_rate, &rate);
	question->n_new++;
}

void seep_check_new_find(struct seep_check_trace *trace, struct seep_suppressions *suppressions,
			 const struct seep_compare_side *baseline, const double *scales,
			 struct seep_budget_question *question)
{
	struct seep_arena *arena = &trace->analysis.arena;
	struct seep_compare_side sides[2] = { *baseline };
	struct seep_compare compare = { .live = false };
	struct seep_check_sites sites;
	struct seep_hash_map found;

	seep_check_sites_of(&sites, trace, suppressions);
	sides[1] = (struct seep_compare_side){ &sites.run, &sites.verdict, false };
	seep_compare_site_rates(&compare, sides, scales, arena);
	seep_hash_map_init(&found, arena);
	put_after(&found, &compare);
	for (size_t i = 0; i < trace->n_findings; i++) {
		struct seep_finding *finding = &trace->findings[i];
		const struct seep_compare_site *site =
			seep_hash_map_get(&found, (uintptr_t)finding->result->site);

		if (site && !finding->suppressed)
			take_change(finding, site, scales[1], question);
	}
}
