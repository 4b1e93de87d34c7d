/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/check/check_baseline.h"
#include "cli/check/check_trace.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define JSON_MOST (1 << 28) /* bytes; no report is that long */

static const char *string_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* False where it is null, or not there. */
static bool number_of(const json_t *object, const char *key, double *value)
{
	const json_t *number = json_object_get(object, key);

	*value = json_number_value(number);
	return json_is_number(number);
}

static struct seep_estimate estimate_of(const json_t *object)
{
	struct seep_estimate e = { .known = false };
	bool value = number_of(object, "bytes_per_event", &e.value);
	bool low = number_of(object, "low", &e.low), high = number_of(object, "high", &e.high);

	e.known = value && low && high && e.low <= e.value && e.value <= e.high;
	return e;
}

static const char *copy_string(const json_t *object, const char *key, struct seep_arena *arena)
{
	const char *text = string_of(object, key);

	return text ? seep_arena_copy(arena, text, strlen(text)) : NULL;
}

static void read_stack(struct seep_stack *stack, const json_t *site, struct seep_arena *arena)
{
	const json_t *frames = json_object_get(site, "stack");
	double own = 0, line = 0;

	stack->n_frames = json_array_size(frames);
	stack->frames = seep_arena_array(arena, stack->n_frames, sizeof(*stack->frames));
	for (size_t i = 0; i < stack->n_frames; i++) {
		const json_t *frame = json_array_get(frames, i);

		stack->frames[i].function = copy_string(frame, "function", arena);
		if (!stack->frames[i].function)
			stack->frames[i].function = "";
		stack->frames[i].module = copy_string(frame, "module", arena);
		if (number_of(frame, "line", &line) && line > 0 && line < 1e9)
			stack->frames[i].line = (int)line;
	}
	if (number_of(site, "own_frame", &own) && own > 0 && own < (double)stack->n_frames)
		stack->own_frame = (size_t)own;
}

static bool is_accused(const json_t *site)
{
	static const enum seep_site_verdict accused[] = {
		SEEP_SITE_LEAK, SEEP_SITE_REALLOC_GROWTH, SEEP_SITE_BACKLOG,
	};
	const char *verdict = string_of(site, "verdict");

	for (size_t i = 0; verdict && i < sizeof(accused) / sizeof(accused[0]); i++)
		if (!strcmp(verdict, seep_verdict_site_name(accused[i])))
			return true;
	return false;
}

static bool is_suspect(const json_t *site)
{
	const char *verdict = string_of(site, "verdict");

	return verdict && !strcmp(verdict, seep_verdict_site_name(SEEP_SITE_SUSPECT));
}

/* The rate of a site that is suppressed is not that of the baseline either. */
static void read_sites(struct seep_baseline *baseline, const json_t *sites,
		       struct seep_suppressions *suppressions, struct seep_arena *arena)
{
	size_t n = json_array_size(sites), kept = 0;
	struct seep_fingerprint_of *of = seep_arena_array(arena, n, sizeof(*of));
	struct seep_fingerprint *prints = seep_arena_array(arena, n, sizeof(*prints));

	baseline->sites = seep_arena_array(arena, n, sizeof(*baseline->sites));
	for (size_t i = 0; i < n; i++) {
		const json_t *site = json_array_get(sites, i);
		struct seep_stack *stack = seep_arena_alloc(arena, sizeof(*stack));
		struct seep_estimate rate = estimate_of(site);
		const char *kind = copy_string(site, "kind", arena);

		if (!is_accused(site))
			continue;
		read_stack(stack, site, arena);
		if (seep_suppress_find(suppressions, stack)) {
			baseline->bytes_per_event =
				seep_budget_subtract(&baseline->bytes_per_event, &rate);
			continue;
		}
		of[kept] = (struct seep_fingerprint_of){ stack, kind ? kind : "heap",
							 copy_string(site, "phase", arena) };
		baseline->sites[kept++].bytes_per_event = rate;
	}
	seep_fingerprint_make(prints, of, kept);
	for (size_t i = 0; i < kept; i++)
		baseline->sites[i].fingerprint = prints[i];
	baseline->n_sites = kept;
}

