/* SPDX-License-Identifier: MIT */
/*
 * Deaths by age, for tables in which most entries know few ages: of a site in one thread, and of a
 * pair of site and freeing stack.
 *
 *	head ---> cell: bin, deaths ---> cell ...        the latest bin first; head 0: none
 *
 * A cell never goes, and its bin never changes.  Only new cells are made with an atomic
 * operation, so who shares a head must add to its cells atomically.  If two threads make a cell of
 * one bin at once, both count.
 */
#ifndef SEEP_RECORD_HEAP_AGES_H
#define SEEP_RECORD_HEAP_AGES_H

#include <stdbool.h>
#include <stdint.h>

struct seep_ages_cell {
	uint64_t deaths;
	uint32_t next;
	uint32_t bin;
};

extern struct seep_ages_cell *seep_ages_cells;

bool seep_ages_init(void);

/* Where deaths of this bin are counted; NULL: nowhere yet. */
static inline uint64_t *seep_ages_find(const uint32_t *head, uint32_t bin)
{
	uint32_t cell = __atomic_load_n(head, __ATOMIC_ACQUIRE);

	while (cell && seep_ages_cells[cell].bin != bin)
		cell = seep_ages_cells[cell].next;
	return cell ? &seep_ages_cells[cell].deaths : 0;
}

/*
 * The same; makes a cell if need be.  When there are too many, they are counted at another age of
 * the entry, or if it has none, nowhere.
 */
uint64_t *seep_ages_add(uint32_t *head, uint32_t bin);

/* Adds them up into ages, by bin. */
void seep_ages_sum(const uint32_t *head, uint64_t *ages);

uint64_t seep_ages_own_bytes(void);

#endif
