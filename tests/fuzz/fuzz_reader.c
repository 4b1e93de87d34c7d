/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a trace: they are read, loaded, looked at and let go.  The look is
 * a walk over everything that others may rely on; what breaks it aborts.
 */
#include "model/load/load.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static volatile uint64_t sink;

static void demand(bool truth)
{
	if (!truth)
		abort();
}

static void look_at_stack(const struct seep_run *run, const struct seep_stack *stack)
{
	size_t i;

	for (i = 0; i < stack->n_pcs; i++) {
		sink += stack->pcs[i];
		demand(stack->modules[i] == 0 || stack->modules[i] < run->n_modules);
	}
}

static void look_at_texts(const struct seep_run *run)
{
	size_t i;

	sink += strlen(run->exe) + strlen(run->path) +
		strlen(seep_run_event_source_name(run->event_source));
	for (i = 0; run->command[i]; i++)
		sink += strlen(run->command[i]);
	for (i = 0; i < run->n_names; i++)
		sink += strlen(run->names[i]);
	for (i = 0; i < run->n_notes; i++)
		sink += strlen(run->notes[i]);
	for (i = 0; i < run->n_limits; i++)
		sink += strlen(run->limits[i].source);
	for (i = 0; i < run->n_modules; i++)
		sink += strlen(run->modules[i].path);
}

static void look_at_events(const struct seep_run *run)
{
	size_t i;

	for (i = 0; i < run->n_stamps; i++) {
		const struct seep_stamp *stamp = &run->stamps[i];

		demand(stamp->name < run->n_names);
		demand(stamp->event >= SEEP_EVENT_NONE && stamp->event < (int64_t)run->n_events);
		demand(!i || stamp[-1].event <= stamp->event);
		demand(!i || stamp[-1].t_ns <= stamp->t_ns ||
		       (run->overlapping && stamp[-1].event < stamp->event));
	}
	for (i = 0; i < run->n_events; i++) {
		const struct seep_event *event = &run->events[i];

		demand(event->n_stamps && event->first_stamp + event->n_stamps <= run->n_stamps);
		demand(run->stamps[event->first_stamp].flags & SEEP_STAMP_BEGIN);
		demand(run->stamps[event->first_stamp].event == (int64_t)i);
		demand(event->number >= (int64_t)i && (!i || event[-1].number < event->number));
		demand(seep_run_place(run, event->number) == i);
		demand(run->stride > 1 || run->sparse || event->number == (int64_t)i);
	}
	demand(run->stride >= 1 && !(run->stride & (run->stride - 1)));
	demand(run->events_after >= 0 && run->events_after <= 2 * run->stride);
	for (i = 0; i < run->n_counters; i++) {
		demand(run->counters[i].given <= run->n_events);
		if (run->n_events)
			demand(run->counters[i].values[run->n_events - 1] ==
			       run->counters[i].values[run->n_events - 1]);
	}
}

static void look_at_site(const struct seep_run *run, const struct seep_site *site)
{
	const struct seep_cohorts *cohorts = &site->cohorts;
	size_t i;

	demand(site->pinning_blocks <= site->pinned_bytes);
	demand(site->after_stamp == SEEP_PHASE_BETWEEN || site->after_stamp == SEEP_PHASE_NONE ||
	       site->after_stamp < run->n_names);
	look_at_stack(run, &site->stack);
	demand(cohorts->first_event >= 0 && cohorts->events_per_bin > 0);
	for (i = 0; i < cohorts->n_bins; i++)
		sink += cohorts->live_blocks[i] + cohorts->live_bytes[i];
	if (cohorts->n_bins)
		demand(cohorts->first_event + (int64_t)(cohorts->n_bins - 1) *
		       cohorts->events_per_bin < seep_run_marked(run));
	for (i = 0; i < site->n_freed_by; i++) {
		demand(!i || site->freed_by[i - 1].blocks >= site->freed_by[i].blocks);
		look_at_stack(run, &site->freed_by[i].stack);
	}
}

static void look_at_stored(const struct seep_run *run)
{
	size_t i, j;

	for (i = 0; i < run->n_stored; i++) {
		const struct seep_stored_address *address = &run->stored[i];

		demand(address->module && address->module < run->n_modules && address->n_frames);
		for (j = 0; j < address->n_frames; j++) {
			const struct seep_stored_frame *frame = &address->frames[j];

			demand(frame->line >= 0);
			sink += frame->function ? strlen(frame->function) : 0;
			sink += frame->file ? strlen(frame->file) : 0;
			sink += frame->directory ? strlen(frame->directory) : 0;
		}
	}
	for (i = 0; i < run->n_texts; i++)
		sink += run->texts[i] ? strlen(run->texts[i]) : 0;
}

static void look_at_probe(const struct seep_run *run)
{
	const struct seep_probe *probe = &run->probe;

	demand(probe->event >= SEEP_EVENT_NONE);
	demand(probe->event < seep_run_marked(run) || probe->event == SEEP_EVENT_NONE);
	if (!probe->done)
		return;
	sink += strlen(probe->allocator);
	demand(probe->heap_resident_bytes >= 0 && probe->live_bytes >= 0);
	demand(!(seep_probe_gain(probe) < -1e19));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct seep_err err = { 0 };
	struct seep_arena arena;
	struct seep_reader reader;
	struct seep_run run;
	size_t i;

	if (seep_reader_open_bytes(&reader, "fuzz", data, bytes, &err)) {
		demand(err.code && err.text[0]);
		return 0;
	}
	seep_arena_init(&arena);
	seep_load_records(&run, &reader, &arena);
	seep_reader_close(&reader);
	look_at_texts(&run);
	look_at_events(&run);
	look_at_probe(&run);
	look_at_stored(&run);
	for (i = 0; i < run.n_sites; i++)
		look_at_site(&run, &run.sites[i]);
	seep_arena_release(&arena);
	return 0;
}
