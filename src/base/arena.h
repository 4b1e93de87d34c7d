/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tool's memory: everything that belongs to one run is carved from one
 * arena and released at once.
 *
 * seep_arena_alloc never returns NULL: without memory the command can do nothing useful, so it
 * prints one line and exits with status 125. Sizes that come from a file must be checked against
 * the file's size before they reach the arena.  Memory is zeroed and aligned for any type.
 */
#ifndef SEEP_BASE_ARENA_H
#define SEEP_BASE_ARENA_H

#include <stddef.h>

struct seep_arena_block;

struct seep_arena {
	struct seep_arena_block *newest;
};

void seep_arena_init(struct seep_arena *arena);
void seep_arena_release(struct seep_arena *arena);

void *seep_arena_alloc(struct seep_arena *arena, size_t bytes);

/* n items of size bytes each; an overflowing product counts as out of memory. */
void *seep_arena_array(struct seep_arena *arena, size_t n, size_t size);

/* Copies n bytes and adds a terminating zero. */
char *seep_arena_copy(struct seep_arena *arena, const char *text, size_t n);

char *seep_arena_printf(struct seep_arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Makes room for one more item in a growing array: returns items itself, or a copy twice as
 * large.  *room is the number of items that fit.
 */
void *seep_arena_grow(struct seep_arena *arena, void *items, size_t n, size_t *room, size_t size);

#endif
