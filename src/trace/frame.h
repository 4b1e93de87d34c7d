/* SPDX-License-Identifier: MIT */
/*
 * Puts one record into memory: head, payload, padding and checksum.  The writer does it in the
 * traced process and the importers do it in the command, so this depends on nothing.
 */
#ifndef SEEP_TRACE_FRAME_H
#define SEEP_TRACE_FRAME_H

#include "trace/format.h"

#include <stddef.h>
#include <string.h>

/* The size of a record whose payload has two parts, a multiple of 8. */
static inline size_t seep_frame_size(size_t first_bytes, size_t second_bytes)
{
	return (sizeof(struct seep_trace_record) + first_bytes + second_bytes + 7u) & ~(size_t)7u;
}

/* Copies whole words and computes their checksum on the way, that of the head included. */
static inline uint32_t seep_frame_copy_words(unsigned char *to,
					     const struct seep_trace_record *head,
					     const unsigned char *from, size_t bytes)
{
	uint64_t word, h = seep_trace_check_start(sizeof(word) + bytes);

	memcpy(&word, &head->kind, sizeof(word));
	h = seep_trace_check_word(h, word);
	for (; bytes; bytes -= sizeof(word), to += sizeof(word), from += sizeof(word)) {
		memcpy(&word, from, sizeof(word));
		memcpy(to, &word, sizeof(word));
		h = seep_trace_check_word(h, word);
	}
	return seep_trace_check_end(h);
}

/*
 * Stores a record at an address that is a multiple of 8; head->size is set, its checksum is not.
 * The last 8 bytes must hold zeros, since padding is not stored.
 */
static inline void seep_frame_store(unsigned char *at, const struct seep_trace_record *head,
				    const void *first, size_t first_bytes, const void *second,
				    size_t second_bytes)
{
	struct seep_trace_record *record = (struct seep_trace_record *)(void *)at;
	unsigned char *payload = at + sizeof(*record);

	record->kind = head->kind;
	record->flags = head->flags;
	record->seq = head->seq;
	if (!second_bytes && first_bytes % 8 == 0) { /* stamps and counts: what is frequent */
		record->check = seep_frame_copy_words(payload, head, first, first_bytes);
	} else {
		memcpy(payload, first, first_bytes);
		if (second_bytes)
			memcpy(payload + first_bytes, second, second_bytes);
		record->check = seep_trace_check(&record->kind,
			head->size - offsetof(struct seep_trace_record, kind));
	}
	__atomic_store_n(&record->size, head->size, __ATOMIC_RELEASE);
}

#endif
