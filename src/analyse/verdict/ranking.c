/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/ranking.h"

#include <math.h>
#include <stdlib.h>

static bool is_other(const struct seep_site_result *result)
{
	return result->verdict == SEEP_SITE_LEAK && result->site->kind != SEEP_MEMORY_HEAP;
}

/* Sites that keep memory outside the heap come before the few heap sites. */
static void put_others_first(struct seep_verdict *verdict, struct seep_arena *arena)
{
	size_t n = verdict->n_sites, to = 0, i, pass;
	struct seep_site_result *sites = seep_arena_array(arena, n, sizeof(*sites));

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < n; i++)
			if (is_other(&verdict->sites[i]) == !pass)
				sites[to++] = verdict->sites[i];
	verdict->sites = sites;
}

static int compare_pins(const void *a, const void *b)
{
	const struct seep_site_result *x = a, *y = b;
	uint64_t first = x->site->pinned_bytes, second = y->site->pinned_bytes;

	if (first != second)
		return first > second ? -1 : 1;
	return x->site->id < y->site->id ? -1 : x->site->id > y->site->id;
}

void seep_ranking_order(struct seep_verdict *verdict, const struct seep_evidence *evidence,
			struct seep_arena *arena)
{
	verdict->sites = evidence->sites;
	verdict->n_sites = evidence->run->n_sites;
	if (verdict->kind == SEEP_KIND_NON_HEAP)
		put_others_first(verdict, arena);
	if (verdict->kind == SEEP_KIND_FRAGMENTATION && verdict->n_sites)
		qsort(verdict->sites, verdict->n_sites, sizeof(*verdict->sites), compare_pins);
}

void seep_ranking_share(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	bool others = verdict->kind == SEEP_KIND_NON_HEAP;
	double all = others ? evidence->others_rate.value : verdict->bytes_per_event.value;
	double sum = 0;
	size_t i;

	for (i = 0; i < verdict->n_sites; i++)
		if (seep_site_result_grows(&verdict->sites[i]) &&
		    is_other(&verdict->sites[i]) == others)
			sum += verdict->sites[i].bytes_per_event.value;
	if (all > 0) /* what other sites free is not a share */
		all = fmax(all, sum);
	for (i = 0; i < verdict->n_sites && all > 0; i++) {
		struct seep_site_result *result = &verdict->sites[i];

		if (seep_site_result_grows(result) && is_other(result) == others)
			result->share = result->bytes_per_event.value / all;
	}
}
