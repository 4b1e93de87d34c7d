/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/emitter.h"
#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"
#include "render/text/calibrate_text.h"

#include <inttypes.h>
#include <math.h>

static enum seep_style_ink ink_of(enum seep_calibrate_outcome outcome)
{
	switch (outcome) {
	case SEEP_CALIBRATE_RIGHT:
		return SEEP_INK_GOOD;
	case SEEP_CALIBRATE_WRONG:
		return SEEP_INK_BAD;
	case SEEP_CALIBRATE_UNKNOWN:
		break;
	}
	return SEEP_INK_DOUBT;
}

/* "10.0 MB/event measured as 10.0 MB  [9.98, 10.02]" */
static void add_reading(const struct seep_view *view, struct seep_grid *grid, const char *name,
			const struct seep_calibrate *calibrate,
			const struct seep_calibrate_reading *reading)
{
	const struct seep_estimate *gain = &reading->gain, *own = &reading->own;
	double level = calibrate->level_bytes;
	struct seep_size_pair read, rest;
	const char **row;

	if (!gain->known)
		return;
	read = seep_size_interval(gain->value * level, gain->low * level, gain->high * level);
	rest = seep_size_interval(own->value, own->low, own->high);
	row = seep_grid_add(grid);
	row[0] = name;
	row[1] = seep_arena_printf(view->arena, "%s/event measured as %s  [%s]",
				   seep_size_format(level).text, read.value, read.interval);
	row[2] = seep_arena_printf(view->arena, "the program itself adds %s/event  [%s]",
				   rest.value,
				   rest.interval);
}

void seep_calibrate_text_write(const struct seep_view *view, const struct seep_calibrate *calibrate)
{
	enum seep_style_ink ink = ink_of(calibrate->outcome);
	double level = calibrate->level_bytes;
	struct seep_grid grid;

	fprintf(view->out, "%s%s%s  %s\n", seep_style_on(&view->style, ink),
		seep_view_capitals(view, seep_calibrate_outcome_name(calibrate->outcome)),
		seep_style_off(&view->style, ink), calibrate->sentence);
	seep_grid_init(&grid, view->arena, 3);
	add_reading(view, &grid, "heap", calibrate, &calibrate->heap);
	add_reading(view, &grid, "RSS", calibrate, &calibrate->rss);
	seep_grid_print(&grid, view->out, "  ", view->style.width);
	if (calibrate->injected_bytes > 0 &&
	    (calibrate->heap.incomplete || !calibrate->heap.gain.known))
		fprintf(view->out, "  %s were leaked on purpose before the program ended\n",
			seep_size_format(calibrate->injected_bytes).text);
	else if (calibrate->injected_bytes > 0)
		fprintf(view->out, "  each of %" PRId64 " events leaked nothing, %s or twice as "
			"much on purpose; %s in all\n", calibrate->events_used,
			seep_size_format(level).text,
			seep_size_format(calibrate->injected_bytes).text);
	for (size_t i = 0; i < view->run->n_notes; i++)
		seep_view_wrap(view, "  note    ",
			       seep_safe_text(view->arena, view->run->notes[i]));
}

static void emit_estimate(struct seep_emitter *e, const char *key,
			  const struct seep_estimate *estimate)
{
	bool known = estimate->known;

	seep_emitter_open_short_object(e, key);
	seep_emitter_number(e, "value", known ? estimate->value : NAN);
	seep_emitter_number(e, "low", known ? estimate->low : NAN);
	seep_emitter_number(e, "high", known ? estimate->high : NAN);
	seep_emitter_close_object(e);
}

static void emit_reading(struct seep_emitter *e, const char *key,
			 const struct seep_calibrate_reading *reading, double level)
{
	seep_emitter_open_object(e, key);
	seep_emitter_string(e, "outcome", seep_calibrate_outcome_name(reading->outcome));
	emit_estimate(e, "gain", &reading->gain);
	emit_estimate(e, "own_bytes_per_event", &reading->own);
	seep_emitter_number(e, "level_read_as_bytes",
			    reading->gain.known ? reading->gain.value * level : NAN);
	seep_emitter_string(e, "unit_error", reading->unit_error);
	seep_emitter_number(e, "events_needed",
			    reading->events_needed > 0 ? reading->events_needed : NAN);
	seep_emitter_close_object(e);
}

void seep_calibrate_text_json(FILE *out, const struct seep_run *run,
			      const struct seep_calibrate *calibrate)
{
	bool injected = calibrate->injected_bytes > 0;
	struct seep_emitter e;

	seep_emitter_init(&e, out);
	seep_emitter_open_object(&e, NULL);
	seep_emitter_string(&e, "schema", "seep-calibrate/1");
	seep_emitter_string(&e, "trace", run->path);
	seep_emitter_string(&e, "outcome", seep_calibrate_outcome_name(calibrate->outcome));
	seep_emitter_string(&e, "sentence", calibrate->sentence);
	seep_emitter_unsigned(&e, "events", (uint64_t)seep_run_marked(run));
	seep_emitter_integer(&e, "events_used", calibrate->events_used);
	seep_emitter_number(&e, "level_bytes", injected ? calibrate->level_bytes : NAN);
	seep_emitter_number(&e, "injected_bytes", calibrate->injected_bytes);
	emit_reading(&e, "heap", &calibrate->heap, calibrate->level_bytes);
	emit_reading(&e, "rss", &calibrate->rss, calibrate->level_bytes);
	seep_emitter_open_array(&e, "notes");
	for (size_t i = 0; i < run->n_notes; i++)
		seep_emitter_string(&e, NULL, run->notes[i]);
	seep_emitter_close_array(&e);
	seep_emitter_close_object(&e);
	seep_emitter_finish(&e);
}
