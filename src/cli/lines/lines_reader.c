/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lines/lines_reader.h"

#include <string.h>

void seep_lines_sink_init(struct seep_lines_sink *sink, const struct seep_lines_regex *regex,
			  struct seep_told *told, struct seep_lines_status *status)
{
	*sink = (struct seep_lines_sink){ .regex = regex, .told = told, .status = status };
	pthread_mutex_init(&sink->lock, NULL);
	told->n_counters = regex->n_counters;
	for (uint32_t i = 0; i < regex->n_counters; i++) {
		memcpy(told->names[i], regex->counters[i].name, sizeof(told->names[i]));
		told->of_last |= (uint32_t)regex->counters[i].of_last << i;
	}
}

static bool is_event(struct seep_lines_sink *sink, const char *line, size_t bytes)
{
	struct seep_told_event event = { .index = sink->next_index };
	enum seep_lines_found found;
	uint32_t odd = 0;

	found = seep_lines_regex_match(sink->regex, line, bytes, &event, &odd);
	sink->status->lines++;
	sink->status->gave_up += found == SEEP_LINES_GAVE_UP;
	if (!sink->status->events)
		seep_lines_status_keep(sink->status, line, bytes);
	if (found != SEEP_LINES_EVENT)
		return false;
	sink->status->odd += odd;
	sink->status->events++;
	sink->next_index = event.index + 1;
	seep_told_put(sink->told, &event);
	return true;
}

/* Looks at the line that was held and these bytes of it. */
static bool end_line(struct seep_lines_reader *reader, const char *text, size_t bytes)
{
	size_t room = sizeof(reader->line) - reader->held;

	if (!reader->held)
		return is_event(reader->sink, text, bytes < room ? bytes : room);
	if (bytes > room)
		bytes = room;
	memcpy(reader->line + reader->held, text, bytes);
	bytes += reader->held;
	reader->held = 0;
	return is_event(reader->sink, reader->line, bytes);
}

static void hold(struct seep_lines_reader *reader, const char *text, size_t bytes)
{
	size_t room = sizeof(reader->line) - reader->held;

	if (bytes > room)
		bytes = room;
	memcpy(reader->line + reader->held, text, bytes);
	reader->held += bytes;
}

/* A line ends with \n, \r\n, or \r, as lines do that are written over. */
static uint64_t split(struct seep_lines_reader *reader, const char *text, const char *end)
{
	uint64_t events = 0;

	while (text < end) {
		const char *stop = text;

		if (reader->after_return && *text == '\n') {
			reader->after_return = false;
			text++;
			continue;
		}
		while (stop < end && *stop != '\n' && *stop != '\r')
			stop++;
		reader->after_return = stop < end && *stop == '\r';
		if (stop == end) {
			hold(reader, text, (size_t)(stop - text));
			break;
		}
		events += end_line(reader, text, (size_t)(stop - text));
		text = stop + 1;
	}
	return events;
}

/*
 * Who collects its output writes when its buffer is full: in the middle of a line, and after many.
 * A reading that is as long as it may be ends wherever it does.
 */
void seep_lines_reader_take(struct seep_lines_reader *reader, const char *text, size_t bytes)
{
	struct seep_lines_status *status = reader->sink->status;
	uint64_t events;

	pthread_mutex_lock(&reader->sink->lock);
	events = split(reader, text, text + bytes);
	status->readings += events > 0;
	if (events > 1 && reader->may_burst && reader->held && bytes < SEEP_LINES_READ_BYTES) {
		status->bursts++;
		status->burst_events += events;
	}
	pthread_mutex_unlock(&reader->sink->lock);
}
