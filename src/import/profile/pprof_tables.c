/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of a profile.proto.  Its messages come in any order, with strings often last, so
 * the whole file is kept and read in several passes.
 */
#include "import/profile/pprof.h"

#include "import/number.h"
#include "import/profile/protobuf.h"

#include <errno.h>
#include <string.h>

#define FILE_MAX ((size_t)128 << 20)
#define FIRST_ROOM ((size_t)1 << 16)
#define TEXT_MAX ((size_t)4000)
#define FIELDS 15

/* The fields of a profile that are messages or strings. */
static bool is_bytes(uint64_t field)
{
	return field >= 1 && field <= 6;
}

static bool is_profile_field(const struct seep_protobuf *in)
{
	if (in->field < 1 || in->field > FIELDS)
		return false;
	if (is_bytes(in->field) || in->field == 11)
		return in->type == SEEP_PROTOBUF_BYTES;
	if (in->field == 13) /* comments, packed or single */
		return in->type == SEEP_PROTOBUF_BYTES || in->type == SEEP_PROTOBUF_NUMBER;
	return in->field == 15 || in->type == SEEP_PROTOBUF_NUMBER;
}

/* A value type is two string numbers. */
static bool is_value_type(const struct seep_protobuf *message)
{
	struct seep_protobuf in = seep_protobuf_begin(message->data, message->bytes);

	while (seep_protobuf_next(&in))
		if (in.field < 1 || in.field > 2 || in.type != SEEP_PROTOBUF_NUMBER)
			return false;
	return !in.bad;
}

bool seep_pprof_recognise(const void *data, size_t bytes, bool whole)
{
	struct seep_protobuf in = seep_protobuf_begin(data, bytes);
	bool typed = false;

	while (seep_protobuf_next(&in)) {
		if (!is_profile_field(&in))
			return false;
		if (in.field != 1)
			continue;
		if (!in.bytes || !is_value_type(&in))
			return false;
		typed = true;
	}
	return typed && (!in.bad || !whole || bytes > 64);
}

const char *seep_pprof_string(struct seep_pprof *pprof, uint64_t index)
{
	const struct seep_pprof_text *texts = pprof->strings.items;
	size_t n;

	if (index >= pprof->strings.n)
		return "";
	n = texts[index].bytes < TEXT_MAX ? texts[index].bytes : TEXT_MAX;
	return seep_arena_copy(&pprof->arena, texts[index].text, n);
}

static int refuse(struct seep_pprof *pprof, const struct seep_protobuf *in, const char *path,
		  struct seep_err *err, const char *what)
{
	return seep_err_set(err, EBADMSG, "%.200s: byte %zu: %s", path,
			    (size_t)(in->where - pprof->data), what);
}

/* Sets numbers[field] for each field of the message below n. */
static bool take_numbers(const struct seep_protobuf *message, uint64_t *numbers, size_t n)
{
	struct seep_protobuf in = seep_protobuf_begin(message->data, message->bytes);

	memset(numbers, 0, n * sizeof(*numbers));
	while (seep_protobuf_next(&in))
		if (in.field < n && in.type == SEEP_PROTOBUF_NUMBER)
			numbers[in.field] = in.number;
	return !in.bad;
}

static bool check_strings(const struct seep_pprof *pprof, const uint64_t *indices, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (indices[i] >= pprof->strings.n)
			return false;
	return true;
}

static void take_string(struct seep_pprof *pprof, const struct seep_protobuf *in)
{
	struct seep_pprof_text *text = seep_table_add(&pprof->strings);

	text->text = (const char *)in->data;
	text->bytes = strnlen(text->text, in->bytes);
}

static bool take_type(struct seep_pprof *pprof, const struct seep_protobuf *in,
		      struct seep_pprof_type *type)
{
	uint64_t numbers[3];

	if (!take_numbers(in, numbers, 3) || !check_strings(pprof, numbers + 1, 2))
		return false;
	type->name = seep_pprof_string(pprof, numbers[1]);
	type->unit = seep_pprof_string(pprof, numbers[2]);
	return true;
}

static bool take_function(struct seep_pprof *pprof, const struct seep_protobuf *in)
{
	struct seep_pprof_function *function;
	uint64_t numbers[5];

	if (!take_numbers(in, numbers, 5) || !check_strings(pprof, numbers + 2, 3))
		return false;
	function = seep_arena_alloc(&pprof->arena, sizeof(*function));
	function->name = seep_pprof_string(pprof, numbers[2]);
	if (!*function->name)
		function->name = seep_pprof_string(pprof, numbers[3]);
	function->file = seep_pprof_string(pprof, numbers[4]);
	seep_hash_map_put(&pprof->functions, numbers[1], function);
	return true;
}

/* Parses a hexadecimal build id; ignores anything else. */
static void take_build_id(struct seep_pprof_mapping *mapping, const char *text)
{
	size_t n = strlen(text) / 2;

	if (n > sizeof(mapping->build_id) || strlen(text) % 2)
		return;
	for (size_t i = 0; i < n; i++) {
		int high = seep_number_digit(text[2 * i]), low = seep_number_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return;
		mapping->build_id[i] = (unsigned char)(high << 4 | low);
	}
	mapping->build_id_bytes = n;
}

