/* SPDX-License-Identifier: MIT */
/*
 * What is born minus what died is what lives.
 *
 * A snapshot scans the live blocks first and adds the threads' counters up after that.  Other
 * threads allocate and free meanwhile, so the two belong to moments some milliseconds apart.
 * They are settled in favour of the scan: what was born after it is not counted yet, and
 * neither is what died.  Not for a thread that is alone: there the counts agree by themselves,
 * and tests see if they do not.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_SETTLE_H
#define SEEP_RECORD_HEAP_BOOK_SETTLE_H

#include <stdint.h>

struct seep_tally;

/* ages: of the deaths in sum, SEEP_TRACE_AGE_BINS of them. */
void seep_settle_site(struct seep_tally *sum, uint64_t *ages, uint64_t live_blocks,
		      uint64_t live_bytes);

#endif
