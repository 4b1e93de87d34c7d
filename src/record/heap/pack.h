/* SPDX-License-Identifier: MIT */
/*
 * Batches of packed numbers (unsigned LEB128) for the records of a snapshot,
 * which hold thousands of mostly small ones.
 *
 * The recording is held from begin to end; there is one batch at a time.
 */
#ifndef SEEP_RECORD_HEAP_PACK_H
#define SEEP_RECORD_HEAP_PACK_H

#include "trace/format.h"

struct seep_pack;

struct seep_pack *seep_pack_begin(enum seep_trace_kind kind, uint64_t ordinal);
void seep_pack_put(struct seep_pack *pack, uint64_t number);

/* Writes n, then the numbers. */
void seep_pack_put_all(struct seep_pack *pack, const uint64_t *numbers, uint32_t n);

/* One item is complete; the batch is written out when it is nearly full. */
void seep_pack_next(struct seep_pack *pack);
void seep_pack_end(struct seep_pack *pack);

#endif
