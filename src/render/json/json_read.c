/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counterpart of json.c, object by object; the sites are in json_read_sites.c. */
#include "render/json/json_read.h"
#include "analyse/verdict/rules.h"
#include "render/json/json_fields.h"

#include <errno.h>
#include <time.h>

#define CONFIDENCE 0.95 /* of a report that does not say */
#define NAMES_MAX 1024  /* searched one by one; real reports have a few */
#define DRIVERS_MAX 64  /* likewise */

uint32_t seep_json_read_name(struct seep_run *run, const char *name)
{
	if (!name)
		return 0;
	for (uint32_t i = 1; i < run->n_names; i++)
		if (!strcmp(run->names[i], name))
			return i;
	if (run->n_names == NAMES_MAX)
		return 0;
	run->names[run->n_names] = name;
	return (uint32_t)run->n_names++;
}

static int64_t read_started(const json_t *run, struct seep_arena *arena)
{
	const char *text = seep_json_text(run, "started", arena);
	struct tm utc = { 0 };
	int64_t seconds;

	if (!text || !strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc))
		return 0;
	seconds = (int64_t)timegm(&utc);
	return seconds > 0 && seconds < INT64_MAX / 1000000000 ? seconds * 1000000000 : 0;
}

static void read_command(struct seep_run *run, const json_t *from, struct seep_arena *arena)
{
	const json_t *words = json_object_get(from, "command");
	size_t n = json_array_size(words), used = 0;

	run->command = seep_arena_array(arena, n + 1, sizeof(*run->command));
	for (size_t i = 0; i < n; i++) {
		const char *word = json_string_value(json_array_get(words, i));

		if (word)
			run->command[used++] = seep_arena_copy(arena, word, strlen(word));
	}
}

static enum seep_event_source read_source(const json_t *run, struct seep_arena *arena)
{
	const char *name = seep_json_text(run, "event_source", arena);

	for (enum seep_event_source s = SEEP_EVENTS_NONE; name && s <= SEEP_EVENTS_LINES; s++)
		if (!strcmp(name, seep_run_event_source_name(s)))
			return s;
	return SEEP_EVENTS_NONE;
}

static void read_exit(struct seep_run *run, const json_t *from)
{
	const json_t *end = json_object_get(from, "exit");
	bool code = json_is_integer(json_object_get(end, "code"));
	int64_t signal = seep_json_count(end, "signal");

	run->exit_code = code ? (int)fmin((double)seep_json_count(end, "code"), 255) : -1;
	run->exit_signal = signal < 128 ? (int)signal : 0;
	run->has_exit = code || run->exit_signal;
}

/* One event stands for all: it is the first, and the others came after it. */
static void read_events(struct seep_run *run, const json_t *from, struct seep_arena *arena)
{
	int64_t n = seep_json_count(from, "events");

	if (!n)
		return;
	run->stamps = seep_arena_array(arena, 1, sizeof(*run->stamps));
	run->stamps[0].flags = SEEP_STAMP_BEGIN;
	run->n_stamps = 1;
	run->events = seep_arena_array(arena, 1, sizeof(*run->events));
	run->events[0].n_stamps = 1;
	run->n_events = 1;
	run->events_after = n - 1;
	run->stride = 1;
}

static void read_notes(struct seep_run *run, const json_t *from, struct seep_arena *arena)
{
	const json_t *notes = json_object_get(from, "notes");
	size_t n = json_array_size(notes);

	run->notes = seep_arena_array(arena, n + 1, sizeof(*run->notes));
	for (size_t i = 0; i < n; i++) {
		const char *note = json_string_value(json_array_get(notes, i));

		if (note)
			run->notes[run->n_notes++] = seep_arena_copy(arena, note, strlen(note));
	}
}

static void read_run(struct seep_run *run, const json_t *from, struct seep_arena *arena)
{
	const json_t *tracker = json_object_get(from, "tracker");
	const char *exe = seep_json_text(from, "exe", arena);

	run->exe = exe ? exe : "";
	run->pid = (uint32_t)fmin((double)seep_json_count(from, "pid"), UINT32_MAX);
	run->started_real_ns = read_started(from, arena);
	run->wall_ns = (int64_t)fmin(fmax(seep_json_figure(from, "wall_s"), 0) * 1e9, 9e18);
	run->event_source = read_source(from, arena);
	run->event_text = seep_json_text(from, "event_text", arena);
	run->complete = seep_json_bool(from, "complete");
	run->killed = seep_json_bool(from, "killed");
	run->damaged = (uint64_t)seep_json_count(from, "damaged");
	run->tracker_bytes = (uint64_t)seep_json_count(tracker, "bytes");
	run->missed = (uint64_t)seep_json_count(tracker, "missed");
	run->dropped = (uint64_t)seep_json_count(tracker, "dropped");
	run->lost_walks = (uint64_t)seep_json_count(tracker, "lost_walks");
	run->sampling.mean_bytes = (uint64_t)seep_json_count(tracker, "sample_bytes");
	read_command(run, from, arena);
	read_exit(run, from);
	read_events(run, from, arena);
	read_notes(run, from, arena);
}

