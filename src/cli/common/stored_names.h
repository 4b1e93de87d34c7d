/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds the names of functions to a trace, so that it has the same names on another machine and
 * after a rebuild.  Records are only appended: whatever happens meanwhile, what the trace held
 * before stays as it was.
 */
#ifndef SEEP_CLI_COMMON_STORED_NAMES_H
#define SEEP_CLI_COMMON_STORED_NAMES_H

#include "base/err.h"
#include "model/symbols/symbols.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct seep_stored_names {
	char path[PATH_MAX];     /* of the trace, without symbolic links */
	int fd;                  /* holds the lock */
	uint32_t pid;            /* in the header of the trace */
	uint32_t failure;        /* errno that ended recording, or 0 */
	size_t n_added;          /* addresses */
	uint64_t bytes_added;
};

/*
 * Checks that names can be added, and keeps others from doing so until the call of close.  Open
 * first, then load the run.  Fails if the file is no trace, is damaged, or is still being recorded.
 */
int seep_stored_names_open(struct seep_stored_names *names, const char *path,
			   struct seep_err *err);

/* Adds what was looked up so far and is not in the trace yet. */
int seep_stored_names_add(struct seep_stored_names *names, const struct seep_run *run,
			  const struct seep_symbols *symbols, struct seep_err *err);

void seep_stored_names_close(struct seep_stored_names *names);

#endif
