/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A message in the wire format of protocol buffers, built in memory.
 *
 * A single field that is zero or empty is left out, because readers take a missing field for
 * zero.  An inner message is built first and then added.
 */
#ifndef SEEP_RENDER_EXPORT_SITES_PROTO_H
#define SEEP_RENDER_EXPORT_SITES_PROTO_H

#include "base/arena.h"

#include <stdint.h>

struct seep_proto {
	struct seep_arena *arena;
	unsigned char *bytes;
	size_t n, room;
};

/* Empties the message; its memory is kept for reuse. */
void seep_proto_clear(struct seep_proto *proto);

void seep_proto_number(struct seep_proto *proto, uint32_t field, uint64_t value);

/* A repeated field of numbers. */
void seep_proto_numbers(struct seep_proto *proto, uint32_t field, const uint64_t *values,
			size_t n);

/* One item of a repeated field; written even if it is empty. */
void seep_proto_text(struct seep_proto *proto, uint32_t field, const char *text);
void seep_proto_message(struct seep_proto *proto, uint32_t field, const struct seep_proto *inner);

#endif
