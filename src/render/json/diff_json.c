/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/text/diff.h"

#include "analyse/threshold/thresholds.h"
#include "render/emitter.h"
#include "render/json/json.h"

#include <math.h>
#include <string.h>

static void emit_known(struct seep_emitter *e, const char *key, bool known, double value)
{
	seep_emitter_number(e, key, known ? value : NAN);
}

static void emit_estimate(struct seep_emitter *e, const char *key,
			  const struct seep_estimate *estimate)
{
	seep_emitter_open_short_object(e, key);
	emit_known(e, "bytes", estimate->known, estimate->value);
	emit_known(e, "low", estimate->known, estimate->low);
	emit_known(e, "high", estimate->known, estimate->high);
	seep_emitter_close_object(e);
}

static void emit_pair(struct seep_emitter *e, const struct seep_compare_pair *pair)
{
	emit_estimate(e, "before", &pair->before);
	emit_estimate(e, "after", &pair->after);
	emit_estimate(e, "difference", &pair->difference);
}

static void emit_run(struct seep_emitter *e, const char *key, const struct seep_view *view)
{
	const struct seep_run *run = view->run;

	seep_emitter_open_object(e, key);
	seep_emitter_string(e, "file", run->path);
	seep_emitter_string(e, "exe", run->exe);
	seep_emitter_integer(e, "events", seep_run_marked(run));
	seep_emitter_string(e, "event_source",
			    seep_run_event_source_name(run->event_source));
	seep_emitter_string(e, "kind", seep_verdict_kind_name(view->verdict->kind));
	seep_emitter_string(e, "series", view->verdict->from_heap ? "heap" : "rss");
	seep_emitter_integer(e, "live_bytes", run->live_bytes);
	seep_emitter_integer(e, "live_objects", run->live_blocks);
	seep_emitter_close_object(e);
}

static void emit_unit(struct seep_emitter *e, const struct seep_compare *compare)
{
	const struct seep_compare_unit *unit = &compare->unit;
	bool events = compare->per && !strcmp(compare->per, "event");

	if (!unit->known) {
		seep_emitter_null(e, "unit");
		return;
	}
	seep_emitter_open_object(e, "unit");
	seep_emitter_string(e, "counter", unit->counter);
	emit_pair(e, &unit->bytes);
	emit_known(e, "before_per_event", events, unit->before_units);
	emit_known(e, "after_per_event", events, unit->after_units);
	emit_known(e, "before_per_s", !events, unit->before_units);
	emit_known(e, "after_per_s", !events, unit->after_units);
	seep_emitter_bool(e, "same", unit->same);
	seep_emitter_close_object(e);
}

static void emit_values(struct seep_emitter *e, const char *key,
			const struct seep_compare_footprint_pair *pair)
{
	seep_emitter_open_short_object(e, key);
	seep_emitter_number(e, "before", pair->before);
	seep_emitter_number(e, "after", pair->after);
	seep_emitter_number(e, "difference", pair->after - pair->before);
	seep_emitter_close_object(e);
}

static void emit_footprint(struct seep_emitter *e, const struct seep_compare_footprint *footprint)
{
	seep_emitter_open_object(e, "footprint");
	emit_values(e, "peak_heap_bytes", &footprint->peak_heap);
	emit_values(e, "peak_rss_bytes", &footprint->peak_rss);
	emit_values(e, "end_rss_bytes", &footprint->end_rss);
	seep_emitter_string(e, "moves_per", footprint->per ? footprint->per : "run");
	emit_values(e, "moves", &footprint->moves);
	emit_values(e, "copied_bytes", &footprint->copied_bytes);
	seep_emitter_close_object(e);
}

