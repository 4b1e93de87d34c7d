/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)
#define ALIGN_BYTES ((size_t)16)

struct seep_arena_block {
	struct seep_arena_block *older;
	size_t used;
	size_t bytes;
	_Alignas(16) unsigned char data[];
};

static _Noreturn void die_of_memory(void)
{
	fputs("seep: out of memory; try a machine with more memory, or a shorter trace\n", stderr);
	exit(125);
}

static struct seep_arena_block *add_block(struct seep_arena *arena, size_t bytes)
{
	struct seep_arena_block *block;

	if (bytes < BLOCK_BYTES)
		bytes = BLOCK_BYTES;
	block = calloc(1, sizeof(*block) + bytes);
	if (!block)
		die_of_memory();
	block->older = arena->newest;
	block->bytes = bytes;
	arena->newest = block;
	return block;
}

void seep_arena_init(struct seep_arena *arena)
{
	arena->newest = NULL;
}

void seep_arena_release(struct seep_arena *arena)
{
	while (arena->newest) {
		struct seep_arena_block *older = arena->newest->older;

		free(arena->newest);
		arena->newest = older;
	}
}

void *seep_arena_alloc(struct seep_arena *arena, size_t bytes)
{
	struct seep_arena_block *block = arena->newest;
	void *memory;

	if (bytes > SIZE_MAX / 4)
		die_of_memory();
	bytes = (bytes + ALIGN_BYTES - 1) & ~(ALIGN_BYTES - 1);
	if (!block || block->bytes - block->used < bytes)
		block = add_block(arena, bytes);
	memory = block->data + block->used;
	block->used += bytes;
	return memory;
}

void *seep_arena_array(struct seep_arena *arena, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / 4 / size)
		die_of_memory();
	return seep_arena_alloc(arena, n * size);
}

char *seep_arena_copy(struct seep_arena *arena, const char *text, size_t n)
{
	char *copy = seep_arena_alloc(arena, n + 1);

	if (n)
		memcpy(copy, text, n);
	return copy;
}

char *seep_arena_printf(struct seep_arena *arena, const char *fmt, ...)
{
	va_list args, again;
	char *text;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	text = seep_arena_alloc(arena, n < 0 ? 1 : (size_t)n + 1);
	if (n >= 0)
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	return text;
}

void *seep_arena_grow(struct seep_arena *arena, void *items, size_t n, size_t *room, size_t size)
{
	void *larger;

	if (n < *room)
		return items;
	*room = *room ? *room * 2 : 16;
	larger = seep_arena_array(arena, *room, size);
	if (n)
		memcpy(larger, items, n * size);
	return larger;
}
