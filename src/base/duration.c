/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/duration.h"

#include <math.h>
#include <stdio.h>

static void format_two(struct seep_duration_text *size, double first, const char *first_name,
		       double second, const char *second_name)
{
	if (second >= 1)
		snprintf(size->text, sizeof(size->text), "%.0f %s %.0f %s", first, first_name,
			 second, second_name);
	else
		snprintf(size->text, sizeof(size->text), "%.0f %s", first, first_name);
}

struct seep_duration_text seep_duration_format(double seconds)
{
	struct seep_duration_text size;
	double minutes = floor(seconds / 60);
	double hours = floor(seconds / 3600);
	double days = floor(seconds / 86400);

	if (!isfinite(seconds) || seconds > 1e5 * 86400)
		snprintf(size.text, sizeof(size.text), seconds > 0 ? "years" : "unknown");
	else if (fabs(seconds) < 0.00995)
		snprintf(size.text, sizeof(size.text), "%.2g ms", seconds * 1000);
	else if (seconds < 0.9995)
		snprintf(size.text, sizeof(size.text), "%.0f ms", seconds * 1000);
	else if (seconds < 9.95)
		snprintf(size.text, sizeof(size.text), "%.1f s", seconds);
	else if (seconds < 99.5)
		snprintf(size.text, sizeof(size.text), "%.0f s", seconds);
	else if (hours < 1)
		format_two(&size, minutes, "m", floor(seconds - minutes * 60), "s");
	else if (days < 2)
		format_two(&size, hours, "h", floor((seconds - hours * 3600) / 60), "m");
	else
		format_two(&size, days, "d", floor((seconds - days * 86400) / 3600), "h");
	return size;
}
