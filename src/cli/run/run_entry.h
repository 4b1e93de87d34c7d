/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the program that mark events and phases: --event fn:NAME, --stamp fn:NAME. */
#ifndef SEEP_CLI_RUN_RUN_ENTRY_H
#define SEEP_CLI_RUN_RUN_ENTRY_H

#include "base/arena.h"
#include "base/err.h"
#include "cli/entry/entry_plan.h"
#include "cli/run/run_event.h"

struct seep_run_stamps {
	const char *names[SEEP_ENTRY_WANTED_MOST]; /* what follows "fn:" */
	size_t n;
};

/* The option-table setter for --stamp; the field is a struct seep_run_stamps. */
int seep_run_entry_set_stamp(void *field, const char *value, struct seep_err *err);

/*
 * Finds all functions in the program; *text becomes the value of SEEP_ENTRY, NULL if there are
 * none.
 */
int seep_run_entry_plan(const char *binary, const struct seep_run_event *event,
			const struct seep_run_stamps *stamps, struct seep_arena *arena,
			const char **text, struct seep_err *err);

#endif
