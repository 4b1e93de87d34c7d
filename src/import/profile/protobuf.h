/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Iterates over the fields of a protocol buffers message:
 *
 *	struct seep_protobuf in = seep_protobuf_begin(data, bytes);
 *	while (seep_protobuf_next(&in))
 *		switch (in.field) ...
 *	if (in.bad) ...
 *
 * Never reads past the end, whatever lengths the message claims.
 */
#ifndef SEEP_IMPORT_PROFILE_PROTOBUF_H
#define SEEP_IMPORT_PROFILE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum seep_protobuf_type {
	SEEP_PROTOBUF_NUMBER = 0,
	SEEP_PROTOBUF_FIXED_8 = 1,
	SEEP_PROTOBUF_BYTES = 2,
	SEEP_PROTOBUF_FIXED_4 = 5,
};

struct seep_protobuf {
	const unsigned char *at, *end;
	const unsigned char *where; /* the field's first byte */
	bool bad;                /* iteration stopped at damage */
	uint64_t field;
	enum seep_protobuf_type type;
	uint64_t number;
	const unsigned char *data; /* of bytes */
	size_t bytes;
};

static inline struct seep_protobuf seep_protobuf_begin(const void *data, size_t bytes)
{
	const unsigned char *at = data;

	return (struct seep_protobuf){ .at = at, .end = at + bytes, .where = at };
}

static inline uint64_t seep_protobuf_number(struct seep_protobuf *in)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		unsigned char byte = *in->at++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	in->bad = true;
	return 0;
}

static inline void seep_protobuf_skip(struct seep_protobuf *in, uint64_t bytes)
{
	in->data = in->at;
	if (bytes > (uint64_t)(in->end - in->at)) {
		in->bad = true;
		return;
	}
	in->bytes = (size_t)bytes;
	in->at += bytes;
}

static inline bool seep_protobuf_next(struct seep_protobuf *in)
{
	uint64_t tag;

	if (in->bad || in->at == in->end)
		return false;
	in->where = in->at;
	tag = seep_protobuf_number(in);
	in->field = tag >> 3;
	in->type = (enum seep_protobuf_type)(tag & 7);
	if (in->type == SEEP_PROTOBUF_NUMBER)
		in->number = seep_protobuf_number(in);
	else if (in->type == SEEP_PROTOBUF_BYTES)
		seep_protobuf_skip(in, seep_protobuf_number(in));
	else if (in->type == SEEP_PROTOBUF_FIXED_8 || in->type == SEEP_PROTOBUF_FIXED_4)
		seep_protobuf_skip(in, in->type == SEEP_PROTOBUF_FIXED_8 ? 8 : 4);
	else
		in->bad = true;
	return !in->bad;
}

#endif
