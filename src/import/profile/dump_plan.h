/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which of many heap profiles make a series, and at which event each was written.
 *
 * Their names contain the process and the order:
 *
 *	jeprof.4131.0.m0.heap    jemalloc: process, number; m manual, i by interval, u at a new
 *	                         maximum, f at the end
 *	hits.0001.heap           gperftools
 *	jeprof.4131.0.m0.event49.heap, hits.0001.event49.heap
 *
 * The event comes from a runinfo.json beside them, from the name, or from Gaudi's log.
 */
#ifndef SEEP_IMPORT_PROFILE_DUMP_PLAN_H
#define SEEP_IMPORT_PROFILE_DUMP_PLAN_H

#include "import/import.h"

struct seep_dump_file {
	const char *path, *name; /* name is the last part of path */
	const char *process;     /* the part of the name that all dumps of a process share */
	uint64_t pid;            /* 0: unknown */
	char kind;               /* m, i, u, f; 0: unknown */
	bool final;              /* written after the clean-up at exit */
	int64_t event;           /* -1: unknown */
};

struct seep_dump_plan {
	const struct seep_dump_file *files; /* the files to read, as in import->paths */
	bool has_end;
	int64_t retcode, signal; /* if has_end */
};

/* Sets import->plan, and reduces import->paths to the files of the series, in order of events. */
int seep_dump_plan_make(struct seep_import *import, struct seep_err *err);

#endif
