/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a file is JSON, as a saved report is, and its text. */
#ifndef SEEP_CLI_COMMON_SAVED_H
#define SEEP_CLI_COMMON_SAVED_H

#include "base/err.h"

#include <stddef.h>

/*
 * Sets *text to what the file holds if it begins with a brace; to be freed.  Leaves it NULL for
 * all other files, also those that cannot be read.  Fails for a file of unreasonable length.
 */
int seep_saved_read(const char *path, char **text, size_t *bytes, struct seep_err *err);

#endif
