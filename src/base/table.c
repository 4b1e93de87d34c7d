/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table.h"

#include <string.h>

static void make_room(struct seep_table *table, size_t index)
{
	size_t room = table->room ? table->room : 16;
	void *larger;

	while (room <= index)
		room *= 2;
	larger = seep_arena_array(table->arena, room, table->size);
	if (table->n)
		memcpy(larger, table->items, table->n * table->size);
	table->items = larger;
	table->room = room;
}

void *seep_table_at(struct seep_table *table, size_t index)
{
	if (index >= table->room)
		make_room(table, index);
	if (index >= table->n)
		table->n = index + 1;
	return (char *)table->items + index * table->size;
}

void *seep_table_add(struct seep_table *table)
{
	return seep_table_at(table, table->n);
}

void seep_table_clear(struct seep_table *table)
{
	if (table->n)
		memset(table->items, 0, table->n * table->size);
	table->n = 0;
}
