/* SPDX-License-Identifier: MIT */
/*
 * How much of a range of addresses is present: in this process's memory, or
 * swapped out.  Read from the page tables (pagemap), which cover files and
 * shared memory too; mincore would report what is in the page cache.
 */
#ifndef SEEP_OS_PAGES_H
#define SEEP_OS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_PAGES_WINDOW 64u /* pages per read */

/* A look at the page tables: open, count as often as wanted, close. */
struct seep_pages {
	int fd;
};

/* False if they cannot be read.  All three keep errno. */
bool seep_pages_open(struct seep_pages *pages);
void seep_pages_close(struct seep_pages *pages);

/* A bit for each of n pages (at most a window), starting at this address: is it present? */
uint64_t seep_pages_look(const struct seep_pages *pages, uintptr_t address, uint32_t n);

/* How many of them are. */
uint32_t seep_pages_count(const struct seep_pages *pages, uintptr_t address, uint32_t n);

/* Bytes of all pages in the range that are present; a page that is partly in it counts in full. */
uint64_t seep_pages_count_bytes(const struct seep_pages *pages, uintptr_t start, uintptr_t end);

#endif
