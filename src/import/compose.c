/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trace is built in one growing buffer, with the records of a live recording, and handed to
 * the reader at the end.  Events are thinned as in the recorder; the counters of events that
 * are left out are summed up and written before the next event that is kept.
 */
#include "import/compose.h"

#include "import/compose_record.h"
#include "trace/frame.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST ((size_t)1 << 16)
#define NOTE_BYTES 1024
#define EVENT_MAX ((int64_t)1 << 30)
#define PAGE_BYTES 4096u

struct sum {
	double value;
	bool given;
};

static struct seep_trace_header *header(struct seep_compose *c)
{
	return (struct seep_trace_header *)(void *)c->data;
}

/* Like the arena, does not return if there is no memory. */
static void make_room(struct seep_compose *c, size_t bytes)
{
	size_t room = c->room ? c->room : ROOM_FIRST;
	unsigned char *data;

	if (c->room - c->bytes >= bytes)
		return;
	while (room - c->bytes < bytes)
		room *= 2;
	data = realloc(c->data, room);
	if (!data) {
		seep_arena_array(&c->arena, SIZE_MAX, 2); /* prints the message and exits */
		return;
	}
	memset(data + c->bytes, 0, room - c->bytes);
	c->data = data;
	c->room = room;
}

void seep_compose_add(struct seep_compose *c, uint16_t kind, uint16_t flags, const void *head,
		      size_t head_bytes, const void *tail, size_t tail_bytes)
{
	struct seep_trace_record record = { .kind = kind, .flags = flags, .seq = c->seq++ };

	record.size = (uint32_t)seep_frame_size(head_bytes, tail_bytes);
	make_room(c, record.size);
	seep_frame_store(c->data + c->bytes, &record, head, head_bytes, tail, tail_bytes);
	c->bytes += record.size;
}

void seep_compose_init(struct seep_compose *c)
{
	memset(c, 0, sizeof(*c));
	seep_arena_init(&c->arena);
	make_room(c, SEEP_TRACE_HEADER_BYTES);
	c->bytes = SEEP_TRACE_HEADER_BYTES;
	seep_thinning_init(&c->thin);
	seep_words_init(&c->names, &c->arena);
	seep_words_init(&c->frames, &c->arena);
	seep_words_init(&c->nodes, &c->arena);
	seep_words_init(&c->sites, &c->arena);
	seep_words_init(&c->modules, &c->arena);
	c->sums = SEEP_TABLE(&c->arena, struct sum);
	c->states = SEEP_TABLE(&c->arena, struct seep_compose_level);
}

void seep_compose_release(struct seep_compose *c)
{
	free(c->data);
	seep_arena_release(&c->arena);
	memset(c, 0, sizeof(*c));
}

void seep_compose_started(struct seep_compose *c, int64_t real_ns)
{
	header(c)->started_real_ns = real_ns;
}

void seep_compose_pid(struct seep_compose *c, uint32_t pid)
{
	header(c)->pid = pid;
}

/* Arguments that do not fit into a record are left out. */
void seep_compose_command(struct seep_compose *c, const char *exe, const char *const *arguments)
{
	char text[SEEP_TRACE_RECORD_MAX / 2];
	struct seep_rec_run run = { 0 };
	size_t n = (size_t)snprintf(text, sizeof(text) / 2, "%s%c", exe, 0);

	if (n >= sizeof(text) / 2)
		n = sizeof(text) / 2;
	text[n - 1] = 0;
	text[n++] = 0; /* the directory, which is unknown */
	for (; *arguments; arguments++) {
		size_t bytes = strlen(*arguments) + 1;

		if (bytes > sizeof(text) - n)
			break;
		memcpy(text + n, *arguments, bytes);
		n += bytes;
		run.argc++;
	}
	run.bytes = (uint32_t)n;
	seep_compose_add(c, SEEP_REC_RUN, 0, &run, sizeof(run), text, n);
}

void seep_compose_exit(struct seep_compose *c, int code, int signal, int64_t t_ns)
{
	struct seep_rec_exit record = { .t_ns = t_ns, .code = code, .signal = signal };

	seep_compose_add(c, SEEP_REC_EXIT, 0, &record, sizeof(record), NULL, 0);
}

void seep_compose_ticks(struct seep_compose *c)
{
	c->ticks = true;
}

uint32_t seep_compose_name(struct seep_compose *c, const char *text, size_t n)
{
	struct seep_rec_name name;
	bool is_new;

	if (n > SEEP_TRACE_NAME_MAX)
		n = SEEP_TRACE_NAME_MAX;
	name.id = seep_words_put(&c->names, text, n, &is_new);
	name.bytes = (uint32_t)n;
	if (is_new)
		seep_compose_add(c, SEEP_REC_NAME, 0, &name, sizeof(name), text, n);
	return name.id;
}

static void add_stamp(struct seep_compose *c, uint16_t flags, uint32_t name, int64_t index,
		      const struct seep_compose_at *at)
{
	struct seep_rec_stamp stamp = {
		.t_ns = at->t_ns,
		.vm_bytes = at->vm_bytes,
		.rss_bytes = at->rss_bytes,
		.live_bytes = at->live_bytes,
		.live_blocks = at->live_blocks,
		.index = index,
		.event = c->event,
		.name = name,
	};

	flags |= (at->has_rss ? SEEP_STAMP_RSS : 0) | (at->has_heap ? SEEP_STAMP_HEAP : 0);
	seep_compose_add(c, SEEP_REC_STAMP, flags, &stamp, sizeof(stamp), NULL, 0);
}

