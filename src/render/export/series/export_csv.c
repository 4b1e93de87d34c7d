/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line per stamp, for spreadsheets and scripts.  The counters of an event are only in its
 * first line, so that sums are right.
 *
 * Names come from the traced program.  A spreadsheet takes a text that begins with = + - or @ for
 * a formula and runs it, in quotes or not; an apostrophe in front makes it a text.
 */
#include "render/emitter.h"
#include "render/export/export.h"
#include "render/export/series/points.h"
#include "render/safe.h"

#include <inttypes.h>
#include <string.h>

/* Some spreadsheets skip spaces first, and in some languages the wide forms count as well. */
static bool looks_like_formula(const char *text)
{
	static const char *const wide[] = { "\uff1d", "\uff0b", "\uff0d", "\uff20" };

	text += strspn(text, " \t\r\n\u00a0");
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (!strncmp(text, wide[i], strlen(wide[i])))
			return true;
	return *text && strchr("=+-@", *text);
}

/* RFC 4180: in quotes, and quotes doubled. */
static void write_field(FILE *out, const char *text)
{
	fputc('"', out);
	if (looks_like_formula(text))
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void write_value(FILE *out, bool known, int64_t value)
{
	if (known)
		fprintf(out, ",%" PRId64, value);
	else
		fputc(',', out);
}

static void write_event(FILE *out, const struct seep_run *run, const struct seep_stamp *stamp)
{
	if (stamp->event == SEEP_EVENT_NONE)
		fputs(",,", out);
	else
		fprintf(out, ",%" PRId64 ",%" PRId64, run->events[stamp->event].number,
			run->events[stamp->event].index);
}

static void write_counters(FILE *out, const struct seep_run *run, const struct seep_stamp *stamp)
{
	bool begin = stamp->flags & SEEP_STAMP_BEGIN;

	for (size_t i = 0; i < run->n_counters; i++)
		fprintf(out, ",%s", begin ? seep_emitter_digits(
				run->counters[i].values[stamp->event]).text : "");
}

static void write_stamp(FILE *out, const struct seep_run *run, const struct seep_stamp *stamp,
			const char *name)
{
	bool rss = stamp->flags & SEEP_STAMP_RSS, heap = stamp->flags & SEEP_STAMP_HEAP;

	fprintf(out, "%.9f", (double)stamp->t_ns * 1e-9);
	write_event(out, run, stamp);
	fputc(',', out);
	write_field(out, name);
	write_value(out, rss, stamp->vm_bytes);
	write_value(out, rss, stamp->rss_bytes);
	write_value(out, heap, stamp->live_bytes);
	write_value(out, heap, stamp->live_blocks);
	write_value(out, heap, stamp->tracker_bytes);
	write_counters(out, run, stamp);
	fputs("\r\n", out);
}

static void write_header(const struct seep_view *view)
{
	fputs("seconds,event,index,stamp,vm_bytes,rss_bytes,live_bytes,live_blocks,tracker_bytes",
	      view->out);
	for (size_t i = 0; i < view->run->n_counters; i++) {
		fputc(',', view->out);
		write_field(view->out, seep_safe_text(view->arena, view->run->counters[i].name));
	}
	fputs("\r\n", view->out);
}

static int write_csv(const struct seep_view *view, struct seep_err *err)
{
	const struct seep_run *run = view->run;
	const char **names = seep_arena_array(view->arena, run->n_names, sizeof(*names));

	(void)err;
	for (size_t i = 0; i < run->n_names; i++)
		names[i] = seep_safe_text(view->arena, run->names[i]);
	write_header(view);
	for (size_t i = 0; i < run->n_stamps; i++) {
		const struct seep_stamp *stamp = &run->stamps[i];

		write_stamp(view->out, run, stamp,
			    stamp->name ? names[stamp->name] : seep_points_name(run, stamp));
	}
	return 0;
}

const struct seep_export_format seep_export_csv = {
	.name = "csv",
	.what = "a spreadsheet: one line per stamp",
	.write = write_csv,
};
