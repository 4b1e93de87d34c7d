/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a file before and after unpacking.  Only source*.c include this. */
#ifndef SEEP_IMPORT_SOURCE_UNPACK_H
#define SEEP_IMPORT_SOURCE_UNPACK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes as they are stored in the file. */
struct seep_source_raw {
	const char *path;
	int fd;                  /* -1: the bytes are in memory */
	const unsigned char *data;
	size_t bytes, at;
	void *kept;              /* the first bytes, read to recognise the packing; malloc */
	size_t n_kept, kept_at;
	bool cut;                /* the file ended inside packed data */
};

/* Reads at least one byte; returns 0 at the end, or -errno. */
int64_t seep_source_raw_read(struct seep_source_raw *raw, void *to, size_t bytes,
			     struct seep_err *err);

struct seep_source_unpacker;

/* Returns NULL if a file that starts with these bytes is not packed. */
struct seep_source_unpacker *seep_source_unpacker_open(const void *head, size_t bytes);
int64_t seep_source_unpack(struct seep_source_unpacker *unpacker, struct seep_source_raw *raw,
			   void *to, size_t bytes, struct seep_err *err);
void seep_source_unpacker_close(struct seep_source_unpacker *unpacker);

#endif
