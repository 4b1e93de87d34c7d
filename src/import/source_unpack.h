/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files source*.c share; nobody else includes it. */
#ifndef SEEP_IMPORT_SOURCE_UNPACK_H
#define SEEP_IMPORT_SOURCE_UNPACK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes as they are in the file. */
struct seep_source_raw {
	const char *path;
	int fd;                  /* -1: they are in memory */
	const unsigned char *data;
	size_t bytes, at;
	void *kept;              /* the first bytes, which have been read already; malloc */
	size_t n_kept, kept_at;
	bool cut;                /* it ended inside of packed data */
};

/* As many bytes as there are, one at least; 0 at the end; -errno. */
int64_t seep_source_raw_read(struct seep_source_raw *raw, void *to, size_t bytes,
			     struct seep_err *err);

struct seep_source_unpacker;

/* NULL: what begins like this is not packed. */
struct seep_source_unpacker *seep_source_unpacker_open(const void *head, size_t bytes);
int64_t seep_source_unpack(struct seep_source_unpacker *unpacker, struct seep_source_raw *raw,
			   void *to, size_t bytes, struct seep_err *err);
void seep_source_unpacker_close(struct seep_source_unpacker *unpacker);

#endif
