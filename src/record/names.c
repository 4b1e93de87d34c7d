/* SPDX-License-Identifier: MIT */
#include "record/names.h"

#include "os/mmap.h"
#include "record/recording.h"

#include <string.h>

#define NAMES_MAX SEEP_NAMES_MAX
#define LETTERS_BYTES ((size_t)NAMES_MAX * (SEEP_TRACE_NAME_MAX + 1))
#define SLOTS 8192u
#define BY_POINTER 64u

struct name {
	uint32_t at;             /* in letters */
	uint32_t bytes;
	uint32_t hash;
	uint32_t generation;     /* of the trace that has it */
};

static struct {
	struct name *names;      /* names[0] is unused */
	char *letters;
	size_t letters_used;
	uint32_t n;
	bool told;               /* the note about too many names is written */
	uint16_t *slots;
	/* A call site passes the same pointer each time: no hash, only one comparison. */
	struct {
		const char *pointer;
		uint32_t id;
	} recent[BY_POINTER];
} table;

static bool make_table(void)
{
	if (table.letters)
		return true;
	table.names = seep_mmap_new(NAMES_MAX * sizeof(*table.names));
	table.slots = seep_mmap_new(SLOTS * sizeof(*table.slots));
	table.letters = seep_mmap_new(LETTERS_BYTES);
	table.n = 1;
	return table.names && table.slots && table.letters;
}

static char clean(char c)
{
	return c == ':' || (unsigned char)c < 0x20 || c == 0x7f ? '_' : c;
}

/* Compares at most as many letters as are kept. */
static bool is_same(const struct name *name, const char *text)
{
	const char *letters = table.letters + name->at;
	uint32_t i;

	for (i = 0; i < name->bytes; i++)
		if (text[i] != letters[i] && (!text[i] || clean(text[i]) != letters[i]))
			return false;
	return !text[i] || i == SEEP_TRACE_NAME_MAX;
}

static void write_name(uint32_t id)
{
	struct name *name = &table.names[id];
	struct seep_rec_name record = {.id = id, .bytes = name->bytes};

	if (name->generation == seep_recording_generation())
		return;
	name->generation = seep_recording_generation();
	seep_recording_write(SEEP_REC_NAME, 0, &record, sizeof(record), table.letters + name->at,
			     name->bytes);
}

static uint32_t add(const char *text, uint32_t bytes, uint32_t hash, uint16_t *slot)
{
	struct name *name = &table.names[table.n];
	uint32_t i;

	if (table.n == NAMES_MAX) {
		if (!table.told)
			seep_recording_note("more than 4096 names of stamps and counters: the "
					    "later ones are not recorded", SEEP_NOTE_INFO);
		table.told = true;
		return 0;
	}
	name->at = (uint32_t)table.letters_used;
	name->bytes = bytes;
	name->hash = hash;
	for (i = 0; i < bytes; i++)
		table.letters[table.letters_used++] = clean(text[i]);
	*slot = (uint16_t)table.n;
	return table.n++;
}

static uint32_t find_or_add(const char *text)
{
	uint32_t hash = 2166136261u, bytes = 0, at;

	for (; text[bytes] && bytes < SEEP_TRACE_NAME_MAX; bytes++)
		hash = (hash ^ (unsigned char)clean(text[bytes])) * 16777619u;
	for (at = hash % SLOTS; table.slots[at]; at = (at + 1) % SLOTS) {
		uint32_t id = table.slots[at];

		if (table.names[id].hash == hash && is_same(&table.names[id], text))
			return id;
	}
	return add(text, bytes, hash, &table.slots[at]);
}

uint32_t seep_names_id(const char *text)
{
	uint32_t recent = (uint32_t)((uintptr_t)text >> 3) % BY_POINTER, id;

	if (!text || !*text || !make_table())
		return 0;
	id = table.recent[recent].id;
	if (table.recent[recent].pointer != text || !is_same(&table.names[id], text)) {
		id = find_or_add(text);
		if (!id)
			return 0;
		table.recent[recent].pointer = text;
		table.recent[recent].id = id;
	}
	write_name(id);
	return id;
}
