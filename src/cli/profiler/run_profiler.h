/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * seep run --profiler: the heap profiler of jemalloc or tcmalloc instead of the tracker.  Its
 * library is preloaded after libseep, which counts the events and requests the dumps.
 *
 * The dumps go to a folder beside the trace, x.dumps for x.seep, unless the user's own settings
 * (prof_prefix in MALLOC_CONF, HEAPPROFILE) specify another place.
 */
#ifndef SEEP_CLI_PROFILER_RUN_PROFILER_H
#define SEEP_CLI_PROFILER_RUN_PROFILER_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct seep_profiler_kind;

struct seep_profiler {
	const struct seep_profiler_kind *kind; /* NULL: none; the tracker is used */
	char preload[2 * PATH_MAX]; /* libseep and the library of the profiler */
	char prefix[PATH_MAX];   /* path prefix of the dumps; absolute */
	bool own_folder;         /* the dumps have a folder of their own, x.dumps */
};

/* A setter for option tables: "jemalloc" or "tcmalloc"; the field is a struct seep_profiler. */
int seep_profiler_set(void *field, const char *name, struct seep_err *err);

/* The names of all profilers, NULL after the last. */
const char *seep_profiler_value(size_t i);

const char *seep_profiler_name(const struct seep_profiler *profiler);

/* Whether the names of the dumps contain the pid of their process. */
bool seep_profiler_names_pid(const struct seep_profiler *profiler);

/* Finds the libraries and checks that they work here, before anything is started. */
int seep_profiler_prepare(struct seep_profiler *profiler, struct seep_err *err);

/* Sets prefix and own_folder for the run with this trace. */
int seep_profiler_place(struct seep_profiler *profiler, const char *trace, struct seep_err *err);

/* Creates the folder.  With replace, it may exist, and old dumps are removed. */
int seep_profiler_make_folder(const struct seep_profiler *profiler, bool replace,
			      struct seep_err *err);

/* Removes the folder if it is empty. */
void seep_profiler_drop_folder(const struct seep_profiler *profiler);

/* Called in the process that becomes the program.  Returns 0 or -errno. */
int seep_profiler_set_environment(const struct seep_profiler *profiler);

#endif
