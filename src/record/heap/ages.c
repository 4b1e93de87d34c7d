/* SPDX-License-Identifier: MIT */
#include "record/heap/ages.h"

#include "os/mmap.h"

#define CELLS_MAX ((uint32_t)1 << 22)

struct seep_ages_cell *seep_ages_cells;

static uint32_t used = 1; /* cells handed out, and cell 0, which counts what has no place */

bool seep_ages_init(void)
{
	seep_ages_cells = seep_mmap_new(CELLS_MAX * sizeof(*seep_ages_cells));
	return seep_ages_cells;
}

static uint32_t take_cell(void)
{
	uint32_t cell;

	if (__atomic_load_n(&used, __ATOMIC_RELAXED) >= CELLS_MAX)
		return 0;
	cell = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
	return cell < CELLS_MAX ? cell : 0;
}

uint64_t *seep_ages_add(uint32_t *head, uint32_t bin)
{
	uint64_t *found = seep_ages_find(head, bin);
	uint32_t cell, first;

	if (found)
		return found;
	cell = take_cell();
	first = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	if (!cell)
		return &seep_ages_cells[first].deaths;
	seep_ages_cells[cell].bin = bin;
	do {
		seep_ages_cells[cell].next = first;
	} while (!__atomic_compare_exchange_n(head, &first, cell, false, __ATOMIC_RELEASE,
					      __ATOMIC_ACQUIRE));
	return &seep_ages_cells[cell].deaths;
}

void seep_ages_sum(const uint32_t *head, uint64_t *ages)
{
	uint32_t cell = __atomic_load_n(head, __ATOMIC_ACQUIRE);

	for (; cell; cell = seep_ages_cells[cell].next)
		ages[seep_ages_cells[cell].bin] +=
			__atomic_load_n(&seep_ages_cells[cell].deaths, __ATOMIC_RELAXED);
}

uint64_t seep_ages_own_bytes(void)
{
	uint32_t n = __atomic_load_n(&used, __ATOMIC_RELAXED);

	return (n < CELLS_MAX ? n : CELLS_MAX) * sizeof(*seep_ages_cells);
}
