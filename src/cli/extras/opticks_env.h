/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The environment variables with which users of Opticks request profiles:
 *
 *   SProf__WRITE=1          seep run writes an SProf.txt at the end ...
 *   SProf__PATH=FILE        ... to this file; a %d (or %0.5d) in it is replaced with
 *   SProf__PATH_INDEX=N     ... this index, by default 0
 *   OPTICKS_PROFILE_PATH=FILE   likewise a G4OpticksProfilePlot.npy
 *   OPTICKS_START_INDEX=N   is added to the event indices in the names of stamps
 *   ..._PROFILE_LEAK_MB=X   the leak that seep calibrate injects per event, in 1000000 bytes
 *
 * Files that the program has written itself, as Opticks does, are not replaced.
 */
#ifndef SEEP_CLI_EXTRAS_OPTICKS_ENV_H
#define SEEP_CLI_EXTRAS_OPTICKS_ENV_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* A requested file, and its state before the program ran. */
struct seep_run_opticks_file {
	char path[PATH_MAX];     /* "": not requested */
	struct stat before;      /* st_nlink is 0 if the file did not exist */
};

struct seep_run_opticks {
	struct seep_run_opticks_file sprof, profile;
	int64_t start_index;
};

/* Reads the environment and checks that the files can be created. */
int seep_run_opticks_plan(struct seep_run_opticks *opticks, struct seep_err *err);

/* Writes the requested files from the trace; fails if one cannot be written. */
int seep_run_opticks_write(const struct seep_run_opticks *opticks, const char *trace,
			   bool quiet, struct seep_err *err);

/* Makes a path from SProf__PATH (format) and the index; path has room for PATH_MAX bytes. */
int seep_run_opticks_path(char *path, const char *format, int64_t index, struct seep_err *err);

/*
 * The leak per event that a ..._PROFILE_LEAK_MB variable requests; 0: none is set.  Removes
 * these variables from the environment: a program that reads them would leak as much again.
 */
int seep_run_opticks_level(int64_t *bytes, struct seep_err *err);

#endif
