/* SPDX-License-Identifier: MIT */
/*
 * The checksum of the trace: every 8-byte word is mixed in by a bijection, so that damage
 * to one word always changes the 64-bit state.  A remainder of less than 8 bytes
 * is padded with zeros.
 */
#ifndef SEEP_TRACE_CHECKSUM_H
#define SEEP_TRACE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t seep_trace_check_start(size_t bytes)
{
	return 0x5365657054726163u ^ bytes;
}

static inline uint64_t seep_trace_check_word(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

static inline uint32_t seep_trace_check_end(uint64_t h)
{
	return (uint32_t)(h ^ (h >> 32));
}

static inline uint32_t seep_trace_check(const void *data, size_t bytes)
{
	const unsigned char *p = data;
	uint64_t h = seep_trace_check_start(bytes), word;

	for (; bytes >= 8; p += 8, bytes -= 8) {
		__builtin_memcpy(&word, p, 8);
		h = seep_trace_check_word(h, word);
	}
	if (bytes) {
		word = 0;
		__builtin_memcpy(&word, p, bytes);
		h = seep_trace_check_word(h, word);
	}
	return seep_trace_check_end(h);
}

#endif
