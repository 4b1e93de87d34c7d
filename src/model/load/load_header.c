/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/load/loading.h"

#include "base/duration.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define COLLECT_PART_MOST .99 /* of the time; only damage can say more */

/* The names of started programs in the header: "make, cc1, ...". */
static const char *list_started(struct seep_load *load, const struct seep_trace_header *header)
{
	size_t room = sizeof(header->started_name), known = 1, i;
	const char *list = seep_arena_printf(load->arena, "%.*s",
					     (int)strnlen(header->started_name, room),
					     header->started_name);

	for (i = 0; i < sizeof(header->started_more) / room && header->started_more[i][0]; i++) {
		list = seep_arena_printf(load->arena, "%s, %.*s", list,
					 (int)strnlen(header->started_more[i], room),
					 header->started_more[i]);
		known++;
	}
	return header->started > known ? seep_arena_printf(load->arena, "%s, ...", list) : list;
}

static void note_started(struct seep_load *load, const struct seep_trace_header *header)
{
	bool one = header->started == 1;

	if (header->started)
		*(const char **)seep_table_add(&load->notes) = seep_arena_printf(load->arena,
			"%" PRIu32 " other program%s %s started and not tracked (%s); use %s to "
			"track %s", header->started, one ? "" : "s", one ? "was" : "were",
			list_started(load, header),
			header->follow_max ? "--follow without names" : "--follow",
			one ? "it" : "them");
}

/* The time that they took of the time from the first event to the last. */
static double find_collect_part(const struct seep_run *run)
{
	const struct seep_event *first = run->events, *last = run->events + run->n_events - 1;
	double ns;

	if (run->n_events < 2)
		return 0;
	ns = (double)run->stamps[last->first_stamp].t_ns -
	     (double)run->stamps[first->first_stamp].t_ns;
	return ns > 0 ? fmin(fmax((double)run->collect_ns / ns, 0), COLLECT_PART_MOST) : 0;
}

static void note_collections(struct seep_load *load, const struct seep_trace_header *header)
{
	struct seep_run *run = load->run;

	run->collect = header->collect || header->collections;
	run->collections = header->collections;
	run->collect_ns = header->collect_ns;
	run->collect_part = find_collect_part(run);
	if (run->collections)
		*(const char **)seep_table_add(&load->notes) = seep_arena_printf(load->arena,
			"garbage was collected before each event, %" PRIu64 " times (--collect); "
			"the %s that this took are not part of rates per second", run->collections,
			seep_duration_format((double)run->collect_ns * 1e-9).text);
	else if (run->collect)
		*(const char **)seep_table_add(&load->notes) =
			"--collect had no effect, because the program marked no events with "
			"seep.py: garbage was not collected between events";
}

static void note_interleaved(struct seep_load *load)
{
	if (load->run->interleaved)
		*(const char **)seep_table_add(&load->notes) =
			"events overlapped on one thread: it began some before it ended others, so "
			"that phases and counters cannot be told apart; see seep_event_switch in "
			"man 3 seep";
}

void seep_load_header_notes(struct seep_load *load)
{
	const struct seep_trace_header *header = load->header;

	if (header->state == SEEP_TRACE_STOPPED && !load->stopped)
		*(const char **)seep_table_add(&load->notes) = seep_arena_printf(load->arena,
			"recording ended before the program did: %s",
			strerror((int)(header->failure & 0xfff)));
	note_interleaved(load);
	note_started(load, header);
	note_collections(load, header);
}
