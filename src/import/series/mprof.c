/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles of mprof (memory_profiler): samples of memory, and calls of watched functions.
 *
 *	CMDLINE python job.py
 *	MEM <MiB> <seconds since the epoch>
 *	FUNC <name> <MiB> <seconds> <MiB> <seconds> <level>   at the start, at the end
 *
 * The calls come after the samples, so everything is kept and sorted by time.  If a function was
 * called often enough, each call is an event; otherwise the samples are time slices.
 */
#include "import/quantity.h"
#include "import/series/command_line.h"
#include "import/series/samples.h"

#include "base/sort.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MIB 1048576.0
#define FIELDS_MAX 8
#define SAMPLES_MAX ((size_t)1 << 20) /* beyond that, every second one is dropped */
#define CALLS_MAX ((size_t)1 << 19)
#define NAMES_MAX 4096u
#define CALLS_LEAST 3            /* calls of a function, to be the event */
#define CALLS_ENOUGH 10          /* ... to be preferred to the functions that it calls */

enum moment_kind { SAMPLE, CALL, RETURN };

struct moment {
	int64_t t_ns, bytes;
	uint32_t name;           /* of the function */
	uint32_t kind;           /* enum moment_kind */
};

struct function {
	uint64_t calls;
	double level;            /* the smallest number of watched functions above it */
	const char *name;
	uint32_t end;            /* the name of the stamp at its end */
};

struct profile {
	struct seep_import *import;
	struct seep_source *source;
	struct seep_table samples, calls, functions;
	uint64_t stride, n_samples; /* one sample in stride is kept, of n_samples */
	uint64_t n_children, n_failed, n_dropped;
	bool commanded;
};

static bool recognise(const struct seep_import_head *head)
{
	return seep_import_begins(head, "CMDLINE ") ||
	       seep_import_begins(head, "MEM ") || seep_import_begins(head, "FUNC ");
}

/* Memory and time, in this order, as two fields. */
static bool parse_moment(char *const *fields, struct moment *moment)
{
	double mib, seconds;

	return seep_quantity_decimal(fields[0], strlen(fields[0]), &mib) &&
	       seep_quantity_decimal(fields[1], strlen(fields[1]), &seconds) &&
	       seep_quantity_seconds(seconds, &moment->t_ns) &&
	       seep_quantity_bytes_decimal(mib, MIB, &moment->bytes);
}

static void halve(struct seep_table *samples)
{
	struct moment *moments = samples->items;

	for (size_t i = 0; 2 * i < samples->n; i++)
		moments[i] = moments[2 * i];
	samples->n = (samples->n + 1) / 2;
}

static bool take_sample(struct profile *profile, char *const *fields, size_t n)
{
	struct moment moment = { .kind = SAMPLE };

	if (n < 3)
		return false;
	if (fields[1][0] == '-') { /* mprof could not read it */
		profile->n_failed++;
		return true;
	}
	if (!parse_moment(fields + 1, &moment))
		return false;
	if (profile->samples.n >= SAMPLES_MAX) {
		halve(&profile->samples);
		profile->stride *= 2;
	}
	if (profile->n_samples++ % profile->stride == 0)
		*(struct moment *)seep_table_add(&profile->samples) = moment;
	return true;
}

static uint32_t name_end(struct seep_compose *c, const char *name)
{
	char text[SEEP_TRACE_NAME_MAX];

	snprintf(text, sizeof(text), "%.1000s end", name);
	return seep_compose_name(c, text, strlen(text));
}

static bool take_call(struct profile *profile, char *const *fields, size_t n)
{
	struct moment call = { .kind = CALL }, back = { .kind = RETURN };
	struct seep_compose *c = &profile->import->compose;
	struct function *function;
	double level = 0;

	if (n < 6 || !parse_moment(fields + 2, &call) || !parse_moment(fields + 4, &back) ||
	    back.t_ns < call.t_ns ||
	    (n > 6 && !seep_quantity_decimal(fields[6], strlen(fields[6]), &level)))
		return false;
	if (profile->calls.n >= 2 * CALLS_MAX || c->names.n >= NAMES_MAX) {
		profile->n_dropped++;
		return true;
	}
	call.name = back.name = seep_compose_name(c, fields[1], strlen(fields[1]));
	function = seep_table_at(&profile->functions, call.name);
	if (!function->calls) {
		function->name = seep_arena_copy(&profile->import->arena, fields[1],
						 strlen(fields[1]));
		function->end = name_end(c, fields[1]);
	}
	if (!function->calls++ || level < function->level)
		function->level = level;
	*(struct moment *)seep_table_add(&profile->calls) = call;
	*(struct moment *)seep_table_add(&profile->calls) = back;
	return true;
}

/* Returns false if the line is damaged. */
static bool take_line(struct profile *profile, char *line)
{
	char *fields[FIELDS_MAX];
	size_t n;

	if (!strncmp(line, "CMDLINE ", 8)) {
		if (!profile->commanded)
			seep_command_line(profile->import, line + 8);
		profile->commanded = true;
		return true;
	}
	n = seep_samples_split(line, ' ', fields, FIELDS_MAX);
	if (n && !strcmp(fields[0], "MEM"))
		return take_sample(profile, fields, n);
	if (n && !strcmp(fields[0], "FUNC"))
		return take_call(profile, fields, n);
	profile->n_children += n && !strcmp(fields[0], "CHLD");
	return true;
}

