/* SPDX-License-Identifier: MIT */
#include "record/heap/cells.h"

static uint64_t bytes;

union seep_cells_cell *seep_cells_take(struct seep_cells *cells, uint16_t *number)
{
	uint32_t cell = cells->unused;

	if (cell) {
		cells->unused = cells->of[cell].next;
		cells->of[cell] = (union seep_cells_cell){0};
	} else if (cells->n < cells->max) {
		cell = cells->n++;
		__atomic_fetch_add(&bytes, sizeof(*cells->of), __ATOMIC_RELAXED);
	}
	__atomic_store_n(number, (uint16_t)cell, __ATOMIC_RELEASE);
	return &cells->of[cell];
}

void seep_cells_give(struct seep_cells *cells, uint16_t number)
{
	if (!number)
		return;
	cells->of[number].next = cells->unused;
	cells->unused = number;
}

uint64_t seep_cells_bytes(void)
{
	return __atomic_load_n(&bytes, __ATOMIC_RELAXED);
}
