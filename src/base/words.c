/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/words.h"

#include <string.h>

struct seep_word {
	struct seep_word *next;  /* of the same hash */
	uint32_t number;
	size_t n;
	char bytes[];
};

void seep_words_init(struct seep_words *words, struct seep_arena *arena)
{
	*words = (struct seep_words){ .arena = arena };
	seep_hash_map_init(&words->known, arena);
}

/* FNV-1a, eight bytes at a time, with a final mix. */
static uint64_t hash(const unsigned char *bytes, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u ^ n, word;

	for (; n >= 8; bytes += 8, n -= 8) {
		memcpy(&word, bytes, 8);
		h = (h ^ word) * 0x100000001b3u;
		h ^= h >> 32;
	}
	for (; n; bytes++, n--)
		h = (h ^ *bytes) * 0x100000001b3u;
	h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

uint32_t seep_words_put(struct seep_words *words, const void *bytes, size_t n, bool *is_new)
{
	uint64_t key = hash(bytes, n);
	struct seep_word *first = seep_hash_map_get(&words->known, key), *word;

	*is_new = false;
	for (word = first; word; word = word->next)
		if (word->n == n && !memcmp(word->bytes, bytes, n))
			return word->number;
	*is_new = true;
	word = seep_arena_alloc(words->arena, sizeof(*word) + n);
	word->number = ++words->n;
	word->n = n;
	memcpy(word->bytes, bytes, n);
	word->next = first;
	seep_hash_map_put(&words->known, key, word);
	return word->number;
}

uint32_t seep_words_text(struct seep_words *words, const char *text)
{
	bool is_new;

	return seep_words_put(words, text, strlen(text), &is_new);
}

uint32_t seep_words_pair(struct seep_words *words, uint32_t one, uint32_t two)
{
	uint32_t pair[] = { one, two };
	bool is_new;

	return seep_words_put(words, pair, sizeof(pair), &is_new);
}
