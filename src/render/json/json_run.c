/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object run of the report. */
#include "render/json/json.h"

#include <math.h>
#include <time.h>

static void emit_started(struct seep_emitter *e, int64_t real_ns)
{
	time_t seconds = (time_t)(real_ns / 1000000000);
	struct tm utc;
	char text[64];

	if (real_ns <= 0 || !gmtime_r(&seconds, &utc) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
		seep_emitter_null(e, "started");
	else
		seep_emitter_string(e, "started", text);
}

static void emit_command(struct seep_emitter *e, char **command)
{
	seep_emitter_open_short_array(e, "command");
	for (; command && *command; command++)
		seep_emitter_string(e, NULL, *command);
	seep_emitter_close_array(e);
}

static void emit_exit(struct seep_emitter *e, const struct seep_run *run)
{
	seep_emitter_open_short_object(e, "exit");
	if (run->has_exit && run->exit_code >= 0)
		seep_emitter_integer(e, "code", run->exit_code);
	else
		seep_emitter_null(e, "code");
	if (run->has_exit && run->exit_signal)
		seep_emitter_integer(e, "signal", run->exit_signal);
	else
		seep_emitter_null(e, "signal");
	seep_emitter_close_object(e);
}

void seep_json_notes(struct seep_emitter *e, const struct seep_run *run)
{
	seep_emitter_open_array(e, "notes");
	for (size_t i = 0; i < run->n_notes; i++)
		seep_emitter_string(e, NULL, run->notes[i]);
	seep_emitter_close_array(e);
}

static void emit_collect(struct seep_emitter *e, const struct seep_run *run)
{
	if (!run->collect) {
		seep_emitter_null(e, "collect");
		return;
	}
	seep_emitter_open_short_object(e, "collect");
	seep_emitter_unsigned(e, "collections", run->collections);
	seep_emitter_number(e, "seconds", (double)run->collect_ns * 1e-9);
	seep_emitter_close_object(e);
}

void seep_json_run(struct seep_emitter *e, const struct seep_run *run)
{
	seep_emitter_open_object(e, "run");
	emit_command(e, run->command);
	seep_emitter_string(e, "exe", run->exe);
	seep_emitter_unsigned(e, "pid", run->pid);
	emit_started(e, run->started_real_ns);
	seep_emitter_number(e, "wall_s", (double)run->wall_ns / 1e9);
	seep_emitter_unsigned(e, "events", (uint64_t)seep_run_marked(run));
	seep_emitter_string(e, "event_source",
			    seep_run_event_source_name(run->event_source));
	seep_emitter_string(e, "event_text",
			    run->event_text && *run->event_text ? run->event_text : NULL);
	emit_exit(e, run);
	seep_emitter_open_short_object(e, "tracker");
	seep_emitter_unsigned(e, "bytes", run->tracker_bytes);
	seep_emitter_unsigned(e, "missed", run->missed);
	seep_emitter_unsigned(e, "dropped", run->dropped);
	seep_emitter_unsigned(e, "lost_walks", run->lost_walks);
	if (run->sampling.mean_bytes)
		seep_emitter_unsigned(e, "sample_bytes", run->sampling.mean_bytes);
	else
		seep_emitter_null(e, "sample_bytes");
	seep_emitter_close_object(e);
	emit_collect(e, run);
	seep_emitter_bool(e, "complete", run->complete);
	seep_emitter_bool(e, "killed", run->killed);
	seep_emitter_unsigned(e, "damaged", run->damaged);
	seep_json_notes(e, run);
	seep_emitter_close_object(e);
}
