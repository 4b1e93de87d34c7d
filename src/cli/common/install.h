/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds seep's other files, relative to the command: installed, or in the build tree. */
#ifndef SEEP_CLI_COMMON_INSTALL_H
#define SEEP_CLI_COMMON_INSTALL_H

#include "base/err.h"

#include <stddef.h>

/* path has room for PATH_MAX bytes and becomes absolute, with links resolved. */
int seep_install_tracker(char *path, struct seep_err *err);  /* the preloaded library */
int seep_install_stamps(char *path, struct seep_err *err);   /* libseep */
int seep_install_example(char *path, const char *name, struct seep_err *err);

#endif