static void read_oom(struct seep_oom *oom, const json_t *from, struct seep_arena *arena)
{
	oom->seconds = seep_json_number(from, "seconds");
	oom->known = oom->seconds >= 0;
	oom->limit_bytes = seep_json_count(from, "limit_bytes");
	oom->limit_source = seep_json_text(from, "limit_source", arena);
	oom->low = seep_json_figure(from, "low");
	oom->high = seep_json_number(from, "high");
	if (!(oom->high >= oom->low))
		oom->high = INFINITY;
	oom->events = seep_json_figure(from, "events");
	oom->events_low = seep_json_figure(from, "events_low");
	oom->events_high = seep_json_figure(from, "events_high");
	oom->room_bytes = seep_json_figure(from, "room_bytes");
	oom->bytes_per_event = seep_json_figure(from, "bytes_per_event");
}

static bool read_kind(struct seep_verdict *verdict, const json_t *from)
{
	const char *name = json_string_value(json_object_get(from, "kind"));

	for (enum seep_kind k = SEEP_KIND_LEAK; name && k <= SEEP_KIND_UNDECIDED; k++)
		if (!strcmp(name, seep_verdict_kind_name(k))) {
			verdict->kind = k;
			return true;
		}
	return false;
}

static const struct seep_rule *read_rule(const json_t *from)
{
	const char *id = json_string_value(json_object_get(from, "rule"));

	for (size_t i = 0; id && i < seep_rules_n; i++)
		if (!strcmp(id, seep_rules[i].id))
			return &seep_rules[i];
	return NULL;
}

static void read_verdict(struct seep_run *run, struct seep_verdict *verdict, const json_t *from,
			 struct seep_arena *arena)
{
	const json_t *rate = json_object_get(from, "rate");
	const char *series = json_string_value(json_object_get(from, "series"));

	verdict->rule = read_rule(from);
	verdict->sentence = seep_json_text(from, "sentence", arena);
	verdict->from_heap = series && !strcmp(series, "heap");
	run->has_heap = verdict->from_heap;
	verdict->bytes_per_event = seep_json_estimate(rate, "bytes_per_event");
	verdict->confidence = seep_json_figure(rate, "confidence");
	if (!(verdict->confidence > 0 && verdict->confidence < 1))
		verdict->confidence = CONFIDENCE;
	verdict->bytes_per_s = seep_json_figure(rate, "bytes_per_s");
	verdict->floor_bytes_per_event = seep_json_figure(from, "floor_bytes_per_event");
	verdict->rise_bytes = seep_json_figure(from, "rise_bytes");
	verdict->warmup_events = seep_json_count(from, "warmup_events");
	verdict->events_used = seep_json_count(from, "events_used");
	verdict->since_event = seep_json_count(from, "since_event");
	verdict->events_needed = seep_json_figure(from, "events_needed");
	verdict->material_bytes = seep_json_figure(from, "material_bytes");
	read_oom(&verdict->oom, json_object_get(from, "oom"), arena);
	read_oom(&verdict->slowdown, json_object_get(from, "slowdown"), arena);
}

static void read_sum(struct seep_closing_sum *sum, const json_t *from)
{
	sum->known = sum->clear = isfinite(seep_json_number(from, "rss"));
	sum->slack_known = isfinite(seep_json_number(from, "allocator_slack"));
	sum->non_heap_known = isfinite(seep_json_number(from, "non_heap"));
	sum->mean = seep_json_bool(from, "mean_of_all_events");
	sum->rss = seep_json_figure(from, "rss");
	sum->heap_live = seep_json_figure(from, "heap_live");
	sum->allocator_slack = seep_json_figure(from, "allocator_slack");
	sum->non_heap = seep_json_figure(from, "non_heap");
	sum->tracker = seep_json_figure(from, "tracker");
	sum->residual = seep_json_figure(from, "residual");
}

