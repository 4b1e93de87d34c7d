/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the tracker has to know about functions: --event fn:NAME, --stamp fn:NAME, --alloc-fn NAME,
 * --free-fn NAME.
 */
#ifndef SEEP_CLI_ENTRY_ENTRY_PLAN_H
#define SEEP_CLI_ENTRY_ENTRY_PLAN_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

#define SEEP_ENTRY_WANTED_MOST 32

struct seep_entry_wanted {
	const char *option;      /* "--event fn:" or "--alloc-fn ", for messages */
	const char *typed;       /* what follows it */
	char role;               /* as in SEEP_ENTRY */
};

/*
 * Finds the functions in the program and its libraries, and makes the value of SEEP_ENTRY.  The
 * text lives in the arena.
 */
int seep_entry_plan(const char *binary, const struct seep_entry_wanted *wanted, size_t n,
		    struct seep_arena *arena, const char **text, struct seep_err *err);

#endif
