/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of a pool (--alloc-fn NAME[:SIZE], --free-fn NAME[:BLOCK]): where the size of a
 * block is, or the block.  What was not typed comes from debug information.
 */
#ifndef SEEP_CLI_ENTRY_ENTRY_POOL_H
#define SEEP_CLI_ENTRY_ENTRY_POOL_H

#include "cli/entry/entry_find.h"

struct seep_entry_pool {
	const char *name;
	unsigned long argument;  /* from 1 on; 0: not known */
	unsigned long bytes;     /* of each block; 0: not known */
};

/* "NAME", "NAME:2" or "NAME:=64". */
int seep_entry_pool_parse(struct seep_entry_pool *pool, const char *option, const char *typed,
			  struct seep_arena *arena, struct seep_err *err);

/* Finds what was not typed, and checks what was. */
int seep_entry_pool_settle(struct seep_entry_pool *pool, const char *option, bool allocates,
			   const struct seep_entry_copy *copy, struct seep_arena *arena,
			   struct seep_err *err);

#endif
