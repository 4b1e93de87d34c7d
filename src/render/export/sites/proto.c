/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/export/sites/proto.h"

#include <string.h>

enum { VARINT, DELIMITED = 2 };

void seep_proto_clear(struct seep_proto *proto)
{
	proto->n = 0;
}

static void add_byte(struct seep_proto *proto, unsigned int byte)
{
	proto->bytes = seep_arena_grow(proto->arena, proto->bytes, proto->n, &proto->room, 1);
	proto->bytes[proto->n++] = (unsigned char)byte;
}

/* Seven bits per byte, lowest first; the eighth bit says that more follow. */
static void add_varint(struct seep_proto *proto, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		add_byte(proto, (value & 0x7f) | 0x80);
	add_byte(proto, (unsigned int)value);
}

static size_t varint_bytes(uint64_t value)
{
	size_t n = 1;

	for (; value >= 0x80; value >>= 7)
		n++;
	return n;
}

static void add_key(struct seep_proto *proto, uint32_t field, unsigned int type)
{
	add_varint(proto, (uint64_t)field << 3 | type);
}

static void add_delimited(struct seep_proto *proto, uint32_t field, const void *bytes, size_t n)
{
	add_key(proto, field, DELIMITED);
	add_varint(proto, n);
	for (size_t i = 0; i < n; i++)
		add_byte(proto, ((const unsigned char *)bytes)[i]);
}

void seep_proto_number(struct seep_proto *proto, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	add_key(proto, field, VARINT);
	add_varint(proto, value);
}

void seep_proto_numbers(struct seep_proto *proto, uint32_t field, const uint64_t *values,
			size_t n)
{
	size_t bytes = 0;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		bytes += varint_bytes(values[i]);
	add_key(proto, field, DELIMITED);
	add_varint(proto, bytes);
	for (size_t i = 0; i < n; i++)
		add_varint(proto, values[i]);
}

void seep_proto_text(struct seep_proto *proto, uint32_t field, const char *text)
{
	add_delimited(proto, field, text, strlen(text));
}

void seep_proto_message(struct seep_proto *proto, uint32_t field, const struct seep_proto *inner)
{
	add_delimited(proto, field, inner->bytes, inner->n);
}