static void emit_phases(struct seep_emitter *e, const struct seep_compare *compare)
{
	seep_emitter_open_array(e, "phases");
	for (size_t i = 0; i < compare->n_phases; i++) {
		const struct seep_compare_phase *phase = &compare->phases[i];

		seep_emitter_open_object(e, NULL);
		seep_emitter_string(e, "from", phase->from);
		seep_emitter_string(e, "to", phase->to);
		seep_emitter_string(e, "change", seep_compare_change_name(phase->change));
		emit_pair(e, &phase->rate);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

static void emit_sites(struct seep_emitter *e, const struct seep_compare *compare)
{
	seep_emitter_open_array(e, "sites");
	for (size_t i = 0; i < compare->n_sites; i++) {
		const struct seep_compare_site *site = &compare->sites[i];

		seep_emitter_open_object(e, NULL);
		seep_emitter_string(e, "change", seep_compare_change_name(site->change));
		seep_emitter_unsigned(e, "sites_before", site->n_before);
		seep_emitter_unsigned(e, "sites_after", site->n_after);
		emit_pair(e, &site->bytes);
		seep_emitter_number(e, "live_objects_before", site->blocks_before);
		seep_emitter_number(e, "live_objects_after", site->blocks_after);
		seep_emitter_unsigned(e, "own_frame", site->stack->own_frame);
		seep_json_stack(e, site->stack);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

static void emit_amounts(struct seep_emitter *e, const char *key,
			 const struct seep_compare_live_pair *live)
{
	seep_emitter_open_short_object(e, key);
	seep_emitter_number(e, "before", live->side[0].bytes);
	seep_emitter_number(e, "after", live->side[1].bytes);
	seep_emitter_number(e, "difference", seep_calls_difference(live));
	seep_emitter_number(e, "objects", live->side[1].blocks - live->side[0].blocks);
	seep_emitter_close_object(e);
}

static void emit_functions(struct seep_emitter *e, const struct seep_calls *calls)
{
	if (!calls) {
		seep_emitter_null(e, "functions");
		return;
	}
	seep_emitter_open_array(e, "functions");
	for (size_t i = 0; i < calls->n_functions; i++) {
		const struct seep_calls_function *function = &calls->functions[i];

		seep_emitter_open_object(e, NULL);
		seep_emitter_string(e, "function", function->name);
		emit_amounts(e, "flat", &function->flat);
		seep_emitter_string(e, "flat_change",
				    seep_compare_change_name(function->flat_change));
		emit_amounts(e, "cum", &function->cum);
		seep_emitter_string(e, "cum_change",
				    seep_compare_change_name(function->cum_change));
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

void seep_diff_json(const struct seep_diff *diff)
{
	const struct seep_compare *compare = diff->compare;
	struct seep_emitter e;

	seep_emitter_init(&e, diff->after->out);
	seep_emitter_open_object(&e, NULL);
	seep_emitter_string(&e, "schema", "seep-diff/1");
	seep_emitter_string(&e, "summary", compare->summary);
	seep_emitter_string(&e, "outcome", seep_compare_outcome_name(compare->outcome));
	seep_emitter_string(&e, "compared", compare->live ? "live" : "rate");
	seep_emitter_string(&e, "series", compare->live || compare->heap ? "heap" : "rss");
	seep_emitter_string(&e, "per", compare->per);
	seep_emitter_string(&e, "sites_per", compare->site_per);
	seep_emitter_number(&e, "confidence", SEEP_CONFIDENCE);
	emit_run(&e, "run_before", diff->before);
	emit_run(&e, "run_after", diff->after);
	emit_pair(&e, &compare->bytes);
	emit_unit(&e, compare);
	emit_footprint(&e, &compare->footprint);
	emit_phases(&e, compare);
	emit_sites(&e, compare);
	emit_functions(&e, diff->calls);
	seep_emitter_open_array(&e, "notes");
	for (size_t i = 0; i < compare->n_notes; i++)
		seep_emitter_string(&e, NULL, compare->notes[i]);
	seep_emitter_close_array(&e);
	seep_emitter_close_object(&e);
	seep_emitter_finish(&e);
}
