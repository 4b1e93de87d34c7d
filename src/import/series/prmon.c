/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prmon.txt: samples of a process tree.  Which columns there are, and in which order, differs
 * from file to file.
 *
 * The memory is pss + swap: RSS counts shared pages once per process, and falls when the kernel
 * swaps.
 */
#include "import/series/samples.h"

#include "import/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define KIB 1024.0

enum { PSS, RSS, SWAP, VMEM, MEMORIES };

static const char *const memories[MEMORIES] = { "pss", "rss", "swap", "vmem" };

/* Whether the first line has this word, with blanks around it. */
static bool has_column(const struct seep_import_head *head, const char *name)
{
	const unsigned char *end = memchr(head->data, '\n', head->bytes), *at = head->data;
	size_t n = strlen(name);

	for (; end && at + n <= end; at++) {
		if (memcmp(at, name, n) || (at > head->data && at[-1] != '\t'))
			continue;
		if (at[n] == '\t' || at[n] == '\n' || at[n] == '\r')
			return true;
	}
	return false;
}

static bool recognise(const struct seep_import_head *head)
{
	if (!has_column(head, "Time"))
		return false;
	for (size_t i = 0; i < MEMORIES; i++)
		if (has_column(head, memories[i]))
			return true;
	return has_column(head, "wtime");
}

/* The index of each column; -1: missing. */
struct table {
	struct seep_samples samples;
	int time, memory[MEMORIES];
	uint32_t names[MEMORIES];
	uint64_t n_empty;
};

static int find_columns(struct table *table, struct seep_err *err)
{
	struct seep_samples *samples = &table->samples;
	int rc = seep_samples_read_columns(samples, err);

	if (rc)
		return rc;
	table->time = seep_samples_find(samples, "Time");
	if (table->time < 0)
		return seep_source_refuse(samples->source, ENODATA, err, "there is no Time column");
	for (size_t i = 0; i < MEMORIES; i++) {
		table->memory[i] = seep_samples_find(samples, memories[i]);
		if (table->memory[i] >= 0 && i != VMEM)
			table->names[i] = seep_compose_name(&samples->import->compose, memories[i],
							    strlen(memories[i]));
	}
	if (table->memory[PSS] < 0 && table->memory[RSS] < 0)
		return seep_source_refuse(samples->source, ENODATA, err, "there is no pss and no "
					  "rss column: prmon did not record memory");
	return 0;
}

/* Compressed files may have holes. */
static bool is_empty(const struct table *table)
{
	for (size_t i = 0; i < MEMORIES; i++)
		if (table->memory[i] >= 0 && !*table->samples.fields[table->memory[i]])
			return true;
	return false;
}

static int read_row(struct table *table, struct seep_err *err)
{
	struct seep_samples *samples = &table->samples;
	struct seep_compose_at at = { .has_rss = true };
	int64_t bytes[MEMORIES] = { 0 };
	double seconds;
	int rc = seep_samples_number(samples, table->time, &seconds, err);

	for (size_t i = 0; i < MEMORIES && !rc; i++)
		if (table->memory[i] >= 0)
			rc = seep_samples_bytes(samples, table->memory[i], KIB, &bytes[i], err);
	if (rc)
		return rc;
	if (!seep_quantity_seconds(seconds, &at.t_ns))
		return seep_source_refuse(samples->source, ERANGE, err, "an impossible time");
	if (!samples->n)
		seep_compose_started(&samples->import->compose, at.t_ns);
	at.rss_bytes = table->memory[PSS] < 0 ? bytes[RSS] :
		       bytes[PSS] + (table->memory[SWAP] < 0 ? 0 : bytes[SWAP]);
	at.vm_bytes = bytes[VMEM];
	seep_samples_tell(samples, &at);
	for (size_t i = 0; i < MEMORIES; i++)
		if (table->names[i])
			seep_compose_gauge(&samples->import->compose, table->names[i], bytes[i],
					   at.t_ns);
	return 0;
}

static int finish(struct table *table, struct seep_err *err)
{
	struct seep_compose *c = &table->samples.import->compose;
	int rc = seep_samples_finish(&table->samples, err);

	if (rc)
		return rc;
	if (table->memory[PSS] >= 0)
		seep_compose_note(c, "RSS is %s summed over all processes",
				  table->memory[SWAP] >= 0 ? "pss + swap" : "pss");
	else
		seep_compose_note(c, "RSS is the sum over all processes, which counts shared pages "
				  "more than once");
	if (table->n_empty || seep_samples_are_uneven(&table->samples))
		seep_compose_note(c, "the samples are not evenly spaced, as after "
				  "prmon_compress_output.py: the samples it dropped are missing, "
				  "so the interval may be too narrow; use the original file");
	if (table->n_empty)
		seep_compose_note(c, "%" PRIu64 " rows without memory were left out",
				  table->n_empty);
	return 0;
}

static int read_prmon(struct seep_import *import, struct seep_source *source,
		      struct seep_err *err)
{
	struct table *table = seep_arena_alloc(&import->arena, sizeof(*table));
	int rc;

	seep_samples_begin(&table->samples, import, source, '\t');
	rc = find_columns(table, err);
	while (!rc && (rc = seep_samples_next(&table->samples, err)) > 0) {
		if (is_empty(table)) {
			table->n_empty++;
			rc = 0;
		} else {
			rc = read_row(table, err);
		}
	}
	return rc ? rc : finish(table, err);
}

const struct seep_import_format seep_import_prmon = {
	.name = "prmon samples (prmon.txt)",
	.recognise = recognise,
	.read = read_prmon,
};
