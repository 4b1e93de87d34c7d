/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "properties.h"

#include "analyse/judge.h"
#include "analyse/verdict/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDING 1e-9

const char *property_name(enum property property)
{
	static const char *const names[N_PROPERTIES] = {
		[ORDER_KIND] = "order of sites: kind",
		[ORDER_RULE] = "order of sites: rule",
		[ORDER_RATE] = "order of sites: rate",
		[ORDER_ACCUSED] = "order of sites: accused sites",
		[SUM_CLOSES] = "closing sum adds up",
		[SUM_AGREES_WITH_RATE] = "closing sum agrees with the headline",
		[PHASE_SHARES] = "shares of phases add up to 1",
		[SITE_SHARE] = "share of an accused site at most 1",
		[SITE_SHARES] = "shares of accused sites at most 1 together",
		[FLAT_BOUND] = "flat: bound not below the rise",
		[TOTAL_BOUND] = "total: bound not below the rise",
		[RISE] = "saturating: rise not below the rise",
		[EVENTS] = "warm-up and events used",
		[INTERVALS] = "low <= value <= high",
		[OOM] = "time until memory is full",
	};

	return names[property];
}

/* The first of each kind has the word. */
void finding_add(struct finding *finding, enum property property, const char *format, ...)
{
	va_list args;

	if (finding->broken & 1u << property)
		return;
	finding->broken |= 1u << property;
	va_start(args, format);
	vsnprintf(finding->words[property], sizeof(finding->words[property]), format, args);
	va_end(args);
}

/* --- orders of the sites */

struct order {
	struct seep_site *sites; /* as the run had them */
	size_t *places;          /* where each of them is now, the other way round */
	uint32_t *ids;
	size_t n;
};

/* What may not depend on the order. */
struct answer {
	enum seep_kind kind;
	const struct seep_rule *rule;
	struct seep_estimate rate;
	bool *accused;           /* by place in the run as it was */
};

static void shuffle(size_t *places, uint32_t *ids, size_t n, struct noise *noise)
{
	size_t i, j;

	for (i = n; i > 1; i--) {
		size_t place = places[i - 1];
		uint32_t id = ids[i - 1];

		j = (size_t)(noise_uniform(noise) * (double)i);
		places[i - 1] = places[j];
		places[j] = place;
		j = (size_t)(noise_uniform(noise) * (double)i);
		ids[i - 1] = ids[j];
		ids[j] = id;
	}
}

static void take_order(struct order *order, struct seep_run *run, struct seep_arena *arena)
{
	size_t i;

	order->n = run->n_sites;
	order->sites = run->sites;
	order->places = seep_arena_array(arena, order->n + 1, sizeof(*order->places));
	order->ids = seep_arena_array(arena, order->n + 1, sizeof(*order->ids));
	for (i = 0; i < order->n; i++) {
		order->places[i] = i;
		order->ids[i] = run->sites[i].id;
	}
	run->sites = seep_arena_array(arena, order->n + 1, sizeof(*run->sites));
}

static void put_order(const struct order *order, struct seep_run *run)
{
	size_t i;

	for (i = 0; i < order->n; i++) {
		run->sites[i] = order->sites[order->places[i]];
		run->sites[i].id = order->ids[i];
	}
}

static void judge(struct answer *answer, struct finding *finding, const struct order *order,
		  const struct seep_run *run)
{
	struct seep_verdict verdict;
	struct seep_arena arena;
	size_t i;

	seep_arena_init(&arena);
	seep_judge(&verdict, run, NULL, &arena);
	answer->kind = verdict.kind;
	answer->rule = verdict.rule;
	answer->rate = verdict.bytes_per_event;
	memset(answer->accused, 0, order->n * sizeof(*answer->accused));
	for (i = 0; i < verdict.n_sites; i++)
		if (seep_site_result_grows(&verdict.sites[i]))
			answer->accused[order->places[verdict.sites[i].site - run->sites]] = true;
	if (finding)
		properties_of_verdict(finding, &verdict, run);
	seep_arena_release(&arena);
}

static bool is_close(double a, double b)
{
	return a == b || (isnan(a) && isnan(b)) ||
	       fabs(a - b) <= ROUNDING * fmax(fabs(a), fabs(b));
}

static void compare(struct finding *finding, const struct answer *a, const struct answer *b,
		    size_t n)
{
	size_t i, only_a = 0, only_b = 0;

	if (a->kind != b->kind)
		finding_add(finding, ORDER_KIND, "%s and %s", seep_verdict_kind_name(a->kind),
			    seep_verdict_kind_name(b->kind));
	if (a->rule != b->rule)
		finding_add(finding, ORDER_RULE, "%s and %s", a->rule->id, b->rule->id);
	if (a->rate.known != b->rate.known || !is_close(a->rate.value, b->rate.value) ||
	    !is_close(a->rate.low, b->rate.low) || !is_close(a->rate.high, b->rate.high))
		finding_add(finding, ORDER_RATE, "%.12g [%.12g, %.12g] and %.12g [%.12g, %.12g]",
			    a->rate.value, a->rate.low, a->rate.high, b->rate.value, b->rate.low,
			    b->rate.high);
	for (i = 0; i < n; i++) {
		only_a += a->accused[i] && !b->accused[i];
		only_b += b->accused[i] && !a->accused[i];
	}
	if (only_a + only_b)
		finding_add(finding, ORDER_ACCUSED, "%zu sites only in one order, %zu in another",
			    only_a, only_b);
}

/* Few of the sets have a limit; without one nothing can become full. */
static void add_limit(struct score_case *c)
{
	struct seep_run *run = &c->fake.run;

	if (run->n_limits || !run->n_stamps)
		return;
	run->limits = seep_arena_array(&c->fake.arena, 1, sizeof(*run->limits));
	run->limits[0] = (struct seep_limit){
		.bytes = 2 * run->stamps[run->n_stamps - 1].rss_bytes, .source = "RAM",
	};
	run->n_limits = 1;
}

void properties_find(struct finding *finding, struct score_case *c, uint64_t seed)
{
	struct seep_run *run = &c->fake.run;
	struct noise noise = noise_seed(seed + 1);
	struct answer first, other;
	struct order order;
	size_t i;

	add_limit(c);
	take_order(&order, run, &c->fake.arena);
	first.accused = seep_arena_array(&c->fake.arena, order.n + 1, sizeof(bool));
	other.accused = seep_arena_array(&c->fake.arena, order.n + 1, sizeof(bool));
	put_order(&order, run);
	judge(&first, finding, &order, run);
	for (i = 0; i < PROPERTIES_ORDERS; i++) {
		shuffle(order.places, order.ids, order.n, &noise);
		put_order(&order, run);
		judge(&other, NULL, &order, run);
		compare(finding, &first, &other, order.n);
	}
	finding->kind = first.kind;
	finding->filled = true;
}
