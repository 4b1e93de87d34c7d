/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks that are alive, by address, while a raw file of heaptrack is read.  Open
 * addressing; what is taken out leaves no gap behind, so the table stays as small as
 * what is alive at one time.
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
	uint64_t address;        /* 0: the slot is free */
	uint64_t site : 24, bytes : 40;
};

struct seep_heaptrack_live {
	struct seep_arena arena; /* of this table; a larger one has a new one */
	struct seep_heaptrack_block *slots;
	size_t room, n;
};

void seep_heaptrack_live_init(struct seep_heaptrack_live *live);
void seep_heaptrack_live_release(struct seep_heaptrack_live *live);

/* False: there are too many.  An address that is there already is told anew; *old has it. */
bool seep_heaptrack_live_put(struct seep_heaptrack_live *live,
			     const struct seep_heaptrack_block *block,
			     struct seep_heaptrack_block *old);

/* False: there is none. */
bool seep_heaptrack_live_take(struct seep_heaptrack_live *live, uint64_t address,
			      struct seep_heaptrack_block *block);

#endif
