/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/judge.h"
#include "outcome.h"

#include "baselines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Another number for each scenario, so that they do not share their draws. */
static struct noise seed_noise(const struct score_scenario *scenario, uint64_t seed)
{
	uint64_t mixed = seed;
	const char *p;

	for (p = scenario->name; *p; p++)
		mixed = (mixed ^ (unsigned char)*p) * 1099511628211u;
	return noise_seed(mixed);
}

void outcome_make(struct score_case *c, const struct score_scenario *scenario, uint64_t seed,
		  size_t low, size_t high)
{
	struct noise noise = seed_noise(scenario, seed);
	double n = (double)low * pow((double)(high + 1) / (double)low, noise_uniform(&noise));

	scenario->make(c, (size_t)n, &noise);
}

/* Sites whose blocks do not add up to themselves. */
static bool site_adds_up(const struct seep_site *site, uint64_t *blocks, uint64_t *bytes)
{
	const struct seep_cohorts *c = &site->cohorts;
	uint64_t deaths = 0;
	size_t i;

	*blocks = c->early_blocks;
	*bytes = c->early_bytes;
	for (i = 0; i < c->n_bins; i++) {
		*blocks += c->live_blocks[i];
		*bytes += c->live_bytes[i];
	}
	for (i = 0; i < SEEP_TRACE_AGE_BINS; i++)
		deaths += site->ages[i];
	return deaths == site->died_blocks && site->born_blocks == *blocks + site->died_blocks &&
	       site->born_bytes == *bytes + site->died_bytes;
}

/* What was alive at the snapshot: by its own count, or else by the last stamp. */
static bool is_alive(const struct seep_run *run, uint64_t blocks, uint64_t bytes)
{
	const struct seep_stamp *last = &run->stamps[run->n_stamps - 1];

	if (run->live_blocks)
		return blocks == (uint64_t)run->live_blocks && bytes == (uint64_t)run->live_bytes;
	return blocks == (uint64_t)last->live_blocks && bytes == (uint64_t)last->live_bytes;
}

/* The survivors of all sites are what is alive, and no level is below 0. */
static bool run_adds_up(const struct seep_run *run)
{
	uint64_t blocks = 0, bytes = 0, site_blocks, site_bytes;
	size_t i;

	for (i = 0; i < run->n_stamps; i++)
		if (run->stamps[i].live_bytes < 0 || run->stamps[i].rss_bytes <= 0 ||
		    (i && run->stamps[i].t_ns < run->stamps[i - 1].t_ns))
			return false;
	for (i = 0; i < run->n_sites; i++) {
		if (!site_adds_up(&run->sites[i], &site_blocks, &site_bytes))
			return false;
		if (run->sites[i].kind == SEEP_MEMORY_HEAP) {
			blocks += site_blocks;
			bytes += site_bytes;
		}
	}
	return !run->has_heap || is_alive(run, blocks, bytes);
}

static enum answer check_phase(const struct score_case *c, const struct seep_verdict *verdict)
{
	const struct seep_phase_share *best = NULL;
	size_t i;

	if (!c->truth.phase)
		return NOT_ASKED;
	for (i = 0; i < verdict->n_phases; i++)
		if (!best || verdict->phases[i].share > best->share)
			best = &verdict->phases[i];
	if (!best || best->from >= c->fake.run.n_names)
		return WRONG;
	return strcmp(c->fake.run.names[best->from], c->truth.phase) ? WRONG : RIGHT;
}

static enum answer check_site(const struct score_case *c, const struct seep_verdict *verdict)
{
	if (!c->truth.site)
		return NOT_ASKED;
	return verdict->n_sites && verdict->sites[0].site->id == c->truth.site ? RIGHT : WRONG;
}

static bool is_driver(const struct score_case *c, const struct seep_driver *driver)
{
	const char *name = c->fake.run.counters[driver->counter].name;
	size_t i;

	for (i = 0; i < 4 && c->truth.drivers[i]; i++)
		if (strcmp(name, c->truth.drivers[i]) == 0)
			return true;
	return false;
}

/* The first one; or any of those that the verdict cannot tell apart from it. */
static enum answer check_driver(const struct score_case *c, const struct seep_verdict *verdict,
				size_t most)
{
	size_t i;

	if (!c->truth.drivers[0])
		return NOT_ASKED;
	for (i = 0; i < verdict->n_drivers && i < most; i++)
		if (is_driver(c, &verdict->drivers[i]))
			return RIGHT;
	return WRONG;
}

void outcome_find(struct outcome *o, const struct score_scenario *scenario, uint64_t seed,
		  size_t low, size_t high)
{
	struct seep_verdict verdict;
	struct score_case c;
	const struct seep_estimate *rate = &verdict.bytes_per_event;

	outcome_make(&c, scenario, seed, low, high);
	seep_judge(&verdict, &c.fake.run, NULL, &c.fake.arena);
	o->seed = seed;
	o->n = c.fake.run.n_events;
	o->has_heap = c.fake.run.has_heap;
	o->kinds = c.truth.kinds;
	o->leaks = c.truth.leaks;
	o->kind = verdict.kind;
	o->truth = c.truth.bytes_per_event;
	o->value = rate->known ? rate->value : NAN;
	o->low = rate->known ? rate->low : NAN;
	o->high = rate->known ? rate->high : NAN;
	o->phase = check_phase(&c, &verdict);
	o->site = check_site(&c, &verdict);
	o->driver = check_driver(&c, &verdict, 1);
	o->driver_set = check_driver(&c, &verdict, SIZE_MAX);
	o->baselines = baselines_ask(&c.fake.run);
	o->adds_up = run_adds_up(&c.fake.run);
	o->filled = true;
	fake_release(&c.fake);
}

