/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/series/samples.h"

#include "import/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define UNEVEN_LEAST 8           /* fewest intervals to judge */
#define UNEVEN_PART 10           /* uneven if more than one interval in so many is long */
#define SLACK_NS ((int64_t)1000000000) /* rounding error of clocks that count seconds */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t split_blanks(char *text, char **fields, size_t max)
{
	size_t n = 0;

	while (n < max) {
		while (is_blank(*text))
			*text++ = 0;
		if (!*text)
			break;
		fields[n++] = text;
		while (*text && !is_blank(*text))
			text++;
	}
	return n;
}

size_t seep_samples_split(char *text, char separator, char **fields, size_t max)
{
	size_t n = 0;

	if (separator == ' ')
		return split_blanks(text, fields, max);
	while (text && n < max) {
		fields[n++] = text;
		text = strchr(text, separator);
		if (text)
			*text++ = 0;
	}
	return n;
}

void seep_samples_begin(struct seep_samples *samples, struct seep_import *import,
			struct seep_source *source, char separator)
{
	memset(samples, 0, sizeof(*samples));
	samples->import = import;
	samples->source = source;
	samples->separator = separator;
	seep_compose_ticks(&import->compose);
}

int seep_samples_read_columns(struct seep_samples *samples, struct seep_err *err)
{
	char *line, *fields[SEEP_SAMPLES_COLUMNS];
	size_t n;
	int rc = seep_source_line(samples->source, &line, &n, err);

	if (rc <= 0)
		return rc ? rc : seep_source_refuse(samples->source, ENODATA, err, "the file is "
						    "empty");
	samples->n_columns = seep_samples_split(line, samples->separator, fields,
						SEEP_SAMPLES_COLUMNS);
	if (samples->n_columns == SEEP_SAMPLES_COLUMNS)
		return seep_source_refuse(samples->source, E2BIG, err, "more than %d columns",
					  SEEP_SAMPLES_COLUMNS - 1);
	for (size_t i = 0; i < samples->n_columns; i++)
		samples->columns[i] = seep_arena_copy(&samples->import->arena, fields[i],
						      strlen(fields[i]));
	return 0;
}

int seep_samples_find(const struct seep_samples *samples, const char *name)
{
	for (size_t i = 0; i < samples->n_columns; i++)
		if (!strcmp(samples->columns[i], name))
			return (int)i;
	return -1;
}

/* The writer may have been killed in the middle of the last line. */
static int skip_cut_row(struct seep_samples *samples, size_t n, struct seep_err *err)
{
	struct seep_err wrong = { 0 }, ignored = { 0 };
	char *line;
	size_t bytes;

	seep_source_refuse(samples->source, EBADMSG, &wrong, "the line has %zu fields, but the "
			   "table has %zu columns", n, samples->n_columns);
	if (n < samples->n_columns &&
	    !seep_source_line(samples->source, &line, &bytes, &ignored)) {
		seep_compose_note(&samples->import->compose, "the last line of the file is "
				  "truncated and was left out");
		return 0;
	}
	return seep_err_set(err, wrong.code, "%s", wrong.text);
}

int seep_samples_next(struct seep_samples *samples, struct seep_err *err)
{
	size_t bytes, n;
	char *line;
	int rc;

	do {
		rc = seep_source_whole_line(samples->source, &line, &bytes, err);
	} while (rc > 0 && !bytes);
	if (rc <= 0)
		return rc;
	n = seep_samples_split(line, samples->separator, samples->fields, SEEP_SAMPLES_COLUMNS);
	return n == samples->n_columns ? 1 : skip_cut_row(samples, n, err);
}

static int refuse_field(const struct seep_samples *samples, int column, struct seep_err *err)
{
	return seep_source_refuse(samples->source, EBADMSG, err, "%.60s has the impossible value "
				  "'%.60s'", samples->columns[column], samples->fields[column]);
}

int seep_samples_number(const struct seep_samples *samples, int column, double *value,
			struct seep_err *err)
{
	const char *field = samples->fields[column];

	if (!seep_quantity_decimal(field, strlen(field), value) || *value < 0)
		return refuse_field(samples, column, err);
	return 0;
}

int seep_samples_bytes(const struct seep_samples *samples, int column, double unit_bytes,
		       int64_t *bytes, struct seep_err *err)
{
	double value;
	int rc = seep_samples_number(samples, column, &value, err);

	if (!rc && !seep_quantity_bytes_decimal(value, unit_bytes, bytes))
		rc = refuse_field(samples, column, err);
	return rc;
}

/* The last interval does not count: as the program ends, it is not sampled on time. */
static void measure_distance(struct seep_samples *samples, int64_t t_ns)
{
	int64_t distance = t_ns - samples->last_ns;

	if (samples->n > 1 && samples->last_ns > 0) {
		if (distance > 2 * samples->shortest_ns + SLACK_NS && samples->shortest_ns)
			samples->n_long++;
		if (distance > 0 && (!samples->shortest_ns || distance < samples->shortest_ns))
			samples->shortest_ns = distance;
	}
	samples->last_ns = t_ns;
}

void seep_samples_tell(struct seep_samples *samples, struct seep_compose_at *at)
{
	at->t_ns = seep_timeline_next(&samples->timeline, at->t_ns,
				      seep_source_line_number(samples->source));
	measure_distance(samples, at->t_ns);
	seep_compose_event(&samples->import->compose, (int64_t)samples->n++, at);
}

bool seep_samples_are_uneven(const struct seep_samples *samples)
{
	return samples->n > UNEVEN_LEAST && samples->n_long * UNEVEN_PART > samples->n;
}

int seep_samples_finish(struct seep_samples *samples, struct seep_err *err)
{
	if (!samples->n)
		return seep_err_set(err, ENODATA, "%s: the file has no samples",
				    seep_source_path(samples->source));
	seep_timeline_note(&samples->timeline, &samples->import->compose, "line");
	return 0;
}
