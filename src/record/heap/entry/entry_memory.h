/* SPDX-License-Identifier: MIT */
/*
 * Changes the code of this process.  errno is kept; what fails returns -errno.
 *
 * A branch of five bytes reaches SEEP_ENTRY_REACH bytes, so what it leads to has to be near.
 */
#ifndef SEEP_RECORD_HEAP_ENTRY_ENTRY_MEMORY_H
#define SEEP_RECORD_HEAP_ENTRY_ENTRY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define SEEP_ENTRY_REACH (((uintptr_t)1 << 31) - ((uintptr_t)1 << 24))

/* A page that can be written, as close below at as possible, else above; NULL: there is none. */
void *seep_entry_memory_page(uintptr_t at);

/* From now on the page can be executed and not be written, or the other way round. */
int seep_entry_memory_seal(void *page);
int seep_entry_memory_unseal(void *page);

/*
 * Writes over code that can be executed; at most 8 bytes.  Another thread sees all of them or none,
 * unless they cross a boundary of 16 bytes.
 */
int seep_entry_memory_write(uintptr_t at, const void *bytes, size_t n);

#endif