static void read_suspects(struct seep_baseline *baseline, const json_t *sites,
			  struct seep_suppressions *suppressions, struct seep_arena *arena)
{
	size_t n = json_array_size(sites), kept = 0;
	struct seep_fingerprint_of *of = seep_arena_array(arena, n, sizeof(*of));

	for (size_t i = 0; i < n; i++) {
		const json_t *site = json_array_get(sites, i);
		const char *kind = copy_string(site, "kind", arena);
		struct seep_stack *stack;

		if (!is_suspect(site))
			continue;
		stack = seep_arena_alloc(arena, sizeof(*stack));
		read_stack(stack, site, arena);
		if (!seep_suppress_find(suppressions, stack))
			of[kept++] = (struct seep_fingerprint_of){
				stack, kind ? kind : "heap", copy_string(site, "phase", arena),
			};
	}
	baseline->suspects = seep_arena_array(arena, kept, sizeof(*baseline->suspects));
	seep_fingerprint_make(baseline->suspects, of, kept);
	baseline->n_suspects = kept;
}

static uint32_t read_kind(const json_t *site)
{
	const char *kind = string_of(site, "kind");

	for (uint32_t k = SEEP_MEMORY_HEAP; kind && k <= SEEP_MEMORY_BRK; k++) {
		struct seep_site one = { .kind = k };

		if (!strcmp(kind, seep_view_site_kind(&one)))
			return k;
	}
	return SEEP_MEMORY_HEAP;
}

/* The sites that grow or may, as if they came from a trace. */
static void read_known(struct seep_baseline *baseline, const json_t *report,
		       struct seep_suppressions *suppressions, struct seep_arena *arena)
{
	const json_t *sites = json_object_get(report, "sites");
	const char *series = string_of(json_object_get(report, "verdict"), "series");
	size_t n = json_array_size(sites), kept = 0;
	struct seep_verdict *verdict = &baseline->known.verdict;
	struct seep_run *run = &baseline->known.run;

	run->has_heap = n || (series && !strcmp(series, "heap"));
	run->sites = seep_arena_array(arena, n, sizeof(*run->sites));
	verdict->sites = seep_arena_array(arena, n, sizeof(*verdict->sites));
	baseline->no_builds = true;
	for (size_t i = 0; i < n; i++) {
		const json_t *from = json_array_get(sites, i);
		struct seep_site *site = &run->sites[kept];
		bool grows = is_accused(from);

		if (!grows && !is_suspect(from))
			continue;
		*site = (struct seep_site){ .kind = read_kind(from) };
		read_stack(&site->stack, from, arena);
		if (seep_suppress_find(suppressions, &site->stack))
			continue;
		verdict->sites[kept++] = (struct seep_site_result){
			.site = site, .verdict = grows ? SEEP_SITE_LEAK : SEEP_SITE_SUSPECT,
			.bytes_per_event = estimate_of(from),
		};
	}
	run->n_sites = verdict->n_sites = kept;
}

static double read_pace(const json_t *run, const json_t *rate)
{
	double events, seconds, per_event, per_s;

	if (number_of(rate, "bytes_per_event", &per_event) &&
	    number_of(rate, "bytes_per_s", &per_s) && per_s / per_event > 0)
		return per_s / per_event;
	if (number_of(run, "events", &events) && number_of(run, "wall_s", &seconds) && seconds > 0)
		return events / seconds;
	return 0;
}

static int read_report(struct seep_baseline *baseline, const json_t *report,
		       struct seep_suppressions *suppressions, struct seep_arena *arena,
		       struct seep_err *err)
{
	const char *schema = string_of(report, "schema"), *source;
	const json_t *run = json_object_get(report, "run");
	const json_t *rate = json_object_get(json_object_get(report, "verdict"), "rate");

	if (!schema || strcmp(schema, "seep-report/1"))
		return seep_err_set(err, EINVAL, "the baseline '%.200s' is JSON, but not the "
				    "output of seep report --json", baseline->path);
	source = string_of(run, "event_source");
	baseline->slices = source && !strcmp(source, "time");
	baseline->bytes_per_event = estimate_of(rate);
	number_of(run, "events", &baseline->events);
	baseline->events_per_s = read_pace(run, rate);
	read_sites(baseline, json_object_get(report, "sites"), suppressions, arena);
	read_suspects(baseline, json_object_get(report, "sites"), suppressions, arena);
	read_known(baseline, report, suppressions, arena);
	return 0;
}

