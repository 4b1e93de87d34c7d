/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/run_event.h"
#include "cli/common/options.h"
#include "cli/lines/lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The names of all calls, in the order of their numbers. */
static const char *list_calls(char *text, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < SEEP_CALLS && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "",
					 seep_call_describe((enum seep_call)i)->name);
	return text;
}

static int check_call(const char *text, struct seep_err *err)
{
	char names[512];
	int fd;
	enum seep_call call = seep_call_parse(text, &fd);

	if (call == SEEP_CALLS)
		return seep_err_set(err, EINVAL, "--event: call:%.100s is not a call that seep can "
				    "see; it can see %s", text, list_calls(names, sizeof(names)));
	if (fd != -1 && !seep_call_describe(call)->takes_fd)
		return seep_err_set(err, EINVAL, "--event: %s does not take one descriptor; write "
				    "call:%s", seep_call_describe(call)->name,
				    seep_call_describe(call)->name);
	if (fd < -1)
		return seep_err_set(err, EINVAL, "--event: call:%.100s is not valid; to choose a "
				    "descriptor, write call:%s:fd=0", text,
				    seep_call_describe(call)->name);
	return 0;
}

/* The sources of events that are neither the program's own marks nor slices of time. */
static const struct source {
	const char *prefix;      /* with the colon */
	enum seep_trace_source source;
	int (*check)(const char *text, struct seep_err *err); /* NULL: any text that is not empty */
} sources[] = {
	{ .prefix = "fn:", .source = SEEP_SOURCE_FUNCTION },
	{ .prefix = SEEP_CALL_PREFIX, .source = SEEP_SOURCE_CALL, .check = check_call },
	{ "lines:", SEEP_SOURCE_LINES, seep_lines_check },
	{ "file:", SEEP_SOURCE_FILE, seep_lines_check_file },
	{ .prefix = NULL },
};

static int refuse(const char *value, struct seep_err *err)
{
	char known[256] = "api or time:100ms";
	size_t used = 0;

	for (size_t i = 0; sources[i].prefix; i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s...",
					 i ? ", " : "api, time:100ms, ", sources[i].prefix);
	return seep_err_set(err, EINVAL, "--event: '%.100s' is not a valid event source; write %s",
			    value, known);
}

int seep_run_event_set(void *field, const char *value, struct seep_err *err)
{
	struct seep_run_event *event = field;
	const struct source *source = sources;

	event->typed = value;
	event->source = SEEP_SOURCE_API;
	if (!strcmp(value, "api") || !strncmp(value, "time:", 5))
		return seep_options_event(value, &event->ticks, &event->tick_ns, err);
	while (source->prefix && strncmp(value, source->prefix, strlen(source->prefix)))
		source++;
	if (!source->prefix)
		return refuse(value, err);
	event->text = value + strlen(source->prefix);
	event->source = source->source;
	event->ticks = SEEP_TICKS_SPARE;
	if (!*event->text)
		return seep_err_set(err, EINVAL, "--event: '%.100s' names nothing after the colon",
				    value);
	return source->check ? source->check(event->text, err) : 0;
}

const char *seep_run_event_value(size_t i)
{
	static const char *const values[] = { "api", "time:10ms", "time:100ms", "time:1s" };
	size_t n = sizeof(values) / sizeof(values[0]);

	return i < n ? values[i] : sources[i - n].prefix;
}

void seep_run_event_describe(const struct seep_run_event *event, struct seep_trace_header *header)
{
	header->tick_ns = (uint64_t)event->tick_ns;
	header->tick_on = event->ticks;
	header->source = event->source;
	if (event->source != SEEP_SOURCE_API)
		snprintf(header->source_text, sizeof(header->source_text), "%s", event->typed);
}
