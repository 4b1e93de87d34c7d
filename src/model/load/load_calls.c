/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/load/loading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_TOLD 3 /* in a sentence */

/* Damaged numbers are as good as none. */
static bool is_sound(const struct seep_trace_call *from)
{
	return from->returns <= from->calls && from->slices <= from->returns &&
	       from->first <= from->last;
}

static void add(struct seep_run *run, enum seep_call call, const struct seep_trace_call *from)
{
	run->calls[run->n_calls++] = (struct seep_run_call){
		.call = call, .name = seep_call_describe(call)->name,
		.calls = from->calls, .returns = from->returns, .slices = from->slices,
		.first = from->first, .last = from->last, .gap = from->gap,
	};
}

static int by_calls(const void *a, const void *b)
{
	const struct seep_run_call *one = a, *two = b;

	if (one->calls != two->calls)
		return one->calls < two->calls ? 1 : -1;
	return (one->call > two->call) - (one->call < two->call);
}

/* "once" or "812 times" */
static const char *times(struct seep_load *load, uint64_t n)
{
	return n == 1 ? "once" : seep_arena_printf(load->arena, "%" PRIu64 " times", n);
}

/* "read 812 times and epoll_wait once" */
static const char *list(struct seep_load *load)
{
	const struct seep_run *run = load->run;
	size_t n = run->n_calls < CALLS_TOLD ? run->n_calls : CALLS_TOLD;
	const char *text = "";

	for (size_t i = 0; i < n; i++)
		text = seep_arena_printf(load->arena, "%s%s%s %s", text,
					 !i ? "" : i + 1 < n ? ", " : " and ", run->calls[i].name,
					 times(load, run->calls[i].calls));
	return text;
}

static const char *tell_others(struct seep_load *load)
{
	if (!load->run->n_calls)
		return "it made no call that could begin events";
	return seep_arena_printf(load->arena, "it called %s", list(load));
}

/* The call that should begin events has begun none. */
static const char *tell_missing(struct seep_load *load, enum seep_call call, int fd)
{
	const struct seep_trace_call *seen = &load->header->calls[call];
	const char *name = seep_call_describe(call)->name;

	if (!seen->calls)
		return seep_arena_printf(load->arena, "no call of %s was seen in this program, so "
					 "events are slices of time; %s",
					 name, tell_others(load));
	if (!seen->returns)
		return seep_arena_printf(load->arena, "%s was called %s and never returned with "
					 "success, so events are slices of time; %s", name,
					 times(load, seen->calls), tell_others(load));
	return seep_arena_printf(load->arena, "%s returned %s with success, but never for "
				 "descriptor %d, so events are slices of time", name,
				 times(load, seen->returns), fd);
}

static void note_missing(struct seep_load *load)
{
	const struct seep_run *run = load->run;
	enum seep_call call;
	int fd;

	if (load->header->source != SEEP_SOURCE_CALL || run->event_source == SEEP_EVENTS_CALL ||
	    strncmp(run->event_text, SEEP_CALL_PREFIX, sizeof(SEEP_CALL_PREFIX) - 1))
		return;
	call = seep_call_parse(run->event_text + sizeof(SEEP_CALL_PREFIX) - 1, &fd);
	if (call < SEEP_CALLS)
		*(const char **)seep_table_add(&load->notes) = tell_missing(load, call, fd);
}

void seep_load_calls_build(struct seep_load *load)
{
	struct seep_run *run = load->run;

	if (load->header->tick_ns)
		run->call_slices = (double)run->wall_ns / (double)load->header->tick_ns;
	run->calls = seep_arena_array(load->arena, SEEP_CALLS, sizeof(*run->calls));
	for (size_t i = 0; i < SEEP_CALLS; i++)
		if (load->header->calls[i].calls && is_sound(&load->header->calls[i]))
			add(run, (enum seep_call)i, &load->header->calls[i]);
	qsort(run->calls, run->n_calls, sizeof(*run->calls), by_calls);
	note_missing(load);
}
