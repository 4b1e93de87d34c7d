/* SPDX-License-Identifier: MIT */
#include "record/heap/python/python_text.h"

#include "os/lock.h"
#include "os/mmap.h"
#include "os/process.h"
#include "record/heap/python/python.h"
#include "record/heap/stack/intern.h"

#include <string.h>

#define TEXTS_MAX ((uint32_t)1 << 18)
#define ROOM_BYTES ((uint32_t)24 << 20)
#define CHUNK 64u            /* letters that are read at once */
#define CHARACTER_MAX 0x10ffffu

/* Texts: a and b are two hashes of the letters; the value is where they are: a length, letters. */
static struct seep_intern texts;

static struct {
	struct seep_lock lock;
	char *letters;
	uint32_t used;
} room;

bool seep_python_text_init(void)
{
	room.letters = seep_mmap_new(ROOM_BYTES);
	return room.letters && seep_intern_init(&texts, TEXTS_MAX);
}

/* Appends a character; false if there is no room. */
static bool put(struct seep_python_text *text, char *to, uint32_t c)
{
	unsigned char bytes[4];
	uint32_t n = 0;

	if (c > CHARACTER_MAX)
		return false;
	if (c < 0x80) {
		bytes[n++] = (unsigned char)c;
	} else if (c < 0x800) {
		bytes[n++] = (unsigned char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		bytes[n++] = (unsigned char)(0xe0 | c >> 12);
		bytes[n++] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
	} else {
		bytes[n++] = (unsigned char)(0xf0 | c >> 18);
		bytes[n++] = (unsigned char)(0x80 | (c >> 12 & 0x3f));
		bytes[n++] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
	}
	if (c >= 0x80)
		bytes[n++] = (unsigned char)(0x80 | (c & 0x3f));
	if (text->bytes + n > SEEP_PYTHON_TEXT_MAX)
		return false;
	memcpy(to + text->bytes, bytes, n);
	text->bytes += n;
	return true;
}

static uint32_t letter(const void *letters, uint32_t i, uint32_t kind)
{
	if (kind == 1)
		return ((const uint8_t *)letters)[i];
	return kind == 2 ? ((const uint16_t *)letters)[i] : ((const uint32_t *)letters)[i];
}

/* kind: bytes of a letter. */
static bool convert(struct seep_python_text *text, char *to, uintptr_t from, uint64_t length,
		    uint32_t kind)
{
	uint32_t chunk[CHUNK];

	while (length) {
		uint32_t n = length < CHUNK ? (uint32_t)length : CHUNK, i;

		if (!seep_process_peek(from, chunk, (size_t)n * kind))
			return false;
		for (i = 0; i < n; i++)
			if (!put(text, to, letter(chunk, i, kind)))
				return true;
		from += (uintptr_t)n * kind;
		length -= n;
	}
	return true;
}

/* The letters of a compact text; others do not occur in code objects. */
static bool read_text(struct seep_python_text *text, char *to, uintptr_t object)
{
	const struct seep_python_layout *layout = &seep_python.layout;
	uint32_t state, kind;
	uint64_t length;
	bool ascii;

	if (!seep_process_peek(object + layout->text_state, &state, sizeof(state)) ||
	    !seep_process_peek(object + layout->text_length, &length, sizeof(length)))
		return false;
	kind = state >> 2 & 7;
	ascii = state >> 6 & 1;
	if (!(state >> 5 & 1) || (kind != 1 && kind != 2 && kind != 4))
		return false;
	return convert(text, to, object + (ascii ? layout->text_ascii : layout->text_other),
		       length, kind);
}

static uint64_t hash_letters(const char *letters, uint32_t bytes, uint64_t hash)
{
	while (bytes--)
		hash = (hash ^ (unsigned char)*letters++) * 0x100000001b3u;
	return hash ^ hash >> 29;
}

static uint32_t keep(const struct seep_python_text *text)
{
	uint32_t at = room.used;

	if (text->bytes + sizeof(at) > ROOM_BYTES - at)
		return 0;
	memcpy(room.letters + at, &text->bytes, sizeof(text->bytes));
	memcpy(room.letters + at + sizeof(at), text->letters, text->bytes);
	room.used += (uint32_t)sizeof(at) + text->bytes;
	return at;
}

uint32_t seep_python_text_add(uintptr_t object)
{
	char letters[SEEP_PYTHON_TEXT_MAX];
	struct seep_python_text text = {.letters = letters};
	uint64_t a, b;
	uint32_t id;

	if (!object || !read_text(&text, letters, object))
		return 0;
	a = hash_letters(letters, text.bytes, 0xcbf29ce484222325u);
	b = hash_letters(letters, text.bytes, 0x9e3779b97f4a7c15u);
	seep_lock_take(&room.lock);
	id = seep_intern_find(&texts, a, b);
	if (!id) {
		if (!room.used)
			room.used = sizeof(uint32_t);
		id = keep(&text);
		if (id)
			id = seep_intern_add(&texts, a, b, id);
	}
	seep_lock_give(&room.lock);
	return id;
}

struct seep_python_text seep_python_text_get(uint32_t id)
{
	const char *at = room.letters + texts.values[id];
	struct seep_python_text text = {.letters = at + sizeof(text.bytes)};

	memcpy(&text.bytes, at, sizeof(text.bytes));
	return text;
}

uint64_t seep_python_text_own_bytes(void)
{
	return seep_intern_own_bytes(&texts) + room.used;
}

void seep_python_text_forked(void)
{
	seep_lock_renew(&room.lock);
	seep_lock_renew(&texts.lock);
}
