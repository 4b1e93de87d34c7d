/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the program that mark events and phases (--event fn:NAME, --stamp fn:NAME), or are a
 * pool's (--alloc-fn NAME, --free-fn NAME).
 */
#ifndef SEEP_CLI_RUN_RUN_ENTRY_H
#define SEEP_CLI_RUN_RUN_ENTRY_H

#include "base/arena.h"
#include "base/err.h"
#include "cli/entry/entry_plan.h"
#include "cli/run/run_event.h"

#include <stdbool.h>

struct seep_run_stamps {
	const char *names[SEEP_ENTRY_WANTED_MOST]; /* what follows "fn:" */
	size_t n;
};

#define SEEP_RUN_POOLS_MOST 8 /* functions of each kind; hook/hooks_pool.c has as many */

struct seep_run_pools {
	const char *names[2 * SEEP_RUN_POOLS_MOST]; /* as typed */
	bool frees[2 * SEEP_RUN_POOLS_MOST]; /* --free-fn, not --alloc-fn */
	size_t n;
};

/* The option-table setters for --alloc-fn and --free-fn; the field is a struct seep_run_pools. */
int seep_run_entry_set_alloc(void *field, const char *value, struct seep_err *err);
int seep_run_entry_set_free(void *field, const char *value, struct seep_err *err);

/* The option-table setter for --stamp; the field is a struct seep_run_stamps. */
int seep_run_entry_set_stamp(void *field, const char *value, struct seep_err *err);

/*
 * Finds all functions in the program; *text becomes the value of SEEP_ENTRY, NULL if there are
 * none.
 */
int seep_run_entry_plan(const char *binary, const struct seep_run_event *event,
			const struct seep_run_stamps *stamps,
			const struct seep_run_pools *pools, struct seep_arena *arena,
			const char **text, struct seep_err *err);

#endif
