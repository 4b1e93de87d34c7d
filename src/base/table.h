/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An array that is addressed by ids out of a file and grows as they come.
 *
 *	struct seep_table nodes = SEEP_TABLE(arena, struct node);
 *	struct node *node = seep_table_at(&nodes, id);
 *
 * It cannot know which ids are plausible: the caller checks them against what
 * the file has room for, before they get here.
 */
#ifndef SEEP_BASE_TABLE_H
#define SEEP_BASE_TABLE_H

#include "base/arena.h"

struct seep_table {
	struct seep_arena *arena;
	void *items;
	size_t n;                /* the largest index asked for, and one */
	size_t room;
	size_t size;             /* of an item */
};

#define SEEP_TABLE(the_arena, type) \
	((struct seep_table){ .arena = (the_arena), .size = sizeof(type) })

/*
 * The item at index, zeroed if it was never asked for.  Pointers to items hold
 * until the table grows.
 */
void *seep_table_at(struct seep_table *table, size_t index);

/* A new item at the end. */
void *seep_table_add(struct seep_table *table);

/* Empties it; the memory is kept and used again. */
void seep_table_clear(struct seep_table *table);

#endif