static int read_lines(struct profile *profile, struct seep_err *err)
{
	char *line;
	size_t n;
	int rc;

	while ((rc = seep_source_whole_line(profile->source, &line, &n, err)) > 0) {
		struct seep_err wrong = { 0 }, ignored = { 0 };

		if (take_line(profile, line))
			continue;
		seep_source_refuse(profile->source, EBADMSG, &wrong, "an mprof line that is "
				   "truncated or has an impossible number: '%.60s'", line);
		if (seep_source_line(profile->source, &line, &n, &ignored))
			return seep_err_set(err, wrong.code, "%s", wrong.text);
		seep_compose_note(&profile->import->compose, "the last line of the file is "
				  "truncated and was left out");
	}
	return rc;
}

/* The outermost function that was called often enough; 0: none. */
static uint32_t find_event(const struct profile *profile, uint64_t least)
{
	const struct function *functions = profile->functions.items;
	uint32_t best = 0;

	for (uint32_t i = 1; i < profile->functions.n; i++)
		if (functions[i].calls >= least &&
		    (!best || functions[i].level < functions[best].level ||
		     (functions[i].level <= functions[best].level &&
		      functions[i].calls > functions[best].calls)))
			best = i;
	return best;
}

static int by_time(const void *a, const void *b)
{
	const struct moment *one = a, *two = b;

	return (one->t_ns > two->t_ns) - (one->t_ns < two->t_ns);
}

/* The moments include samples only if no function is the event. */
static void tell(struct profile *profile, const struct moment *moments, size_t n, uint32_t event)
{
	struct seep_compose *c = &profile->import->compose;
	const struct function *functions = profile->functions.items;
	uint64_t depth = 0;
	int64_t index = 0;

	for (size_t i = 0; i < n; i++) {
		const struct moment *m = &moments[i];
		struct seep_compose_at at = {
			.t_ns = m->t_ns - moments[0].t_ns,
			.has_rss = true,
			.vm_bytes = m->bytes,
			.rss_bytes = m->bytes,
		};

		if (m->kind == SAMPLE)
			seep_compose_event(c, index++, &at);
		else if (m->name != event)
			seep_compose_stamp(c, m->kind == CALL ? m->name : functions[m->name].end,
					   &at);
		else if (m->kind == CALL && !depth++)
			seep_compose_event(c, index++, &at);
		else if (m->kind == RETURN && depth && !--depth)
			seep_compose_event_end(c, &at);
	}
}

static void note(const struct profile *profile, uint32_t event)
{
	struct seep_compose *c = &profile->import->compose;

	if (event)
		seep_compose_note(c, "each call of '%.200s' is an event",
				  ((const struct function *)profile->functions.items)[event].name);
	if (profile->stride > 1 && !event)
		seep_compose_note(c, "one sample in %" PRIu64 " was read", profile->stride);
	if (profile->n_children)
		seep_compose_note(c, "the memory of child processes (%" PRIu64 " CHLD lines) was "
				  "left out", profile->n_children);
	if (profile->n_failed)
		seep_compose_note(c, "%" PRIu64 " samples were left out because mprof could not "
				  "read the memory", profile->n_failed);
	if (profile->n_dropped)
		seep_compose_note(c, "%" PRIu64 " calls were left out because there are too many",
				  profile->n_dropped);
}

static int compose(struct profile *profile, struct seep_err *err)
{
	struct seep_arena *arena = &profile->import->arena;
	uint32_t event = find_event(profile, CALLS_ENOUGH);
	const struct moment *samples = profile->samples.items;
	struct moment *moments;

	if (!event)
		event = find_event(profile, CALLS_LEAST);
	if (!event) {
		seep_compose_ticks(&profile->import->compose);
		for (size_t i = 0; i < profile->samples.n; i++)
			*(struct moment *)seep_table_add(&profile->calls) = samples[i];
	}
	if (!profile->calls.n)
		return seep_err_set(err, ENODATA, "%s: the file has no samples",
				    seep_source_path(profile->source));
	moments = profile->calls.items;
	seep_sort_stable(moments, profile->calls.n, sizeof(*moments), by_time, arena);
	seep_compose_started(&profile->import->compose, moments[0].t_ns);
	tell(profile, moments, profile->calls.n, event);
	note(profile, event);
	return 0;
}

static int read_mprof(struct seep_import *import, struct seep_source *source,
		      struct seep_err *err)
{
	struct profile *profile = seep_arena_alloc(&import->arena, sizeof(*profile));
	int rc;

	profile->import = import;
	profile->source = source;
	profile->stride = 1;
	profile->samples = SEEP_TABLE(&import->arena, struct moment);
	profile->calls = SEEP_TABLE(&import->arena, struct moment);
	profile->functions = SEEP_TABLE(&import->arena, struct function);
	rc = read_lines(profile, err);
	return rc ? rc : compose(profile, err);
}

const struct seep_import_format seep_import_mprof = {
	.name = "an mprof profile",
	.recognise = recognise,
	.read = read_mprof,
};
