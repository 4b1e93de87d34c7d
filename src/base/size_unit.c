/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/size_unit.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const char *const unit_names[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };

int seep_size_decimals(double x, int digits)
{
	int decimals = digits - 1;

	x = fabs(x);
	while (decimals > 0 && x >= 10 - 0.5 * pow(10, -decimals)) {
		x /= 10;
		decimals--;
	}
	return decimals;
}

enum { TB = 4, PB, EB };

/* Numbers from byte_limit bytes, or from unit_limit of a larger unit, take the next unit. */
static struct seep_size_unit find_unit(double bytes, double byte_limit, double unit_limit,
				       size_t largest)
{
	struct seep_size_unit unit = { 1, unit_names[0], 0 };
	double x = fabs(bytes);
	size_t i = 0;

	while (i < largest && x >= (i ? unit_limit : byte_limit)) {
		x /= 1000;
		unit.bytes *= 1000;
		i++;
	}
	unit.name = unit_names[i];
	return unit;
}

struct seep_size_unit seep_size_unit_for_words(double bytes)
{
	return find_unit(bytes, 9999.5, 999.5, PB);
}

struct seep_size_unit seep_size_unit_for(double bytes)
{
	struct seep_size_unit unit = find_unit(bytes, 9999.5, 999.5, EB);
	double x = fabs(bytes) / unit.bytes;

	if (unit.bytes > 1 || x != floor(x))
		unit.decimals = seep_size_decimals(x, 3);
	return unit;
}

struct seep_size_text seep_size_in(struct seep_size_unit unit, double bytes)
{
	struct seep_size_text size;
	double x = bytes / unit.bytes;

	/* No "-0.00". */
	if (fabs(x) < 0.5 * pow(10, -unit.decimals))
		x = 0;
	snprintf(size.text, sizeof(size.text), "%.*f", unit.decimals, x);
	return size;
}

struct seep_size_text seep_size_chosen(double bytes)
{
	struct seep_size_unit unit = find_unit(bytes, 1000, 1000, TB);
	struct seep_size_text size;

	snprintf(size.text, sizeof(size.text), "%.4g %s", bytes / unit.bytes, unit.name);
	return size;
}