/* --- one case to look at */

static void dump_events(const struct seep_run *run)
{
	size_t e, k;

	printf("event\tindex\tseconds\tlive\trss");
	for (k = 0; k < run->n_counters; k++)
		printf("\t%s", run->counters[k].name);
	putchar('\n');
	for (e = 0; e < run->n_events; e++) {
		const struct seep_stamp *begin = &run->stamps[run->events[e].first_stamp];

		printf("%zu\t%" PRId64 "\t%.6f\t%" PRId64 "\t%" PRId64, e, run->events[e].index,
		       (double)begin->t_ns * 1e-9, begin->live_bytes,
		       begin->rss_bytes - begin->tracker_bytes);
		for (k = 0; k < run->n_counters; k++)
			printf("\t%.0f", run->counters[k].values[e]);
		putchar('\n');
	}
}

static void dump_site(const struct seep_run *run, const struct seep_site_result *result)
{
	const struct seep_site *site = result->site;
	const struct seep_cohorts *c = &site->cohorts;
	size_t i, ages = SEEP_TRACE_AGE_BINS;

	while (ages && !site->ages[ages - 1])
		ages--;
	printf("site %u kind %u phase %s: %s, %.1f B/event [%.1f, %.1f]; born %" PRIu64
	       " died %" PRIu64 " moved %" PRIu64 " early %" PRIu64 "\n", site->id, site->kind,
	       site->after_stamp == SEEP_PHASE_BETWEEN ? "(between)"
						       : run->names[site->after_stamp],
	       seep_verdict_site_name(result->verdict), result->bytes_per_event.value,
	       result->bytes_per_event.low, result->bytes_per_event.high, site->born_blocks,
	       site->died_blocks, site->moved_blocks, c->early_blocks);
	printf("\tages ");
	for (i = 0; i < ages; i++)
		printf(" %" PRIu64, site->ages[i]);
	printf("\n\tlive blocks, %" PRId64 " events per bin:", c->events_per_bin);
	for (i = 0; i < c->n_bins; i++)
		printf(" %" PRIu64, c->live_blocks[i]);
	putchar('\n');
}

static void dump_anchors(const struct seep_run *run)
{
	size_t i;

	printf("anchor\trss\tfile\tlive\tallocator\tnon-heap\tresident\n");
	for (i = 0; i < run->n_anchors; i++) {
		const struct seep_anchor *a = &run->anchors[i];

		printf("%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64
		       "\t%" PRId64 "\n", a->event, a->rss_bytes, a->rss_file_bytes,
		       a->live_bytes, a->allocator_bytes, a->non_heap_bytes,
		       a->non_heap_resident_bytes);
	}
}

static void dump_verdict(const struct score_case *c, const struct seep_verdict *verdict)
{
	const struct seep_run *run = &c->fake.run;
	size_t i;

	printf("probe: resident %" PRId64 " live %" PRId64 " RSS %" PRId64 " -> %" PRId64 "\n",
	       run->probe.heap_resident_bytes, run->probe.live_bytes, run->probe.rss_before_bytes,
	       run->probe.rss_after_bytes);
	if (run->sampling.mean_bytes)
		printf("sampled: one in %" PRIu64 " bytes\n", run->sampling.mean_bytes);
	for (i = 0; i < verdict->n_phases; i++)
		printf("phase %s: %.1f B/event, share %.3f\n", run->names[verdict->phases[i].from],
		       verdict->phases[i].bytes_per_event.value, verdict->phases[i].share);
	for (i = 0; i < verdict->n_drivers; i++)
		printf("driver %s: %.3f B\n", run->counters[verdict->drivers[i].counter].name,
		       verdict->drivers[i].bytes_per_unit.value);
	printf("truth:   kinds");
	for (i = 0; i <= SEEP_KIND_UNDECIDED; i++)
		if (c->truth.kinds & SCORE_KIND(i))
			printf(" %s", seep_verdict_kind_name((enum seep_kind)i));
	printf(", %.1f B/event, phase %s, site %u, driver %s\n", c->truth.bytes_per_event,
	       c->truth.phase ? c->truth.phase : "-", c->truth.site,
	       c->truth.drivers[0] ? c->truth.drivers[0] : "-");
	printf("verdict: %s, %.1f [%.1f, %.1f] B/event\n         %s\n",
	       seep_verdict_kind_name(verdict->kind), verdict->bytes_per_event.value,
	       verdict->bytes_per_event.low, verdict->bytes_per_event.high, verdict->sentence);
	for (i = 0; i < verdict->n_reasoning; i++)
		printf("         %s\n", verdict->reasoning[i]);
}

void outcome_dump(const struct score_scenario *scenario, uint64_t seed, size_t low, size_t high)
{
	struct seep_verdict verdict;
	struct score_case c;
	size_t i;

	outcome_make(&c, scenario, seed, low, high);
	seep_judge(&verdict, &c.fake.run, NULL, &c.fake.arena);
	printf("%d %s, seed %" PRIu64 ", %zu events\n", scenario->number, scenario->name, seed,
	       c.fake.run.n_events);
	dump_events(&c.fake.run);
	dump_anchors(&c.fake.run);
	for (i = 0; i < verdict.n_sites; i++)
		if (i < 5 || verdict.sites[i].site->id == c.truth.site)
			dump_site(&c.fake.run, &verdict.sites[i]);
	dump_verdict(&c, &verdict);
	fake_release(&c.fake);
}