static bool take_mapping(struct seep_pprof *pprof, const struct seep_protobuf *in)
{
	struct seep_pprof_mapping *mapping;
	uint64_t numbers[7];

	if (!take_numbers(in, numbers, 7) || !check_strings(pprof, numbers + 5, 2))
		return false;
	mapping = seep_arena_alloc(&pprof->arena, sizeof(*mapping));
	mapping->start = numbers[2];
	mapping->end = numbers[3];
	mapping->offset = numbers[4];
	mapping->path = seep_pprof_string(pprof, numbers[5]);
	take_build_id(mapping, seep_pprof_string(pprof, numbers[6]));
	seep_hash_map_put(&pprof->mappings, numbers[1], mapping);
	return true;
}

static bool take_location(struct seep_pprof *pprof, const struct seep_protobuf *in)
{
	struct seep_pprof_location *location;
	uint64_t numbers[4];

	if (!take_numbers(in, numbers, 4))
		return false;
	location = seep_arena_alloc(&pprof->arena, sizeof(*location));
	location->mapping = seep_hash_map_get(&pprof->mappings, numbers[2]);
	location->address = numbers[3];
	location->message = in->data;
	location->bytes = in->bytes;
	seep_hash_map_put(&pprof->locations, numbers[1], location);
	return true;
}

/*
 * Pass 0 takes fields that stand alone, pass 1 those that refer to strings, pass 2 those that
 * refer to mappings.
 */
static bool take_field(struct seep_pprof *pprof, const struct seep_protobuf *in, int pass)
{
	switch (in->field) {
	case 1:
		return pass != 1 || take_type(pprof, in, seep_table_add(&pprof->types));
	case 3:
		return pass != 1 || take_mapping(pprof, in);
	case 4:
		return pass != 2 || take_location(pprof, in);
	case 5:
		return pass != 1 || take_function(pprof, in);
	case 6:
		if (pass == 0)
			take_string(pprof, in);
		return true;
	case 9:
		pprof->time_ns = in->number < INT64_MAX ? (int64_t)in->number : 0;
		return true;
	case 11:
		return pass != 1 || take_type(pprof, in, &pprof->period_type);
	case 12:
		pprof->period = in->number < INT64_MAX ? in->number : 0;
		return true;
	default:
		return true;
	}
}

static int take_tables(struct seep_pprof *pprof, const char *path, struct seep_err *err)
{
	for (int pass = 0; pass < 3; pass++) {
		struct seep_protobuf in = seep_protobuf_begin(pprof->data, pprof->bytes);

		while (seep_protobuf_next(&in)) {
			if (!is_profile_field(&in))
				return refuse(pprof, &in, path, err, "not a valid field of a "
					      "profile");
			if (!take_field(pprof, &in, pass))
				return refuse(pprof, &in, path, err, "a message of the profile is "
					      "damaged, or refers to a missing string");
		}
		if (in.bad)
			return refuse(pprof, &in, path, err, "the file ends in the middle of a "
				      "field, or a length is wrong; was it truncated?");
	}
	return 0;
}

static int read_all(struct seep_pprof *pprof, struct seep_source *source, struct seep_err *err)
{
	size_t room = FIRST_ROOM;
	unsigned char *data = seep_arena_alloc(&pprof->arena, room), *larger;
	int64_t n;

	while ((n = seep_source_read(source, data + pprof->bytes, room - pprof->bytes, err)) > 0) {
		pprof->bytes += (size_t)n;
		if (pprof->bytes < room)
			break;
		if (room >= FILE_MAX)
			return seep_source_refuse_byte(source, EFBIG, err, "a profile of more than "
						       "%zu MB", FILE_MAX >> 20);
		larger = seep_arena_alloc(&pprof->arena, 2 * room);
		memcpy(larger, data, room);
		data = larger;
		room *= 2;
	}
	pprof->data = data;
	return n < 0 ? (int)n : 0;
}

int seep_pprof_read(struct seep_pprof *pprof, struct seep_source *source, struct seep_err *err)
{
	int rc;

	*pprof = (struct seep_pprof){ 0 };
	seep_arena_init(&pprof->arena);
	pprof->strings = SEEP_TABLE(&pprof->arena, struct seep_pprof_text);
	pprof->types = SEEP_TABLE(&pprof->arena, struct seep_pprof_type);
	seep_hash_map_init(&pprof->functions, &pprof->arena);
	seep_hash_map_init(&pprof->mappings, &pprof->arena);
	seep_hash_map_init(&pprof->locations, &pprof->arena);
	rc = read_all(pprof, source, err);
	return rc ? rc : take_tables(pprof, seep_source_path(source), err);
}

void seep_pprof_release(struct seep_pprof *pprof)
{
	seep_arena_release(&pprof->arena);
}
