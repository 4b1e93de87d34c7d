/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts the names of functions, files and lines into the trace when the program has ended: of all
 * sites that a report shows, or that grow.  seep pack adds those of the others.
 */
#ifndef SEEP_CLI_RUN_RUN_NAMES_H
#define SEEP_CLI_RUN_RUN_NAMES_H

#include "cli/common/analysis.h"
#include "cli/common/stored_names.h"
#include "cli/run/run_trace.h"

/* For a run that was loaded after seep_stored_names_open; says on stderr if it failed. */
void seep_run_names_add(struct seep_stored_names *names, struct seep_analysis *analysis);

/* The same for a trace that was not loaded yet; does nothing if it cannot be. */
void seep_run_names_store(const char *path);

/* The same for the traces of all child processes, as far as there is time. */
void seep_run_names_store_children(const struct seep_run_trace *trace);

#endif
