/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers for the names of frames.  Stacks share most of their frames, and frames share the strings
 * of their names.  So each string is examined once and later recognised by its address.
 */
#ifndef SEEP_ANALYSE_COMPARE_COMPARE_NAMES_H
#define SEEP_ANALYSE_COMPARE_COMPARE_NAMES_H

#include "base/arena.h"
#include "base/hash_map.h"
#include "base/table.h"
#include "base/words.h"
#include "model/run.h"

struct seep_compare_names {
	struct seep_arena *arena;
	struct seep_hash_map known;   /* by the address of the name string */
	struct seep_words words;
	bool keys;               /* shorten names as in model/key.h */
	bool same_build;         /* passed on to model/key.h */
	uint32_t end;            /* the number of main, where keys end */
};

void seep_compare_names_init(struct seep_compare_names *names, bool keys, bool same_build,
			     struct seep_arena *arena);

/* The number of a frame, from 1; 0: not part of a key.  Equal names have equal numbers. */
uint32_t seep_compare_names_number(struct seep_compare_names *names,
				   const struct seep_frame *frame);

/*
 * Fills key, a table of uint32_t, with the names in a stack, from the program's own frame to main.
 * Returns true if frames were left out because of recursion.
 */
bool seep_compare_names_key(struct seep_compare_names *names, const struct seep_stack *stack,
			    struct seep_table *key);

#endif
