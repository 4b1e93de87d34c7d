/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/sizes.h"

#include "base/duration.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct seep_size_text seep_size_format(double bytes)
{
	struct seep_size_unit unit = seep_size_unit_for(bytes);
	struct seep_size_text size;

	if (!isfinite(bytes)) {
		snprintf(size.text, sizeof(size.text), "unknown");
		return size;
	}
	if (fabs(bytes) < 0.005)
		unit.decimals = 0;
	snprintf(size.text, sizeof(size.text), "%.20s %s", seep_size_in(unit, bytes).text,
		 unit.name);
	return size;
}

struct seep_size_text seep_size_count(double n)
{
	struct seep_size_text size;

	if (!isfinite(n))
		snprintf(size.text, sizeof(size.text), "unknown");
	else if (fabs(n) < 0.005)
		snprintf(size.text, sizeof(size.text), "%.2g", n);
	else if (fabs(n) < 99.95 && fabs(n - nearbyint(n)) > 0.005)
		snprintf(size.text, sizeof(size.text), "%.*f", seep_size_decimals(n, 3), n);
	else
		snprintf(size.text, sizeof(size.text), "%.0f", n);
	return size;
}

struct seep_size_text seep_size_percent(double share)
{
	struct seep_size_text size;
	double percent = share * 100;

	if (!isfinite(share))
		snprintf(size.text, sizeof(size.text), "-");
	else if (percent != 0 && fabs(percent) < 0.5)
		snprintf(size.text, sizeof(size.text), "<1 %%");
	else
		snprintf(size.text, sizeof(size.text), "%.0f %%", percent);
	return size;
}

struct seep_size_text seep_size_duration(double seconds)
{
	struct seep_size_text size;

	snprintf(size.text, sizeof(size.text), "%s", seep_duration_format(seconds).text);
	return size;
}

/* False if rounding makes the two ends of an interval look the same. */
static bool tells_apart(struct seep_size_unit unit, double low, double high)
{
	return low >= high || strcmp(seep_size_in(unit, low).text, seep_size_in(unit, high).text);
}

struct seep_size_pair seep_size_interval(double value, double low, double high)
{
	struct seep_size_pair pair;
	struct seep_size_unit unit = seep_size_unit_for(value);

	/* If the value is small compared with the interval, use the unit of the larger end. */
	if (fabs(value) < 0.1 * fmax(fabs(low), fabs(high)))
		unit = seep_size_unit_for(fmax(fabs(low), fabs(high)));
	for (int digits = 4; digits <= 5 && !tells_apart(unit, low, high); digits++) {
		struct seep_size_unit finer = unit;

		finer.decimals = seep_size_decimals(value / unit.bytes, digits);
		if (tells_apart(finer, low, high))
			unit = finer;
	}
	snprintf(pair.value, sizeof(pair.value), "%.40s %s", seep_size_in(unit, value).text,
		 unit.name);
	snprintf(pair.interval, sizeof(pair.interval), "%.28s, %.28s",
		 seep_size_in(unit, low).text, seep_size_in(unit, high).text);
	return pair;
}
