/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers distinct byte strings: 1, 2, 3 ...  Nothing is ever removed. */
#ifndef SEEP_BASE_WORDS_H
#define SEEP_BASE_WORDS_H

#include "base/arena.h"
#include "base/hash_map.h"

#include <stdbool.h>
#include <stdint.h>

struct seep_word;

struct seep_words {
	struct seep_arena *arena;
	struct seep_hash_map known;   /* by hash */
	uint32_t n;
};

void seep_words_init(struct seep_words *words, struct seep_arena *arena);

/* The number of these bytes; *is_new tells whether this call added them. */
uint32_t seep_words_put(struct seep_words *words, const void *bytes, size_t n, bool *is_new);

/* The same for a text, and for a pair of numbers. */
uint32_t seep_words_text(struct seep_words *words, const char *text);
uint32_t seep_words_pair(struct seep_words *words, uint32_t one, uint32_t two);

#endif