/* A phase ends at stamps, or at the start or end of an event, which are no names. */
static uint32_t read_end(struct seep_run *run, const json_t *phase, const char *key,
			 struct seep_arena *arena)
{
	const char *name = seep_json_text(phase, key, arena);

	if (!name || !strcmp(name, "event begin") || !strcmp(name, "event end") ||
	    !strcmp(name, "outside events"))
		return 0;
	return seep_json_read_name(run, name);
}

static void read_phases(struct seep_run *run, struct seep_verdict *verdict, const json_t *from,
			struct seep_arena *arena)
{
	size_t n = json_array_size(from);

	verdict->phases = seep_arena_array(arena, n, sizeof(*verdict->phases));
	verdict->n_phases = n;
	for (size_t i = 0; i < n; i++) {
		const json_t *phase = json_array_get(from, i);
		const char *start = json_string_value(json_object_get(phase, "from"));

		verdict->phases[i] = (struct seep_phase_share){
			.from = read_end(run, phase, "from", arena),
			.to = read_end(run, phase, "to", arena),
			.between_events = start && !strcmp(start, "event end"),
			.outside = start && !strcmp(start, "outside events"),
			.bytes_per_event = seep_json_estimate(phase, "bytes_per_event"),
			.share = seep_json_figure(phase, "share"),
			.accused = seep_json_bool(phase, "accused"),
			.gross = seep_json_number(phase, "gross_bytes_per_event"),
		};
	}
}

/* The counter of a driver; its values are what the rate of the run makes of them. */
static size_t read_counter(struct seep_run *run, const json_t *driver, double per_event,
			   struct seep_arena *arena)
{
	const char *name = seep_json_text(driver, "counter", arena);
	size_t i;

	name = name ? name : "(unknown)";
	for (i = 0; i < run->n_counters; i++)
		if (!strcmp(run->counters[i].name, name))
			return i;
	run->counters[i].name = name;
	run->counters[i].values = seep_arena_array(arena, 1, sizeof(double));
	run->counters[i].values[0] = per_event * (double)seep_run_marked(run);
	run->n_counters++;
	return i;
}

static void read_driver(struct seep_run *run, struct seep_driver *driver, const json_t *from,
			const struct seep_estimate *rate, struct seep_arena *arena)
{
	const char *counter = json_string_value(json_object_get(from, "counter"));
	const json_t *second = json_object_get(from, "and");
	double units = 0;

	driver->bytes_per_unit = seep_json_estimate(from, "bytes_per_unit");
	driver->r2 = seep_json_figure(from, "r2");
	driver->proportional = seep_json_bool(from, "proportional");
	driver->time = counter && !strcmp(counter, "time");
	driver->running_maximum = json_is_string(json_object_get(from, "transform"));
	if (driver->proportional && rate->known && driver->bytes_per_unit.value > 0)
		units = rate->value / driver->bytes_per_unit.value;
	driver->counter = read_counter(run, from, units, arena);
	driver->combined = json_is_object(second);
	if (!driver->combined)
		return;
	counter = json_string_value(json_object_get(second, "counter"));
	driver->second_time = counter && !strcmp(counter, "time");
	driver->second_running_maximum = json_is_string(json_object_get(second, "transform"));
	driver->second_counter = read_counter(run, second, 0, arena);
	driver->second_bytes_per_unit = seep_json_estimate(second, "bytes_per_unit");
}

static void read_drivers(struct seep_run *run, struct seep_verdict *verdict, const json_t *from,
			 struct seep_arena *arena)
{
	size_t n = json_array_size(from) < DRIVERS_MAX ? json_array_size(from) : DRIVERS_MAX;

	run->counters = seep_arena_array(arena, 2 * n, sizeof(*run->counters));
	verdict->drivers = seep_arena_array(arena, n, sizeof(*verdict->drivers));
	verdict->n_drivers = n;
	for (size_t i = 0; i < n; i++)
		read_driver(run, &verdict->drivers[i], json_array_get(from, i),
			    &verdict->bytes_per_event, arena);
}

