/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An array that is indexed by ids from a file and grows as larger ones appear.
 *
 *	struct seep_table nodes = SEEP_TABLE(arena, struct node);
 *	struct node *node = seep_table_at(&nodes, id);
 *
 * It cannot know which ids are plausible: the caller checks them against the size of the file
 * first.
 */
#ifndef SEEP_BASE_TABLE_H
#define SEEP_BASE_TABLE_H

#include "base/arena.h"

struct seep_table {
	struct seep_arena *arena;
	void *items;
	size_t n;                /* one more than the largest index asked for */
	size_t room;
	size_t size;             /* of an item */
};

#define SEEP_TABLE(the_arena, type) \
	((struct seep_table){ .arena = (the_arena), .size = sizeof(type) })

/*
 * The item at index, zeroed if it was never asked for.  Pointers to items are valid until the
 * table grows.
 */
void *seep_table_at(struct seep_table *table, size_t index);

/* A new item at the end. */
void *seep_table_add(struct seep_table *table);

/* Empties the table; its memory is kept for reuse. */
void seep_table_clear(struct seep_table *table);

#endif
