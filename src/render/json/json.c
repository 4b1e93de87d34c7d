/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report as JSON.  There is one function per object of the schema, in the order of the
 * schema: run, verdict, sum, phases, drivers, sites.  Everything is written directly with
 * render/emitter.h; unknown numbers are null, and no number is rounded.
 */
#include "analyse/verdict/rules.h"
#include "render/emitter.h"
#include "render/json/json.h"
#include "render/text/advice.h"
#include "render/text/gauge_lines.h"
#include "render/text/suspects.h"
#include "render/view.h"

#include <math.h>

/* A number of an estimate; null if it is unknown. */
static void emit_known(struct seep_emitter *e, const char *key, bool known, double value)
{
	seep_emitter_number(e, key, known ? value : NAN);
}

static void emit_estimate(struct seep_emitter *e, const char *key,
			  const struct seep_estimate *estimate)
{
	emit_known(e, key, estimate->known, estimate->value);
	emit_known(e, "low", estimate->known, estimate->low);
	emit_known(e, "high", estimate->known, estimate->high);
}

static void emit_oom(struct seep_emitter *e, const char *key, const struct seep_oom *oom)
{
	seep_emitter_open_short_object(e, key);
	emit_known(e, "limit_bytes", oom->known, (double)oom->limit_bytes);
	seep_emitter_string(e, "limit_source", oom->known ? oom->limit_source : NULL);
	emit_known(e, "seconds", oom->known, oom->seconds);
	emit_known(e, "low", oom->known, oom->low);
	emit_known(e, "high", oom->known, oom->high);
	emit_known(e, "events", oom->known, oom->events);
	emit_known(e, "events_low", oom->known, oom->events_low);
	emit_known(e, "events_high", oom->known, oom->events_high);
	emit_known(e, "room_bytes", oom->known, oom->room_bytes);
	emit_known(e, "bytes_per_event", oom->known, oom->bytes_per_event);
	seep_emitter_close_object(e);
}

static void emit_verdict(struct seep_emitter *e, const struct seep_view *view)
{
	const struct seep_verdict *verdict = view->verdict;
	bool known = verdict->bytes_per_event.known;

	seep_emitter_open_object(e, "verdict");
	seep_emitter_string(e, "kind", seep_verdict_kind_name(verdict->kind));
	seep_emitter_string(e, "rule", verdict->rule ? verdict->rule->id : NULL);
	seep_emitter_string(e, "sentence", verdict->sentence);
	seep_emitter_string(e, "series", verdict->from_heap ? "heap" : "rss");
	seep_emitter_open_short_object(e, "rate");
	emit_estimate(e, "bytes_per_event", &verdict->bytes_per_event);
	emit_known(e, "confidence", known, verdict->confidence);
	emit_known(e, "bytes_per_s", known, verdict->bytes_per_s);
	seep_emitter_close_object(e);
	emit_known(e, "floor_bytes_per_event", verdict->floor_bytes_per_event > 0,
		   verdict->floor_bytes_per_event);
	emit_known(e, "rise_bytes", verdict->rise_bytes > 0, verdict->rise_bytes);
	seep_emitter_integer(e, "warmup_events", verdict->warmup_events);
	seep_emitter_integer(e, "events_used", verdict->events_used);
	seep_emitter_integer(e, "since_event", verdict->since_event);
	emit_known(e, "events_needed", verdict->events_needed > 0, ceil(verdict->events_needed));
	emit_oom(e, "oom", &verdict->oom);
	emit_oom(e, "slowdown", &verdict->slowdown);
	emit_known(e, "material_bytes", verdict->material_bytes > 0, verdict->material_bytes);
	seep_suspects_emit(e, view);
	seep_emitter_close_object(e);
}

/* The names are PanDA's own. */
static void emit_panda(struct seep_emitter *e, const struct seep_panda *panda)
{
	if (!panda->known) {
		seep_emitter_null(e, "panda");
		return;
	}
	seep_emitter_open_short_object(e, "panda");
	seep_emitter_number(e, panda->slope_name, panda->slope);
	seep_emitter_number(e, panda->chi2_name, panda->chi2);
	seep_emitter_number(e, panda->intersect_name, panda->intersect);
	seep_emitter_string(e, "unit", panda->unit);
	seep_emitter_unsigned(e, "points", panda->points);
	seep_emitter_unsigned(e, "points_given", panda->given);
	seep_emitter_close_object(e);
}

