/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every stamp a line: for a spreadsheet, and for whoever has a program of his own. */
#include "render/export.h"

#include <inttypes.h>

/* RFC 4180: in quotes where it must be, quotes doubled. */
static void write_field(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static const char *name_of(const struct seep_run *run, const struct seep_stamp *stamp)
{
	if (stamp->flags & SEEP_STAMP_BEGIN)
		return "begin";
	if (stamp->flags & SEEP_STAMP_END)
		return "end";
	return run->names[stamp->name];
}

static void write_value(FILE *out, bool known, int64_t value)
{
	if (known)
		fprintf(out, ",%" PRId64, value);
	else
		fputc(',', out);
}

static void write_stamp(FILE *out, const struct seep_run *run, const struct seep_stamp *stamp)
{
	bool in_event = stamp->event != SEEP_EVENT_NONE;
	bool rss = stamp->flags & SEEP_STAMP_RSS, heap = stamp->flags & SEEP_STAMP_HEAP;

	fprintf(out, "%.9f", (double)stamp->t_ns * 1e-9);
	write_value(out, in_event, in_event ? run->events[stamp->event].number : 0);
	fputc(',', out);
	write_field(out, name_of(run, stamp));
	write_value(out, rss, stamp->vm_bytes);
	write_value(out, rss, stamp->rss_bytes);
	write_value(out, heap, stamp->live_bytes);
	write_value(out, heap, stamp->live_blocks);
	write_value(out, heap, stamp->tracker_bytes);
	fputs("\r\n", out);
}

static int write_csv(const struct seep_view *view, struct seep_err *err)
{
	(void)err;
	fputs("seconds,event,stamp,vm_bytes,rss_bytes,live_bytes,live_blocks,tracker_bytes\r\n",
	      view->out);
	for (size_t i = 0; i < view->run->n_stamps; i++)
		write_stamp(view->out, view->run, &view->run->stamps[i]);
	return 0;
}

const struct seep_export_format seep_export_csv = {
	.name = "csv",
	.what = "a spreadsheet: every stamp a line",
	.write = write_csv,
};
