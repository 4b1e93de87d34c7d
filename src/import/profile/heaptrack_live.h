/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live blocks by address, while a raw heaptrack file is read.  Open addressing; removing a
 * block leaves no gap, so the table only grows with the number of blocks live at one time.
 */
#ifndef SEEP_IMPORT_PROFILE_HEAPTRACK_LIVE_H
#define SEEP_IMPORT_PROFILE_HEAPTRACK_LIVE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define SEEP_HEAPTRACK_LIVE_MAX ((size_t)12 << 20) /* 256 MB */
#define SEEP_HEAPTRACK_BLOCK_MAX ((uint64_t)1 << 40)
#define SEEP_HEAPTRACK_SITES_MAX ((size_t)1 << 20)

struct seep_heaptrack_block {
	uint64_t address;        /* 0: the slot is empty */
	uint64_t site : 24, bytes : 40;
};

struct seep_heaptrack_live {
	struct seep_arena arena; /* of this table; a larger table gets a new arena */
	struct seep_heaptrack_block *slots;
	size_t room, n;
};

void seep_heaptrack_live_init(struct seep_heaptrack_live *live);
void seep_heaptrack_live_release(struct seep_heaptrack_live *live);

/*
 * Returns false if there are too many blocks.  A block at the same address is replaced and
 * returned in *old.
 */
bool seep_heaptrack_live_put(struct seep_heaptrack_live *live,
			     const struct seep_heaptrack_block *block,
			     struct seep_heaptrack_block *old);

/* Returns false if there is no such block. */
bool seep_heaptrack_live_take(struct seep_heaptrack_live *live, uint64_t address,
			      struct seep_heaptrack_block *block);

#endif
