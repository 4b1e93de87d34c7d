/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/run_lines.h"
#include "os/clock.h"
#include "render/safe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* In a shorter run, the reader may be late for all lines even if they are written one by one. */
#define ONE_BURST_NS 250000000

#define ADVICE_LINES "run the program with stdbuf -oL (Python: python3 -u), or follow its log " \
		     "with --event file:REGEX:PATH"
#define ADVICE_FILE "make the program flush its log after each line"

int seep_run_lines_open(struct seep_lines *lines, struct seep_child_plan *plan,
			const struct seep_run_event *event, struct seep_err *err)
{
	int rc;

	if (event->source != SEEP_SOURCE_LINES && event->source != SEEP_SOURCE_FILE)
		return 0;
	rc = seep_lines_open(lines, event->source, event->text, err);
	plan->lines = rc ? NULL : lines;
	return rc;
}

static const char *advice(const struct seep_lines *lines)
{
	return lines->source == SEEP_SOURCE_FILE ? ADVICE_FILE : ADVICE_LINES;
}

static const char *what(const struct seep_lines *lines)
{
	return lines->source == SEEP_SOURCE_FILE ? "the log" : "the output";
}

static uint64_t mean_burst(const struct seep_lines_status *status)
{
	return status->bursts ? status->burst_events / status->bursts : 0;
}

void seep_run_lines_warn(const struct seep_lines *lines, struct seep_run_live *live)
{
	if (live->has_warned || !seep_lines_status_bursts(lines->status))
		return;
	live->has_warned = true;
	seep_run_live_erase(live);
	seep_lines_status_take(lines->status);
	fprintf(stderr, "seep: %s is buffered, so events come in bursts of about %" PRIu64 "; %s\n",
		what(lines), mean_burst(lines->status), advice(lines));
	seep_lines_status_give(lines->status);
}

static const char *describe_bursts(const struct seep_lines *lines, int64_t wall_ns,
				   struct seep_arena *arena)
{
	const struct seep_lines_status *status = lines->status;

	if (seep_lines_status_bursts(status))
		return seep_arena_printf(arena, "%s is buffered, so events came in bursts of about "
					 "%" PRIu64 ": the rate per event is right on average, but "
					 "phases, counters and drivers are not; %s", what(lines),
					 mean_burst(status), advice(lines));
	if (wall_ns >= ONE_BURST_NS && seep_lines_status_was_one_burst(status))
		return seep_arena_printf(arena, "all %" PRIu64 " lines that are events were "
					 "written at once, because %s is buffered; %s",
					 status->events, what(lines), advice(lines));
	return NULL;
}

static const char *describe_odd(uint64_t n, struct seep_arena *arena)
{
	if (n == 1)
		return seep_arena_printf(arena, "1 value in the lines was left out because it is "
					 "not a number");
	return seep_arena_printf(arena, "%" PRIu64 " values in the lines were left out because "
				 "they are not numbers", n);
}

static const char *describe_slow(uint64_t n, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%" PRIu64 " line%s took too many steps to match and %s "
				 "left out: simplify the regular expression", n, n == 1 ? "" : "s",
				 n == 1 ? "was" : "were");
}

void seep_run_lines_note(const struct seep_lines *lines, struct seep_run_trace *trace,
			 struct seep_arena *arena)
{
	const struct seep_lines_status *status = lines->status;
	int64_t wall_ns = seep_clock_mono_ns() - trace->writer.header->started_mono_ns;

	trace->notes[0] = describe_bursts(lines, wall_ns, arena);
	if (status->gave_up)
		trace->notes[1] = describe_slow(status->gave_up, arena);
	if (status->odd)
		trace->notes[2] = describe_odd(status->odd, arena);
	if (!status->events)
		trace->notes[3] = "no line matched: events are time slices";
}

static const char *where(const struct seep_lines *lines, struct seep_arena *arena)
{
	return lines->source == SEEP_SOURCE_FILE
	       ? seep_safe_text(arena, lines->tail.path) : "the output";
}

static void tell_recent(const struct seep_lines_status *status, struct seep_arena *arena)
{
	uint32_t n = status->n_recent < SEEP_LINES_RECENT ? status->n_recent : SEEP_LINES_RECENT;

	for (uint32_t i = status->n_recent - n; i < status->n_recent; i++)
		fprintf(stderr, "  | %s\n",
			seep_safe_text(arena, status->recent[i % SEEP_LINES_RECENT]));
}

void seep_run_lines_tell(const struct seep_lines *lines, struct seep_arena *arena)
{
	const struct seep_lines_status *status = lines->status;

	if (status->failure)
		fprintf(stderr, "seep: the program's output could not be written, and it was told "
			"so: %s\n", strerror(status->failure));
	if (status->events)
		return;
	if (!status->n_recent) {
		fprintf(stderr, "seep: no event: the program wrote no line to %s\n",
			where(lines, arena));
		return;
	}
	if (status->lines == 1)
		fprintf(stderr, "seep: no event: the only line in %s does not match '%s':\n",
			where(lines, arena), seep_safe_text(arena, lines->text));
	else
		fprintf(stderr, "seep: no event: none of the %" PRIu64 " lines in %s matches '%s'; "
			"the last are:\n", status->lines, where(lines, arena),
			seep_safe_text(arena, lines->text));
	tell_recent(status, arena);
}
