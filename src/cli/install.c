/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/install.h"
#include "os/proc_tool.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the directory of the command to that of the tracker, as the build chose it. */
#ifndef SEEP_TRACKER_FROM_BIN
#define SEEP_TRACKER_FROM_BIN "../lib/seep"
#endif

#define TRACKER "libseep-heap.so"

static int own_directory(char *path, struct seep_err *err)
{
	int rc = seep_proc_own_path(path, PATH_MAX);
	char *slash = rc ? NULL : strrchr(path, '/');

	if (rc)
		return seep_err_set(err, -rc, "cannot tell where seep is installed: %s",
				    strerror(-rc));
	if (slash)
		*slash = 0;
	return 0;
}

static bool try_place(char *path, const char *bin, const char *place, const char *name)
{
	char candidate[2 * PATH_MAX];

	snprintf(candidate, sizeof(candidate), "%s/%s/%s", bin, place, name);
	return realpath(candidate, path) != NULL;
}

int seep_install_tracker(char *path, struct seep_err *err)
{
	char bin[PATH_MAX];
	int rc = own_directory(bin, err);

	if (rc)
		return rc;
	if (!try_place(path, bin, "../lib", TRACKER) &&
	    !try_place(path, bin, SEEP_TRACKER_FROM_BIN, TRACKER) &&
	    !try_place(path, bin, "../lib/seep", TRACKER))
		return seep_err_set(err, ENOENT,
				    "the tracker " TRACKER " is neither in %.150s/../lib nor in "
				    "%.150s/" SEEP_TRACKER_FROM_BIN "; build or install seep "
				    "again, all of it", bin, bin);
	if (strpbrk(path, " :"))
		return seep_err_set(err, EINVAL,
				    "the tracker is in '%.300s', and a path with a blank or a "
				    "colon cannot be preloaded; move seep elsewhere", path);
	return 0;
}

int seep_install_example(char *path, const char *name, struct seep_err *err)
{
	char bin[PATH_MAX];
	int rc = own_directory(bin, err);

	if (rc)
		return rc;
	if (try_place(path, bin, "../examples", name) ||
	    try_place(path, bin, SEEP_TRACKER_FROM_BIN, name) ||
	    try_place(path, bin, "../lib/seep", name) ||
	    try_place(path, bin, "../libexec/seep", name))
		return 0;
	return seep_err_set(err, ENOENT,
			    "the example '%s' is neither in %.150s/../examples nor in "
			    "%.150s/" SEEP_TRACKER_FROM_BIN "; try seep run with a program of "
			    "your own", name, bin, bin);
}
