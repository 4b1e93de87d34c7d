/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of many heap profiles make a series, and at which event each was written.
 *
 * Their names tell the process and the order:
 *
 *	jeprof.4131.0.m0.heap    jemalloc: process, number; m by hand, i by interval, u at a new
 *	                         maximum, f at the end
 *	hits.0001.heap           gperftools
 *	jeprof.4131.0.m0.event49.heap, hits.0001.event49.heap
 *
 * The event is told by a runinfo.json beside them, by the name, or by Gaudi's log.
 */
#ifndef SEEP_IMPORT_PROFILE_DUMP_PLAN_H
#define SEEP_IMPORT_PROFILE_DUMP_PLAN_H

#include "import/import.h"

struct seep_dump_file {
	const char *path, *name; /* name is the end of path */
	const char *process;     /* what it has in common with others of one process */
	uint64_t pid;            /* 0: not known */
	char kind;               /* m, i, u, f; 0: not known */
	bool final;              /* after the program's clean-up */
	int64_t event;           /* -1: not known */
};

struct seep_dump_plan {
	const struct seep_dump_file *files; /* those that are read, as in import->paths */
	bool has_end;
	int64_t retcode, signal; /* if so */
};

/* Sets import->plan, and reduces import->paths to the files of the series, in order of events. */
int seep_dump_plan_make(struct seep_import *import, struct seep_err *err);

#endif
