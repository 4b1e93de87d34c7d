/* SPDX-License-Identifier: MIT */
/*
 * Sites for stacks that are too many.
 *
 * A program may have any number of different stacks (recursion over data, such as a parser or a
 * tree).  Up to a bound each of them is a site.  Beyond it, sites that exist stay what they are,
 * and a new stack is counted at the site of its inner frames, whose stack is cut there.  So no
 * block is left out, all sums stay exact, and memory and time stay bounded.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_POOLED_H
#define SEEP_RECORD_HEAP_BOOK_POOLED_H

#include <stdbool.h>
#include <stdint.h>

struct seep_account_table;
struct seep_thread;

/* Whether there are as many stacks as are told apart. */
bool seep_pooled_is_due(void);

/*
 * The number of the thread's stack, whose frames are known (python_merge.h), by its inner frames; 0
 * if there is no room.  other: as in account.h.
 */
uint32_t seep_pooled_number(struct seep_thread *thread, struct seep_account_table *table,
			    uint64_t other);

/* Notes in the trace, once when it began and once at the end, that there are such sites. */
void seep_pooled_note(bool end);

#endif