static void read_gauges(struct seep_verdict *verdict, const json_t *from, struct seep_arena *arena)
{
	size_t n = json_array_size(from);

	verdict->gauges = seep_arena_array(arena, n, sizeof(*verdict->gauges));
	for (size_t i = 0; i < n; i++) {
		const json_t *gauge = json_array_get(from, i);
		struct seep_gauge_result *to = &verdict->gauges[verdict->n_gauges];
		const char *unit = json_string_value(json_object_get(gauge, "unit"));

		*to = (struct seep_gauge_result){
			.name = seep_json_text(gauge, "name", arena),
			.first = seep_json_figure(gauge, "first"),
			.last = seep_json_figure(gauge, "last"),
			.per_event = seep_json_estimate(json_object_get(gauge, "per_event"),
							"value"),
			.per_s = seep_json_figure(gauge, "per_s"),
			.rises = seep_json_bool(gauge, "rises"),
		};
		for (enum seep_gauge_unit u = SEEP_GAUGE_BYTES; u <= SEEP_GAUGE_THREADS; u++)
			if (unit && !strcmp(unit, seep_gauges_unit_name(u)))
				to->unit = u;
		if (to->name)
			verdict->n_gauges++;
	}
}

static void read_probe(struct seep_probe *probe, const json_t *from, struct seep_arena *arena)
{
	const char *allocator = seep_json_text(from, "allocator", arena);

	probe->event = SEEP_EVENT_NONE;
	if (!json_is_object(from))
		return;
	probe->done = true;
	probe->asked = isfinite(seep_json_number(from, "gain"));
	probe->allocator = allocator ? allocator : "";
	probe->rss_before_bytes = seep_json_count(from, "rss_before");
	probe->rss_after_bytes = seep_json_count(from, "rss_after");
	probe->heap_resident_bytes = seep_json_count(from, "heap_resident");
	probe->live_bytes = seep_json_count(from, "live");
}

static void read_moment(struct seep_run *run, const json_t *from)
{
	const json_t *event = json_object_get(from, "event");

	run->snapshot_event = json_is_number(event) ? seep_json_count(from, "event")
						    : SEEP_EVENT_NONE;
	run->snapshot_final = seep_json_bool(from, "end");
	run->cleaned_up = seep_json_bool(from, "cleaned_up");
	run->collected_event = SEEP_EVENT_NONE;
	run->end_event = seep_run_marked(run);
}

static void add_note(struct seep_run *run, const json_t *report, struct seep_arena *arena)
{
	int64_t all = seep_json_count(report, "sites_total");
	const char *sites = "";

	if (all > (int64_t)run->n_sites)
		sites = seep_arena_printf(arena, "; it has %zu of the %lld sites", run->n_sites,
					  (long long)all);
	run->notes[run->n_notes++] = seep_arena_printf(arena, "this is a saved report and not a "
						       "trace: nothing was judged again%s", sites);
}

static int read_report(struct seep_run *run, struct seep_verdict *verdict, const json_t *report,
		       struct seep_arena *arena, struct seep_err *err)
{
	const char *schema = json_string_value(json_object_get(report, "schema"));

	if (!schema || strcmp(schema, "seep-report/1"))
		return seep_err_set(err, EINVAL, "%s: JSON, but not the output of seep report "
				    "--json (\"schema\": \"seep-report/1\")", run->path);
	if (!read_kind(verdict, json_object_get(report, "verdict")))
		return seep_err_set(err, EBADMSG, "%s: a saved report whose verdict is missing or "
				    "unknown", run->path);
	run->saved = true;
	run->names = seep_arena_array(arena, NAMES_MAX, sizeof(*run->names));
	run->names[0] = "";
	run->n_names = 1;
	read_run(run, json_object_get(report, "run"), arena);
	read_verdict(run, verdict, json_object_get(report, "verdict"), arena);
	read_sum(&verdict->sum, json_object_get(report, "sum"));
	read_probe(&run->probe, json_object_get(report, "probe"), arena);
	read_phases(run, verdict, json_object_get(report, "phases"), arena);
	read_drivers(run, verdict, json_object_get(report, "drivers"), arena);
	read_gauges(verdict, json_object_get(report, "gauges"), arena);
	read_moment(run, json_object_get(report, "sites_as_of"));
	seep_json_read_sites(run, verdict, report, arena);
	add_note(run, report, arena);
	return 0;
}

int seep_json_read(struct seep_run *run, struct seep_verdict *verdict, const char *path,
		   const char *text, size_t bytes, struct seep_arena *arena, struct seep_err *err)
{
	json_error_t error;
	json_t *report = json_loadb(text, bytes, 0, &error);
	int rc;

	*run = (struct seep_run){ .path = path, .n_files = 1, .exe = "" };
	*verdict = (struct seep_verdict){ .kind = SEEP_KIND_UNDECIDED };
	if (!report)
		return seep_err_set(err, EINVAL, "%s: not valid JSON: %.150s (line %d)", path,
				    error.text, error.line);
	rc = read_report(run, verdict, report, arena, err);
	json_decref(report);
	return rc;
}
