/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers for the names of frames.  Stacks share most of their frames, and frames share their
 * texts: each text is looked at once, and from then on known by its address.
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
	struct seep_hash_map known;   /* by the address of the function's name */
	struct seep_words words;
	bool keys;               /* names as in model/key.h, else as they are */
	bool same_build;         /* likewise */
	uint32_t end;            /* the number of main, where a key ends */
};

void seep_compare_names_init(struct seep_compare_names *names, bool keys, bool same_build,
			     struct seep_arena *arena);

/* From 1 on; 0 for a frame that is no part of a key.  Equal names have equal numbers. */
uint32_t seep_compare_names_number(struct seep_compare_names *names,
				   const struct seep_frame *frame);

/*
 * Fills the key, a table of uint32_t, with the names of a stack from its own one to main; true
 * if something was left out since it called itself.
 */
bool seep_compare_names_key(struct seep_compare_names *names, const struct seep_stack *stack,
			    struct seep_table *key);

#endif
