/* SPDX-License-Identifier: MIT */
/*
 * The live blocks that sampling has chosen, by address.
 *
 * They are few and far apart, so in the shadow (live.h) each would take a page of its own; here
 * it takes 40 bytes.  This is a hash table with chaining under one lock: chosen blocks come and
 * go rarely, and whether a chain is empty can be seen without the lock.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_CHOSEN_H
#define SEEP_RECORD_HEAP_BOOK_CHOSEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_chosen {
	const void *block;
	uint64_t bytes;          /* as asked for */
	uint64_t weight;         /* blocks of this size that it stands for */
	uint32_t site;           /* 0: none */
	uint32_t event;          /* of its birth */
	uint32_t next;           /* of its chain */
	uint32_t pad;
};

/* False if there is no address space. */
bool seep_chosen_init(void);

/*
 * False if there is no memory.  inside: a signal handler has interrupted this thread and must
 * not wait, so also false if the table is being changed.
 */
bool seep_chosen_put(const struct seep_chosen *chosen, bool inside);

/* Takes a block out; false if it is not there, or for the same reason as above. */
bool seep_chosen_take(const void *block, struct seep_chosen *chosen, bool inside);

/* Calls visit for every block; those that come and go meanwhile may be seen or not. */
void seep_chosen_scan(void (*visit)(const struct seep_chosen *chosen, void *context),
		      void *context);

/* Bytes of entries in use, or that once were. */
uint64_t seep_chosen_own_bytes(void);

void seep_chosen_forked(void);

#endif
