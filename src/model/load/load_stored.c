/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names that seep run and seep pack have put into the trace.  They come at its end, and
 * belong to all of it: a trace that is looked at as it was at an earlier event has them too.
 */
#include "model/load/loading.h"

#include "trace/unpack.h"

#include <string.h>

void seep_load_stored_begin(struct seep_load *load)
{
	load->texts = SEEP_TABLE(load->arena, const char *);
	load->addresses = SEEP_TABLE(&load->scratch, const struct seep_rec_addresses *);
}

/* A text that has no end is not one, and neither are those that should follow it. */
static void add_texts(struct seep_load *load, const struct seep_rec_texts *record)
{
	const char *at = (const char *)(record + 1), *end = at + record->bytes;
	uint64_t last = (uint64_t)record->first + record->count;

	if (!record->first || !record->count || !seep_load_plausible(load, last, 1))
		return;
	for (uint32_t i = 0; i < record->count; i++) {
		const char *zero = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
		const char **text;

		if (!zero) {
			load->damaged++;
			return;
		}
		text = seep_table_at(&load->texts, record->first + i);
		*text = seep_arena_copy(load->arena, at, (size_t)(zero - at));
		at = zero + 1;
	}
}

void seep_load_stored_add(struct seep_load *load, const struct seep_reader_record *record)
{
	if (record->kind == SEEP_REC_TEXTS)
		add_texts(load, record->payload);
	else if (record->kind == SEEP_REC_ADDRESSES)
		*(const void **)seep_table_add(&load->addresses) = record->payload;
}

void seep_load_stored_rest(struct seep_load *load, struct seep_reader *reader)
{
	struct seep_reader rest = *reader;
	struct seep_reader_record record;

	if (reader->whole_bytes <= reader->bytes)
		return;
	rest.bytes = reader->whole_bytes;
	while (seep_reader_next(&rest, &record))
		seep_load_stored_add(load, &record);
}

static const char *text_of(struct seep_load *load, uint64_t number)
{
	return number && number < load->texts.n
		       ? ((const char *const *)load->texts.items)[number] : NULL;
}

static void unpack_frame(struct seep_load *load, struct seep_unpack *unpack,
			 struct seep_stored_frame *frame)
{
	uint64_t line;

	frame->function = text_of(load, seep_unpack_next(unpack));
	frame->file = text_of(load, seep_unpack_next(unpack));
	frame->directory = text_of(load, seep_unpack_next(unpack));
	line = seep_unpack_next(unpack);
	frame->line = line <= INT32_MAX ? (int)line : 0;
}

/* A frame takes four bytes at least, so a count cannot ask for more memory than the file has. */
static bool unpack_address(struct seep_load *load, struct seep_unpack *unpack, uint32_t module,
			   struct seep_stored_address *address)
{
	struct seep_stored_frame *frames;
	uint64_t n;

	address->module = module;
	address->pc = seep_unpack_next(unpack);
	n = seep_unpack_next(unpack);
	if (unpack->bad || !n || n > (size_t)(unpack->end - unpack->at) / 4)
		return false;
	frames = seep_arena_array(load->arena, n, sizeof(*frames));
	for (uint64_t i = 0; i < n; i++)
		unpack_frame(load, unpack, &frames[i]);
	address->frames = frames;
	address->n_frames = (uint32_t)n;
	return !unpack->bad;
}

static void build_record(struct seep_load *load, const struct seep_rec_addresses *record,
			 struct seep_table *stored)
{
	struct seep_unpack unpack = seep_unpack_begin(record + 1, record->bytes);
	struct seep_stored_address address;

	if (!record->module || record->module >= load->modules.n) {
		load->damaged++;
		return;
	}
	for (uint32_t i = 0; i < record->count; i++) {
		if (!unpack_address(load, &unpack, record->module, &address)) {
			load->damaged++;
			return;
		}
		*(struct seep_stored_address *)seep_table_add(stored) = address;
	}
}

void seep_load_stored_build(struct seep_load *load)
{
	struct seep_table stored = SEEP_TABLE(load->arena, struct seep_stored_address);
	const struct seep_rec_addresses *const *records = load->addresses.items;

	for (size_t i = 0; i < load->addresses.n; i++)
		build_record(load, records[i], &stored);
	load->run->stored = stored.items;
	load->run->n_stored = stored.n;
	load->run->texts = load->texts.items;
	load->run->n_texts = load->texts.n;
}
