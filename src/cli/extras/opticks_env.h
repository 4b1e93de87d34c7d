/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The environment variables by which users of Opticks ask for profiles:
 *
 *   SProf__WRITE=1          seep run writes an SProf.txt at the end ...
 *   SProf__PATH=FILE        ... there; one %d or its like in it is the index of the run:
 *   SProf__PATH_INDEX=N     0 unless it is given
 *   OPTICKS_PROFILE_PATH=FILE   likewise a G4OpticksProfilePlot.npy
 *   OPTICKS_START_INDEX=N   is added to the events' indices in the names of stamps
 *   ..._PROFILE_LEAK_MB=X   what seep calibrate adds per event, in 1000000 bytes
 *
 * What the program has written itself, as Opticks does, is left alone.
 */
#ifndef SEEP_CLI_EXTRAS_OPTICKS_ENV_H
#define SEEP_CLI_EXTRAS_OPTICKS_ENV_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* A file that is wanted, and what was there before the program ran. */
struct seep_run_opticks_file {
	char path[PATH_MAX];     /* "": not wanted */
	struct stat before;      /* without links: nothing */
};

struct seep_run_opticks {
	struct seep_run_opticks_file sprof, profile;
	int64_t start_index;
};

/* Reads the environment, and asks whether the files can be made. */
int seep_run_opticks_plan(struct seep_run_opticks *opticks, struct seep_err *err);

/* Writes them from the trace; what is wanted and could not be written is an error. */
int seep_run_opticks_write(const struct seep_run_opticks *opticks, const char *trace,
			   bool quiet, struct seep_err *err);

/* Makes a path of SProf__PATH, which has room for PATH_MAX bytes. */
int seep_run_opticks_path(char *path, const char *format, int64_t index, struct seep_err *err);

/*
 * The bytes that such a variable asks for, or 0: there is none.  All of them are taken out
 * of the environment, as a program that knows them would lose as much again.
 */
int seep_run_opticks_level(int64_t *bytes, struct seep_err *err);

#endif
