/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/compare/compare_names.h"

#include "model/key.h"

#include <string.h>

/* Functions in several modules may have the same name. */
struct name {
	const struct name *next;
	const char *module;
	uint32_t number;
};

void seep_compare_names_init(struct seep_compare_names *names, bool keys, bool same_build,
			     struct seep_arena *arena)
{
	*names = (struct seep_compare_names){ .arena = arena, .keys = keys,
					      .same_build = same_build };
	seep_hash_map_init(&names->known, arena);
	seep_words_init(&names->words, arena);
	if (keys) /* otherwise, each number identifies a frame */
		names->end = seep_words_text(&names->words, "main");
}

static uint32_t look_at(struct seep_compare_names *names, const struct seep_frame *frame)
{
	const char *name = frame->function;
	size_t length;
	bool is_new;

	if (!names->keys)
		return seep_words_text(&names->words, name);
	if (!seep_key_name(frame, names->same_build, &name, &length))
		return 0;
	return seep_words_put(&names->words, name, length, &is_new);
}

uint32_t seep_compare_names_number(struct seep_compare_names *names,
				   const struct seep_frame *frame)
{
	uint64_t address = (uintptr_t)frame->function;
	const struct name *first = seep_hash_map_get(&names->known, address);
	struct name *name;

	for (const struct name *known = first; known; known = known->next)
		if (known->module == frame->module)
			return known->number;
	name = seep_arena_alloc(names->arena, sizeof(*name));
	*name = (struct name){ first, frame->module, look_at(names, frame) };
	seep_hash_map_put(&names->known, address, name);
	return name->number;
}

bool seep_compare_names_key(struct seep_compare_names *names, const struct seep_stack *stack,
			    struct seep_table *key)
{
	bool recursive = false;
	uint32_t last = 0;

	seep_table_clear(key);
	for (size_t i = stack->own_frame; i < stack->n_frames && last != names->end; i++) {
		uint32_t number = 0;

		if (!seep_key_is_interpreter(stack, &stack->frames[i]))
			number = seep_compare_names_number(names, &stack->frames[i]);
		recursive = recursive || (number && number == last);
		if (number && number != last)
			*(uint32_t *)seep_table_add(key) = last = number;
	}
	return recursive;
}
