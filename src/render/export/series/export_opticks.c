/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * G4OpticksProfilePlot.npy: one row per event, with seconds since midnight, VM, RSS and 0.  Its
 * megabytes are 1000 times 1024 bytes.
 */
#include "render/export/export.h"
#include "render/export/series/npy_write.h"
#include "render/export/series/points.h"

#include <time.h>

#define MB 1024000.0

/* In local time, like the original. */
static float seconds_of_day(int64_t us)
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm wall = { 0 };

	localtime_r(&seconds, &wall);
	return (float)(wall.tm_hour * 3600 + wall.tm_min * 60 + wall.tm_sec +
		       (double)(us % 1000000) * 1e-6);
}

static int write_opticks(const struct seep_view *view, struct seep_err *err)
{
	struct seep_points points = seep_points_of(view->run);
	const struct seep_stamp *stamp;
	size_t rows = 0;
	int rc = seep_points_need(view, "opticks-profile", err);

	if (rc)
		return rc;
	while (seep_points_next(&points))
		rows++;
	seep_npy_begin(view->out, SEEP_NPY_FLOAT32, rows, 4);
	points = seep_points_of(view->run);
	while ((stamp = seep_points_next(&points))) {
		seep_npy_float32(view->out, seconds_of_day(seep_points_us(view->run, stamp)));
		seep_npy_float32(view->out, (float)((double)stamp->vm_bytes / MB));
		seep_npy_float32(view->out, (float)((double)stamp->rss_bytes / MB));
		seep_npy_float32(view->out, 0);
	}
	return 0;
}

const struct seep_export_format seep_export_opticks = {
	.name = "opticks-profile",
	.what = "old versions of Opticks: G4OpticksProfilePlot.npy",
	.binary = true,
	.write = write_opticks,
};
