/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An array in pieces.  It grows without being copied, so a large one needs no more memory than
 * its items, and pointers to items stay valid.
 */
#ifndef SEEP_BASE_SHELF_H
#define SEEP_BASE_SHELF_H

#include "base/table.h"

#define SEEP_SHELF_PIECE ((size_t)8192)

struct seep_shelf {
	struct seep_table pieces; /* char * */
	size_t n;
	size_t size;             /* of an item */
};

#define SEEP_SHELF(the_arena, type) \
	((struct seep_shelf){ .pieces = SEEP_TABLE(the_arena, char *), .size = sizeof(type) })

/* A new item, zeroed, at the end. */
static inline void *seep_shelf_add(struct seep_shelf *shelf)
{
	size_t piece = shelf->n / SEEP_SHELF_PIECE;
	char **place;

	if (piece == shelf->pieces.n) {
		place = seep_table_add(&shelf->pieces);
		*place = seep_arena_array(shelf->pieces.arena, SEEP_SHELF_PIECE, shelf->size);
	}
	place = (char **)shelf->pieces.items + piece;
	return *place + shelf->n++ % SEEP_SHELF_PIECE * shelf->size;
}

/* The item at an index below n. */
static inline void *seep_shelf_at(const struct seep_shelf *shelf, size_t index)
{
	char *const *pieces = shelf->pieces.items;

	return pieces[index / SEEP_SHELF_PIECE] + index % SEEP_SHELF_PIECE * shelf->size;
}

#endif
