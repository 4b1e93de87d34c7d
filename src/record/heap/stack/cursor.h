/* SPDX-License-Identifier: MIT */
/*
 * Reads the numbers of DWARF: fixed, LEB128, encoded pointers.  Reading past
 * the end sets bad and gives zeros, so that a caller need check only once, at the end.
 */
#ifndef SEEP_RECORD_HEAP_STACK_CURSOR_H
#define SEEP_RECORD_HEAP_STACK_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Pointer encodings of the GCC extension, the ones that compilers emit. */
#define SEEP_PE_FORM 0x0f
#define SEEP_PE_ABSPTR 0x00
#define SEEP_PE_UDATA4 0x03
#define SEEP_PE_SDATA4 0x0b
#define SEEP_PE_SDATA8 0x0c
#define SEEP_PE_UDATA8 0x04
#define SEEP_PE_RELATIVE 0x70
#define SEEP_PE_PCREL 0x10
#define SEEP_PE_INDIRECT 0x80

struct seep_cursor {
	const unsigned char *at, *end;
	bool bad;                /* read past the end, or met something unknown */
};

static inline uint64_t seep_cursor_fixed(struct seep_cursor *c, size_t bytes)
{
	uint64_t value = 0;

	if (c->bad || (size_t)(c->end - c->at) < bytes) {
		c->bad = true;
		return 0;
	}
	memcpy(&value, c->at, bytes);
	c->at += bytes;
	return value;
}

/* Seven bits per byte, the lowest first; sign-extended if is_signed and the last byte says so. */
static inline uint64_t seep_cursor_leb(struct seep_cursor *c, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	unsigned char byte;

	do {
		byte = (unsigned char)seep_cursor_fixed(c, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && (byte & 0x40) && shift < 64)
		value |= ~(uint64_t)0 << shift;
	return value;
}

static inline uint64_t seep_cursor_uleb(struct seep_cursor *c)
{
	return seep_cursor_leb(c, false);
}

static inline int64_t seep_cursor_sleb(struct seep_cursor *c)
{
	return (int64_t)seep_cursor_leb(c, true);
}

static inline uintptr_t seep_cursor_pointer(struct seep_cursor *c, unsigned char encoding)
{
	uintptr_t base = 0, value;

	if ((encoding & SEEP_PE_RELATIVE) == SEEP_PE_PCREL)
		base = (uintptr_t)c->at;
	else if (encoding & SEEP_PE_RELATIVE)
		c->bad = true;
	switch (encoding & SEEP_PE_FORM) {
	case SEEP_PE_ABSPTR:
	case SEEP_PE_UDATA8:
	case SEEP_PE_SDATA8:
		value = seep_cursor_fixed(c, 8);
		break;
	case SEEP_PE_UDATA4:
		value = seep_cursor_fixed(c, 4);
		break;
	case SEEP_PE_SDATA4:
		value = (uintptr_t)(intptr_t)(int32_t)seep_cursor_fixed(c, 4);
		break;
	default:
		c->bad = true;
		return 0;
	}
	return base + value;
}

static inline void seep_cursor_skip(struct seep_cursor *c, uint64_t bytes)
{
	if (c->bad || bytes > (uint64_t)(c->end - c->at))
		c->bad = true;
	else
		c->at += bytes;
}

#endif