static void emit_sum(struct seep_emitter *e, const struct seep_closing_sum *sum)
{
	seep_emitter_open_short_object(e, "sum");
	emit_known(e, "rss", sum->known, sum->rss);
	emit_known(e, "heap_live", sum->known, sum->heap_live);
	emit_known(e, "allocator_slack", sum->slack_known, sum->allocator_slack);
	emit_known(e, "non_heap", sum->non_heap_known, sum->non_heap);
	emit_known(e, "tracker", sum->known, sum->tracker);
	emit_known(e, "residual", sum->known, sum->residual);
	seep_emitter_bool(e, "mean_of_all_events", sum->mean);
	seep_emitter_close_object(e);
}

static void emit_probe(struct seep_emitter *e, const struct seep_probe *probe)
{
	if (!probe->done) {
		seep_emitter_null(e, "probe");
		return;
	}
	seep_emitter_open_short_object(e, "probe");
	emit_known(e, "event", probe->event >= 0, (double)probe->event);
	seep_emitter_string(e, "allocator", probe->allocator);
	seep_emitter_integer(e, "rss_before", probe->rss_before_bytes);
	seep_emitter_integer(e, "rss_after", probe->rss_after_bytes);
	seep_emitter_integer(e, "heap_resident", probe->heap_resident_bytes);
	seep_emitter_integer(e, "live", probe->live_bytes);
	seep_emitter_number(e, "gain", seep_probe_gain(probe));
	seep_emitter_close_object(e);
}

/* The neighbours with which a phase is known better than alone. */
static void emit_group(struct seep_emitter *e, const struct seep_run *run,
		       const struct seep_verdict *verdict, const struct seep_phase_share *phase)
{
	if (!phase->group_n) {
		seep_emitter_null(e, "group");
		return;
	}
	seep_emitter_open_short_object(e, "group");
	seep_emitter_string(e, "from",
			    seep_view_phase_from(run, &verdict->phases[phase->group_first]));
	seep_emitter_string(e, "to",
			    seep_view_phase_to(run, &verdict->phases[phase->group_first +
								     phase->group_n - 1]));
	emit_estimate(e, "bytes_per_event", &phase->group_bytes_per_event);
	seep_emitter_close_object(e);
}

