/* SPDX-License-Identifier: MIT */
/*
 * Packed numbers in and out of a record: unsigned LEB128, seven bits a byte, the lowest
 * first, the top bit set on all bytes but the last.
 *
 * Reading past the end, or a number of more than 64 bits, gives 0 from then on
 * and sets bad; so a caller may read all it needs and look once.
 */
#ifndef SEEP_TRACE_UNPACK_H
#define SEEP_TRACE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_unpack {
	const unsigned char *at, *end;
	bool bad;
};

/* Stores the number; returns how many bytes that took. */
static inline size_t seep_pack_number(unsigned char *to, uint64_t number)
{
	size_t n = 0;

	while (number >= 0x80) {
		to[n++] = (unsigned char)(number | 0x80);
		number >>= 7;
	}
	to[n++] = (unsigned char)number;
	return n;
}

static inline struct seep_unpack seep_unpack_begin(const void *data, size_t bytes)
{
	return (struct seep_unpack){ .at = data, .end = (const unsigned char *)data + bytes };
}

static inline uint64_t seep_unpack_next(struct seep_unpack *unpack)
{
	uint64_t number = 0;
	unsigned shift = 0;

	while (!unpack->bad && unpack->at < unpack->end && shift < 64) {
		unsigned char byte = *unpack->at++;

		if (shift == 63 && byte > 1)
			break;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
		shift += 7;
	}
	unpack->bad = true;
	return 0;
}

#endif
