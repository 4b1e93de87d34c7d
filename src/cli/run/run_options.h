/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of seep run. */
#ifndef SEEP_CLI_RUN_RUN_OPTIONS_H
#define SEEP_CLI_RUN_RUN_OPTIONS_H

#include "base/err.h"
#include "cli/common/option_table.h"
#include "cli/extras/opticks_env.h"
#include "cli/profiler/run_profiler.h"
#include "cli/run/run_child.h"
#include "cli/run/run_entry.h"
#include "cli/run/run_strays.h"
#include "cli/run/run_trace.h"

#include <stdbool.h>
#include <stddef.h>

#define SEEP_RUN_SLICE_NS 10000000 /* unless --event time:... says otherwise */

struct seep_run_options {
	struct seep_run_trace_plan trace;
	struct seep_child_plan child;
	struct seep_strays strays;
	struct seep_lines lines; /* --event lines: or file: */
	struct seep_profiler profiler; /* kind is NULL: use the tracker */
	struct seep_run_opticks opticks; /* files requested by the environment */
	struct seep_run_stamps stamps; /* see --stamp */
	struct seep_run_pools pools; /* see --alloc-fn */
	const char *run_info;    /* path, or NULL */
	bool quiet;
	double material_bytes;   /* see --material; 0: the default */
	const char *max_overhead; /* a size or percentage, as typed; NULL: not given */
	char **typed;            /* the options as typed */
	size_t n_typed;
};

extern const struct seep_option seep_run_option_table[];

/* Returns 0, SEEP_STATUS_HELP, or another exit status with err filled. */
int seep_run_options_parse(struct seep_run_options *options, int argc, char **argv,
			   struct seep_err *err);

#endif
