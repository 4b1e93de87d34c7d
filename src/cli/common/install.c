/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/install.h"
#include "os/tool/proc.h"

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

#ifndef SEEP_STAMPS
#define SEEP_STAMPS "libseep.so"
#endif

#define TRACKER "libseep-heap.so"

static int own_directory(char *path, struct seep_err *err)
{
	int rc = seep_proc_own_path(path, PATH_MAX);
	char *slash = rc ? NULL : strrchr(path, '/');

	if (rc)
		return seep_err_set(err, -rc, "cannot find out where seep is installed: %s",
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

/* The loader takes a list of them, with blanks or colons between. */
static int check_path(const char *path, struct seep_err *err)
{
	if (!strpbrk(path, " :"))
		return 0;
	return seep_err_set(err, EINVAL, "the tracker is in '%.300s', and a path with a space or a "
			    "colon cannot be preloaded; move seep elsewhere", path);
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
				    "%.150s/" SEEP_TRACKER_FROM_BIN "; rebuild or reinstall all of "
				    "seep", bin, bin);
	return check_path(path, err);
}

int seep_install_stamps(char *path, struct seep_err *err)
{
	char bin[PATH_MAX];
	int rc = own_directory(bin, err);

	if (rc)
		return rc;
	if (!try_place(path, bin, "../lib", SEEP_STAMPS) &&
	    !try_place(path, bin, SEEP_TRACKER_FROM_BIN "/..", SEEP_STAMPS))
		return seep_err_set(err, ENOENT, "the library " SEEP_STAMPS " is not in "
				    "%.300s/../lib; rebuild or reinstall all of seep", bin);
	return check_path(path, err);
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
			    "%.150s/" SEEP_TRACKER_FROM_BIN "; try seep run with your own program",
			    name, bin, bin);
}
