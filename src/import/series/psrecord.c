/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs of psrecord, plain or CSV: elapsed seconds, and memory in MiB, which psrecord calls MB. */
#include "import/series/samples.h"

#include "import/quantity.h"

#include <errno.h>
#include <string.h>

#define MIB 1048576.0

static const char plain[] = "# Elapsed time", csv[] = "elapsed_time,";

static bool recognise(const struct seep_import_head *head)
{
	return seep_import_begins(head, plain) || seep_import_begins(head, csv);
}

/* The column names of a plain log contain blanks, but its columns are always the same. */
static int read_plain_columns(struct seep_samples *samples, struct seep_err *err)
{
	static const char *const names[] = { "elapsed_time", "cpu", "mem_real", "mem_virtual",
					     "mem_uss" };
	char *line;
	size_t n;
	int rc = seep_source_line(samples->source, &line, &n, err);

	if (rc <= 0)
		return rc ? rc : -ENODATA;
	samples->n_columns = strstr(line, "USS") ? 5 : 4;
	memcpy(samples->columns, names, sizeof(names));
	return 0;
}

static int read_rows(struct seep_samples *samples, struct seep_err *err)
{
	int time = seep_samples_find(samples, "elapsed_time");
	int real = seep_samples_find(samples, "mem_real");
	int virtual = seep_samples_find(samples, "mem_virtual");
	double seconds;
	int rc;

	if (time < 0 || real < 0)
		return seep_source_refuse(samples->source, ENODATA, err, "there is no mem_real "
					  "column");
	while ((rc = seep_samples_next(samples, err)) > 0) {
		struct seep_compose_at at = { .has_rss = true };

		rc = seep_samples_number(samples, time, &seconds, err);
		if (!rc)
			rc = seep_samples_bytes(samples, real, MIB, &at.rss_bytes, err);
		if (!rc && virtual >= 0)
			rc = seep_samples_bytes(samples, virtual, MIB, &at.vm_bytes, err);
		if (rc)
			return rc;
		if (!seep_quantity_seconds(seconds, &at.t_ns))
			return seep_source_refuse(samples->source, ERANGE, err, "an impossible "
						  "time");
		seep_samples_tell(samples, &at);
	}
	return rc;
}

static int read_psrecord(struct seep_import *import, struct seep_source *source,
			 struct seep_err *err)
{
	struct seep_samples *samples = seep_arena_alloc(&import->arena, sizeof(*samples));
	const unsigned char *head;
	size_t bytes;
	bool is_plain;
	int rc;

	head = seep_source_head(source, &bytes);
	is_plain = bytes && *head == '#';
	seep_samples_begin(samples, import, source, is_plain ? ' ' : ',');
	rc = is_plain ? read_plain_columns(samples, err) : seep_samples_read_columns(samples, err);
	if (!rc)
		rc = read_rows(samples, err);
	return rc ? rc : seep_samples_finish(samples, err);
}

const struct seep_import_format seep_import_psrecord = {
	.name = "a psrecord log",
	.recognise = recognise,
	.read = read_psrecord,
};
