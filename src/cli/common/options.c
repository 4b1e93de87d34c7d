/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit size_units[] = {
	{ "", 1 }, { "B", 1 },
	{ "k", 1e3 }, { "kB", 1e3 }, { "M", 1e6 }, { "MB", 1e6 },
	{ "G", 1e9 }, { "GB", 1e9 }, { "T", 1e12 }, { "TB", 1e12 },
	{ "KiB", 1024.0 }, { "MiB", 1048576.0 }, { "GiB", 1073741824.0 },
	{ "TiB", 1099511627776.0 },
	{ NULL, 0 },
};

static const struct unit duration_units[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	{ "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 },
	{ NULL, 0 },
};

/* False unless text is a number with one of the units, from 0 to what fits int64. */
static bool parse_number(const char *text, const struct unit *units, double *value)
{
	char *end;
	double number;

	number = strtod(text, &end);
	/* No hexadecimal numbers, exponents, signs or names of infinity. */
	if (end == text || (size_t)(end - text) != strspn(text, "0123456789."))
		return false;
	while (*end == ' ')
		end++;
	for (; units->name; units++) {
		if (strcasecmp(units->name, end))
			continue;
		*value = number * units->factor;
		return *value >= 0 && *value <= 9e18;
	}
	return false;
}

static bool parse(const char *text, const struct unit *units, int64_t *value)
{
	double number;

	if (!parse_number(text, units, &number) || number < 1)
		return false;
	*value = (int64_t)number;
	return true;
}

int seep_options_size(const char *option, const char *text, const char *examples, int64_t *bytes,
		      struct seep_err *err)
{
	if (parse(text, size_units, bytes))
		return 0;
	return seep_err_set(err, EINVAL, "%s: '%.100s' is not a size; write it as %s", option, text,
			    examples);
}

/* False unless text is one of the words that may follow the slash of a budget. */
static bool parse_per(const char *text, bool *per_second)
{
	static const char *const seconds[] = { "s", "sec", "second" };

	*per_second = false;
	if (!strcasecmp(text, "event"))
		return true;
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		*per_second = *per_second || !strcasecmp(text, seconds[i]);
	return *per_second;
}

int seep_options_budget(const char *option, const char *text, struct seep_budget *budget,
			struct seep_err *err)
{
	size_t n = strcspn(text, "/");
	const char *per = text[n] ? text + n + 1 : "event";
	char size[64];

	while (n && text[n - 1] == ' ')
		n--;
	per += strspn(per, " ");
	snprintf(size, sizeof(size), "%.*s", (int)n, text);
	if (n < sizeof(size) && parse_number(size, size_units, &budget->bytes) &&
	    parse_per(per, &budget->per_second))
		return 0;
	return seep_err_set(err, EINVAL, "%s: '%.100s' is not a valid budget; write it as "
			    "64kB/event, 1MiB/s or 0", option, text);
}

int seep_options_share(const char *option, const char *text, int64_t whole, int64_t *bytes,
		       struct seep_err *err)
{
	static const struct unit percent[] = { { "%", 1e6 }, { NULL, 0 } };
	int64_t share;

	if (parse(text, size_units, bytes))
		return 0;
	if (!parse(text, percent, &share) || share > 100000000)
		return seep_err_set(err, EINVAL, "%s: '%.100s' is neither a size nor a percentage; "
				    "write it as 64MB or 10%%", option, text);
	*bytes = (int64_t)((double)whole * (double)share / 1e8);
	return 0;
}

int seep_options_duration(const char *text, int64_t *ns, struct seep_err *err)
{
	if (parse(text, duration_units, ns))
		return 0;
	return seep_err_set(err, EINVAL, "'%.100s' is not a duration; write it as 100ms or 1s",
			    text);
}

static bool has_no_unit(const char *duration)
{
	return *duration && !duration[strspn(duration, "0123456789.")];
}

int seep_options_event(const char *text, enum seep_trace_ticks *ticks, int64_t *tick_ns,
		       struct seep_err *err)
{
	if (!strcmp(text, "api")) {
		*ticks = SEEP_TICKS_OFF;
		return 0;
	}
	if (strncmp(text, "time:", 5))
		return seep_err_set(err, EINVAL, "--event: '%.100s' is not a valid event source; "
				    "write api or time:100ms", text);
	if (has_no_unit(text + 5))
		return seep_err_set(err, EINVAL, "--event: '%.100s' has no unit; write %.100sms or "
				    "%.100ss",
				    text, text, text);
	*ticks = SEEP_TICKS_ONLY;
	return seep_options_duration(text + 5, tick_ns, err);
}

int seep_options_count(const char *text, const char *what, size_t *count, struct seep_err *err)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || !value)
		return seep_err_set(err, EINVAL, "'%.100s' is not a valid %s; it must be 1 or more",
				    text, what);
	*count = value;
	return 0;
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

size_t seep_options_distance(const char *a, const char *b)
{
	size_t row[32];
	size_t n = strlen(b);

	if (n >= sizeof(row) / sizeof(row[0]))
		return n;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 1; j <= n; j++) {
			size_t above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[n];
}

int seep_options_set_moment(void *field, const char *value, struct seep_err *err)
{
	uint64_t *at_event = field;
	size_t number = 0;
	int rc;

	*at_event = SEEP_ANALYSIS_END;
	if (!strcmp(value, "end"))
		return 0;
	rc = seep_options_count(value, "event number", &number, err);
	*at_event = number;
	return rc;
}

int seep_options_set_trace(void *field, const char *value, struct seep_err *err)
{
	if (!strcmp(value, "-"))
		return seep_err_set(err, EINVAL, "-o -: a trace cannot be written to standard "
				    "output; name a file");
	*(const char **)field = value;
	return 0;
}

int seep_options_set_output(void *field, const char *value, struct seep_err *err)
{
	(void)err;
	*(const char **)field = strcmp(value, "-") ? value : NULL;
	return 0;
}

int seep_options_ignore(void *field, const char *value, struct seep_err *err)
{
	(void)field;
	(void)value;
	(void)err;
	return 0;
}

int seep_options_set_limit(void *field, const char *value, struct seep_err *err)
{
	return seep_options_size("--limit", value, "500MB or 2GiB", field, err);
}

int seep_options_set_material(void *field, const char *value, struct seep_err *err)
{
	if (parse_number(value, size_units, field))
		return 0;
	return seep_err_set(err, EINVAL, "--material: '%.100s' is not a size; write it as 4kB or "
			    "1MiB, or 0 for the default", value);
}

int seep_options_set_unit(void *field, const char *value, struct seep_err *err)
{
	char one[64];

	snprintf(one, sizeof(one), "1%s", value);
	if (parse(value, size_units, field) || (value[0] && parse(one, size_units, field)))
		return 0;
	return seep_err_set(err, EINVAL, "--unit: '%.100s' is not a unit; write it as KiB, kB or "
			    "MiB, or as a number of bytes", value);
}

int seep_options_set_event_number(void *field, const char *value, struct seep_err *err)
{
	return seep_options_count(value, "event number", field, err);
}

int seep_options_set_events(void *field, const char *value, struct seep_err *err)
{
	return seep_options_count(value, "number of events", field, err);
}

const char *seep_options_unit_value(size_t i)
{
	static const char *const units[] = { "B", "kB", "KiB", "MB", "MiB", NULL };

	return units[i];
}
