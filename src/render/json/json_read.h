/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a report back that seep report --json has written.  The verdict and the figures are taken
 * as they are, not judged again.  The run has no events, stamps or modules of its own, only how
 * many events there were.  What the JSON lacks, or what cannot be, is unknown.
 */
#ifndef SEEP_RENDER_JSON_JSON_READ_H
#define SEEP_RENDER_JSON_JSON_READ_H

#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "base/err.h"
#include "model/run.h"

#include <stddef.h>

/* path names the file in the run and in messages.  0 or -errno. */
int seep_json_read(struct seep_run *run, struct seep_verdict *verdict, const char *path,
		   const char *text, size_t bytes, struct seep_arena *arena,
		   struct seep_err *err);

#endif