/* Stops a file that never ends from being read for ever. */
struct source {
	FILE *file;
	size_t left;
};

static size_t load_some(void *buffer, size_t bytes, void *context)
{
	struct source *source = context;
	size_t n = fread(buffer, 1, bytes < source->left ? bytes : source->left, source->file);

	source->left -= n;
	return n;
}

static int read_json(struct seep_baseline *baseline, FILE *file,
		     struct seep_suppressions *suppressions, struct seep_arena *arena,
		     struct seep_err *err)
{
	struct source source = { file, JSON_MOST };
	json_error_t error;
	json_t *report = json_load_callback(load_some, &source, 0, &error);
	int rc;

	if (!report)
		return seep_err_set(err, EINVAL, "the baseline '%.200s' is not valid JSON: %.150s "
				    "(line %d)", baseline->path, error.text, error.line);
	rc = read_report(baseline, report, suppressions, arena, err);
	json_decref(report);
	return rc;
}

static int read_trace(struct seep_baseline *baseline, struct seep_check_trace_plan plan,
		      struct seep_arena *arena, struct seep_err *err)
{
	static const struct seep_budget per_second = { .per_second = true };
	struct seep_check_trace *trace = seep_arena_alloc(arena, sizeof(*trace));
	int rc;

	plan.suspects = true;
	rc = seep_check_trace_open(trace, baseline->path, &plan, err);
	if (rc)
		return rc;
	baseline->trace = trace;
	baseline->slices = seep_run_has_slices(&trace->analysis.run);
	baseline->events_per_s = seep_budget_scale(&per_second, &trace->analysis.run,
						   &trace->verdict);
	baseline->bytes_per_event = trace->verdict.bytes_per_event;
	baseline->events = (double)seep_run_marked(&trace->analysis.run);
	baseline->sites = seep_arena_array(arena, trace->n_findings, sizeof(*baseline->sites));
	for (size_t i = 0; i < trace->n_findings; i++) {
		if (trace->findings[i].suppressed)
			continue;
		baseline->sites[baseline->n_sites++] = (struct seep_baseline_site){
			trace->findings[i].fingerprint, trace->findings[i].rate,
		};
	}
	baseline->suspects = seep_arena_array(arena, trace->n_suspects,
					      sizeof(*baseline->suspects));
	for (size_t i = 0; i < trace->n_suspects; i++)
		baseline->suspects[baseline->n_suspects++] = trace->suspects[i].fingerprint;
	seep_check_sites_of(&baseline->known, trace, plan.suppressions);
	return 0;
}

void seep_baseline_release(struct seep_baseline *baseline)
{
	if (baseline->trace)
		seep_check_trace_close(baseline->trace);
	baseline->trace = NULL;
}

int seep_baseline_read(struct seep_baseline *baseline, const char *path,
		       const struct seep_check_trace_plan *plan, struct seep_arena *arena,
		       struct seep_err *err)
{
	FILE *file = fopen(path, "re");
	int c, rc;

	*baseline = (struct seep_baseline){ .path = path };
	if (!file)
		return seep_err_set(err, errno, "the baseline '%.200s' could not be opened: %s",
				    path, strerror(errno));
	do
		c = getc(file);
	while (c != EOF && isspace(c));
	if (c == '{') {
		ungetc(c, file);
		rc = read_json(baseline, file, plan->suppressions, arena, err);
	} else {
		rc = read_trace(baseline, *plan, arena, err);
	}
	fclose(file);
	return rc;
}

const struct seep_baseline_site *seep_baseline_find(const struct seep_baseline *baseline,
						    const struct seep_fingerprint *fingerprint)
{
	for (size_t i = 0; i < baseline->n_sites; i++)
		if (!strcmp(baseline->sites[i].fingerprint.text, fingerprint->text))
			return &baseline->sites[i];
	return NULL;
}

bool seep_baseline_knows(const struct seep_baseline *baseline,
			 const struct seep_fingerprint *fingerprint)
{
	for (size_t i = 0; i < baseline->n_suspects; i++)
		if (!strcmp(baseline->suspects[i].text, fingerprint->text))
			return true;
	return seep_baseline_find(baseline, fingerprint);
}
