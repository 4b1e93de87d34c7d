/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * seep run --profiler: the heap profiler of jemalloc or tcmalloc in place of the tracker.
 * Its library is preloaded, with libseep before it, which counts the events and asks
 * for the dumps.
 *
 * The dumps go into a folder beside the trace, x.dumps for x.seep, unless the user's
 * own settings (prof_prefix in MALLOC_CONF, HEAPPROFILE) name another place.
 */
#ifndef SEEP_CLI_PROFILER_RUN_PROFILER_H
#define SEEP_CLI_PROFILER_RUN_PROFILER_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct seep_profiler_kind;

struct seep_profiler {
	const struct seep_profiler_kind *kind; /* NULL: none, the tracker */
	char preload[2 * PATH_MAX]; /* libseep and the library of the profiler */
	char prefix[PATH_MAX];   /* of the dumps; absolute */
	bool own_folder;         /* made for them */
};

/* A setter for option tables: "jemalloc" or "tcmalloc"; the field is a struct seep_profiler. */
int seep_profiler_set(void *field, const char *name, struct seep_err *err);

/* The names of all, NULL after the last. */
const char *seep_profiler_value(size_t i);

const char *seep_profiler_name(const struct seep_profiler *profiler);

/* Whether each of its processes writes its pid into the names of the dumps. */
bool seep_profiler_names_pid(const struct seep_profiler *profiler);

/* Finds the libraries, and whether they can do it here.  Before anything is started. */
int seep_profiler_prepare(struct seep_profiler *profiler, struct seep_err *err);

/* Where the dumps of the run with that trace go. */
int seep_profiler_place(struct seep_profiler *profiler, const char *trace, struct seep_err *err);

/* Makes the folder; with replace it may be there, and old dumps are removed. */
int seep_profiler_make_folder(const struct seep_profiler *profiler, bool replace,
			      struct seep_err *err);

/* The folder goes, if there is nothing in it. */
void seep_profiler_drop_folder(const struct seep_profiler *profiler);

/* In the process that becomes the program.  0 or -errno. */
int seep_profiler_set_environment(const struct seep_profiler *profiler);

#endif