static void add_thin(struct seep_compose *c, uint16_t flags)
{
	struct seep_rec_thin thin = { .t_ns = c->last.t_ns, .event = c->event,
				      .stride = c->thin.stride };

	seep_compose_add(c, SEEP_REC_THIN, flags, &thin, sizeof(thin), NULL, 0);
}

/* The counters of events that were thinned out belong to the event before them. */
static void add_sums(struct seep_compose *c, uint32_t event)
{
	struct sum *sums = c->sums.items;

	for (size_t i = 0; i < c->sums.n; i++) {
		struct seep_rec_count count = { .value = sums[i].value, .event = event,
						.name = (uint32_t)i };

		if (sums[i].given)
			seep_compose_add(c, SEEP_REC_COUNT, SEEP_COUNT_SUM, &count,
					 sizeof(count), NULL, 0);
		sums[i] = (struct sum){ 0 };
	}
}

static uint16_t event_flags(const struct seep_compose *c)
{
	return c->ticks ? SEEP_STAMP_TICK : 0;
}

void seep_compose_event(struct seep_compose *c, int64_t index, const struct seep_compose_at *at)
{
	uint16_t flags = SEEP_STAMP_BEGIN | event_flags(c);

	c->last = *at;
	c->event++;
	if (seep_thinning_begin(&c->thin, c->event - 1, c->bytes))
		add_thin(c, 0);
	if (c->thin.untold)
		return;
	add_sums(c, c->event - 1);
	add_stamp(c, flags | (c->thin.partial ? SEEP_STAMP_PART : 0), 0, index, at);
}

bool seep_compose_event_numbered(struct seep_compose *c, int64_t number,
				 const struct seep_compose_at *at)
{
	if (number < (int64_t)c->event || number >= EVENT_MAX)
		return false;
	c->sparse = true;
	c->last = *at;
	c->event = (uint32_t)number + 1;
	add_stamp(c, SEEP_STAMP_BEGIN | event_flags(c), 0, number, at);
	return true;
}

void seep_compose_stamp(struct seep_compose *c, uint32_t name, const struct seep_compose_at *at)
{
	c->last = *at;
	if (!c->thin.partial)
		add_stamp(c, event_flags(c), name, 0, at);
}

void seep_compose_event_end(struct seep_compose *c, const struct seep_compose_at *at)
{
	c->last = *at;
	if (!c->thin.partial)
		add_stamp(c, SEEP_STAMP_END | event_flags(c), 0, 0, at);
}

void seep_compose_count(struct seep_compose *c, uint32_t name, double value)
{
	struct seep_rec_count count = { .value = value, .event = c->event, .name = name };
	struct sum *sum;

	if (!isfinite(value))
		return;
	if (!c->thin.partial) {
		seep_compose_add(c, SEEP_REC_COUNT, 0, &count, sizeof(count), NULL, 0);
		return;
	}
	sum = seep_table_at(&c->sums, name);
	sum->value += value;
	sum->given = true;
}

void seep_compose_gauge(struct seep_compose *c, uint32_t name, int64_t bytes, int64_t t_ns)
{
	struct seep_rec_gauge gauge = { .bytes = bytes, .t_ns = t_ns, .event = c->event,
					.name = name };

	if (!c->thin.partial)
		seep_compose_add(c, SEEP_REC_GAUGE, 0, &gauge, sizeof(gauge), NULL, 0);
}

void seep_compose_note(struct seep_compose *c, const char *fmt, ...)
{
	char text[NOTE_BYTES];
	struct seep_rec_note note = { .t_ns = c->last.t_ns };
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	note.bytes = (uint32_t)strlen(text);
	seep_compose_add(c, SEEP_REC_NOTE, SEEP_NOTE_INFO, &note, sizeof(note), text, note.bytes);
}

static void fill_header(struct seep_compose *c)
{
	struct seep_trace_header *h = header(c);

	memcpy(h->magic, SEEP_TRACE_MAGIC, sizeof(h->magic));
	h->version = SEEP_TRACE_VERSION;
	h->byte_order = SEEP_TRACE_BYTE_ORDER;
	h->header_bytes = SEEP_TRACE_HEADER_BYTES;
	h->page_bytes = PAGE_BYTES;
	h->state = SEEP_TRACE_FINISHED;
	h->events = c->event;
	h->check = seep_trace_check(h, offsetof(struct seep_trace_header, check));
}

int seep_compose_finish(struct seep_compose *c, const char *path, struct seep_reader *reader,
			struct seep_err *err)
{
	int rc;

	seep_compose_sites_finish(c);
	if (c->sparse)
		add_thin(c, SEEP_THIN_SPARSE);
	if (c->thin.stride > 1) {
		add_sums(c, c->event);
		add_thin(c, SEEP_THIN_LAST);
	}
	fill_header(c);
	rc = seep_reader_open_bytes(reader, path, c->data, c->bytes, err);
	if (!rc) {
		reader->owned = c->data;
		c->data = NULL;
	}
	seep_compose_release(c);
	return rc;
}