static void emit_phases(struct seep_emitter *e, const struct seep_run *run,
			const struct seep_verdict *verdict)
{
	seep_emitter_open_array(e, "phases");
	for (size_t i = 0; i < verdict->n_phases; i++) {
		const struct seep_phase_share *phase = &verdict->phases[i];

		seep_emitter_open_short_object(e, NULL);
		seep_emitter_string(e, "from", seep_view_phase_from(run, phase));
		seep_emitter_string(e, "to", seep_view_phase_to(run, phase));
		emit_estimate(e, "bytes_per_event", &phase->bytes_per_event);
		seep_emitter_number(e, "share", phase->share);
		seep_emitter_bool(e, "accused", seep_view_is_accused_phase(phase));
		/* An old name; fields are never renamed. */
		seep_emitter_bool(e, "guilty", seep_view_is_accused_phase(phase));
		seep_emitter_number(e, "gross_bytes_per_event", phase->gross);
		emit_group(e, run, verdict, phase);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

/* What the growth follows: a counter, or the time in seconds. */
static void emit_driver(struct seep_emitter *e, const struct seep_run *run, size_t counter,
			bool time, bool maximum)
{
	seep_emitter_string(e, "counter", time ? "time" : run->counters[counter].name);
	seep_emitter_string(e, "transform", maximum ? "running maximum" : NULL);
}

/* The second of two counters that drive the growth together. */
static void emit_second(struct seep_emitter *e, const struct seep_run *run,
			const struct seep_driver *driver)
{
	if (!driver->combined) {
		seep_emitter_null(e, "and");
		return;
	}
	seep_emitter_open_short_object(e, "and");
	emit_driver(e, run, driver->second_counter, driver->second_time,
		    driver->second_running_maximum);
	emit_estimate(e, "bytes_per_unit", &driver->second_bytes_per_unit);
	seep_emitter_close_object(e);
}

static void emit_drivers(struct seep_emitter *e, const struct seep_run *run,
			 const struct seep_verdict *verdict)
{
	seep_emitter_open_array(e, "drivers");
	for (size_t i = 0; i < verdict->n_drivers; i++) {
		const struct seep_driver *driver = &verdict->drivers[i];

		seep_emitter_open_short_object(e, NULL);
		emit_driver(e, run, driver->counter, driver->time, driver->running_maximum);
		emit_estimate(e, "bytes_per_unit", &driver->bytes_per_unit);
		seep_emitter_number(e, "r2", driver->r2);
		seep_emitter_bool(e, "proportional", driver->proportional);
		emit_second(e, run, driver);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

static void emit_freed_by(struct seep_emitter *e, const struct seep_site *site)
{
	seep_emitter_open_array(e, "freed_by");
	for (size_t i = 0; i < site->n_freed_by; i++) {
		double age = seep_view_median_age(site->freed_by[i].ages);

		seep_emitter_open_object(e, NULL);
		seep_emitter_unsigned(e, "objects", site->freed_by[i].blocks);
		emit_known(e, "median_age_events", age >= 0, age);
		seep_json_stack(e, &site->freed_by[i].stack);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

static void emit_types(struct seep_emitter *e, const struct seep_site *site)
{
	seep_emitter_open_array(e, "types");
	for (size_t i = 0; i < site->n_types; i++) {
		seep_emitter_open_short_object(e, NULL);
		seep_emitter_string(e, "name", site->types[i].name);
		seep_emitter_unsigned(e, "objects", site->types[i].blocks);
		seep_emitter_unsigned(e, "bytes", site->types[i].bytes);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

static void emit_bins(struct seep_emitter *e, const char *key, const uint64_t *bins, size_t n)
{
	seep_emitter_open_short_array(e, key);
	for (size_t i = 0; i < n; i++)
		seep_emitter_unsigned(e, NULL, bins[i]);
	seep_emitter_close_array(e);
}

static void emit_cohorts(struct seep_emitter *e, const struct seep_cohorts *cohorts)
{
	seep_emitter_open_short_object(e, "cohorts");
	seep_emitter_integer(e, "first_event", cohorts->first_event);
	seep_emitter_integer(e, "events_per_bin", cohorts->events_per_bin);
	emit_bins(e, "live_objects", cohorts->live_blocks, cohorts->n_bins);
	emit_bins(e, "live_bytes", cohorts->live_bytes, cohorts->n_bins);
	seep_emitter_unsigned(e, "early_objects", cohorts->early_blocks);
	seep_emitter_unsigned(e, "early_bytes", cohorts->early_bytes);
	seep_emitter_close_object(e);
}

/* What the site held at the dumps of another profiler. */
static void emit_levels(struct seep_emitter *e, const struct seep_run *run,
			const struct seep_site *site)
{
	seep_emitter_open_array(e, "levels");
	for (size_t i = 0; i < site->n_levels; i++) {
		const struct seep_level *level = &site->levels[i];

		seep_emitter_open_short_object(e, NULL);
		seep_emitter_integer(e, "event", run->dumps[level->dump].event);
		seep_emitter_number(e, "objects", level->blocks);
		seep_emitter_number(e, "bytes", level->bytes);
		seep_emitter_number(e, "error_bytes", level->error_bytes);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

/* The share of blocks that is never freed, and the age from which a block counts as kept. */
static void emit_survival(struct seep_emitter *e, const struct seep_site_result *result)
{
	seep_emitter_open_short_object(e, "survival");
	emit_estimate(e, "kept", &result->kept);
	seep_emitter_integer(e, "age_events", result->kept_age);
	seep_emitter_integer(e, "mature_age_events", result->mature_age);
	seep_emitter_close_object(e);
}

/* Only if events overlap; then one site may allocate in several phases. */
static void emit_parts(struct seep_emitter *e, const struct seep_run *run,
		       const struct seep_site *site)
{
	seep_emitter_open_array(e, "phases");
	for (size_t i = 0; i < site->n_parts; i++) {
		const struct seep_site one = { .after_stamp = site->parts[i].after_stamp };

		seep_emitter_open_short_object(e, NULL);
		seep_emitter_string(e, "phase", seep_view_site_phase(run, &one));
		seep_emitter_unsigned(e, "live_bytes", site->parts[i].live_bytes);
		seep_emitter_unsigned(e, "born_bytes", site->parts[i].born_bytes);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

/* The members of a site; the caller opens and closes the object. */
static void emit_site(struct seep_emitter *e, const struct seep_run *run,
		      const struct seep_site_result *result, size_t rank,
		      struct seep_realloc_growth_scale scale)
{
	const struct seep_site *site = result->site;

	seep_emitter_unsigned(e, "rank", rank);
	seep_emitter_string(e, "kind", seep_view_site_kind(site));
	seep_emitter_string(e, "verdict", seep_verdict_site_name(result->verdict));
	emit_estimate(e, "bytes_per_event", &result->bytes_per_event);
	seep_emitter_number(e, "objects_per_event", result->objects_per_event);
	seep_emitter_number(e, "object_bytes", result->object_bytes);
	seep_emitter_unsigned(e, "live_bytes", result->live_bytes);
	seep_emitter_unsigned(e, "live_objects", result->live_blocks);
	seep_emitter_unsigned(e, "born", site->born_blocks);
	seep_emitter_unsigned(e, "died", site->died_blocks);
	seep_emitter_unsigned(e, "pinned_bytes", site->pinned_bytes);
	seep_emitter_number(e, "share", result->share);
	emit_survival(e, result);
	seep_emitter_string(e, "phase", seep_view_site_phase(run, site));
	if (site->n_parts)
		emit_parts(e, run, site);
	seep_json_stack(e, &site->stack);
	if (site->stack.n_frames)
		seep_emitter_unsigned(e, "own_frame", site->stack.own_frame);
	else
		seep_emitter_null(e, "own_frame");
	emit_freed_by(e, site);
	if (site->n_types)
		emit_types(e, site);
	emit_cohorts(e, &site->cohorts);
	if (run->n_dumps)
		emit_levels(e, run, site);
	seep_advice_emit(e, site, scale);
}

/* The moment at which the sites were recorded. */
static void emit_moment(struct seep_emitter *e, const struct seep_run *run)
{
	seep_emitter_open_short_object(e, "sites_as_of");
	if (run->snapshot_event >= 0)
		seep_emitter_integer(e, "event", run->snapshot_event);
	else
		seep_emitter_null(e, "event");
	seep_emitter_bool(e, "end", run->snapshot_final);
	seep_emitter_bool(e, "cleaned_up", run->cleaned_up);
	seep_emitter_close_object(e);
}

/* What a filter hides; without one there are no such members. */
static void emit_hidden(struct seep_emitter *e, const struct seep_view *view)
{
	size_t n = 0;
	double share = 0;

	for (size_t i = 0; i < view->verdict->n_sites; i++) {
		n += seep_view_hides(view, i);
		share += seep_view_hides(view, i) ? view->verdict->sites[i].share : 0;
	}
	if (!view->hidden)
		return;
	seep_emitter_unsigned(e, "sites_hidden", n);
	seep_emitter_number(e, "share_hidden", share);
}

static void emit_sites(struct seep_emitter *e, const struct seep_view *view, size_t n)
{
	const struct seep_verdict *verdict = view->verdict;
	const struct seep_run *run = view->run;
	struct seep_realloc_growth_scale scale = seep_realloc_growth_read_scale(run);

	emit_moment(e, run);
	seep_emitter_unsigned(e, "sites_total", verdict->n_sites);
	emit_hidden(e, view);
	seep_emitter_open_array(e, "sites");
	for (size_t i = 0; i < n && i < verdict->n_sites; i++) {
		if (seep_view_hides(view, i))
			continue;
		seep_emitter_open_object(e, NULL);
		emit_site(e, run, &verdict->sites[i], i + 1, scale);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

void seep_json_report(const struct seep_view *view, size_t n_sites)
{
	const struct seep_verdict *verdict = view->verdict;
	const struct seep_run *run = view->run;
	struct seep_emitter emitter;

	seep_emitter_init(&emitter, view->out);
	seep_emitter_open_object(&emitter, NULL);
	seep_emitter_string(&emitter, "schema", "seep-report/1");
	seep_json_run(&emitter, run);
	emit_verdict(&emitter, view);
	emit_sum(&emitter, &verdict->sum);
	emit_panda(&emitter, &verdict->panda);
	emit_probe(&emitter, &run->probe);
	emit_phases(&emitter, run, verdict);
	emit_drivers(&emitter, run, verdict);
	seep_gauge_lines_emit(&emitter, verdict);
	emit_sites(&emitter, view, n_sites);
	seep_emitter_close_object(&emitter);
	seep_emitter_finish(&emitter);
}

void seep_json_site(FILE *out, const struct seep_run *run, const struct seep_verdict *verdict,
		    size_t rank)
{
	struct seep_emitter emitter;

	seep_emitter_init(&emitter, out);
	seep_emitter_open_object(&emitter, NULL);
	seep_emitter_string(&emitter, "schema", "seep-site/1");
	seep_json_notes(&emitter, run);
	seep_emitter_unsigned(&emitter, "sites_total", verdict->n_sites);
	emit_site(&emitter, run, &verdict->sites[rank - 1], rank,
		  seep_realloc_growth_read_scale(run));
	seep_emitter_close_object(&emitter);
	seep_emitter_finish(&emitter);
}
