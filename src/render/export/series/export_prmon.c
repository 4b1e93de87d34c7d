/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prmon.txt as HSF's prmon writes it and its plots read it: named columns of whole numbers, in
 * kB of 1024 bytes.  Its time is in whole seconds and increases from row to row, so only the
 * first event of a second is written.
 */
#include "render/export/export.h"
#include "render/export/series/points.h"

#include <inttypes.h>

static int write_prmon(const struct seep_view *view, struct seep_err *err)
{
	const struct seep_run *run = view->run;
	struct seep_points points = seep_points_of(run);
	const struct seep_stamp *stamp;
	int64_t last = -1;
	int rc = seep_points_need(view, "prmon", err);

	if (rc)
		return rc;
	fputs("Time\twtime\tvmem\trss\n", view->out);
	while ((stamp = seep_points_next(&points))) {
		int64_t seconds = seep_points_us(run, stamp) / 1000000;

		if (seconds <= last)
			continue;
		fprintf(view->out, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", seconds,
			seconds - run->started_real_ns / 1000000000, stamp->vm_bytes / 1024,
			stamp->rss_bytes / 1024);
		last = seconds;
	}
	return 0;
}

const struct seep_export_format seep_export_prmon = {
	.name = "prmon",
	.what = "HSF prmon, PanDA: prmon.txt, at most one row per second",
	.write = write_prmon,
};
