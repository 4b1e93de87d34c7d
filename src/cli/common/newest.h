/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace to use if the user names none. */
#ifndef SEEP_CLI_COMMON_NEWEST_H
#define SEEP_CLI_COMMON_NEWEST_H

#include "base/arena.h"
#include "base/err.h"

/* The newest readable file in this directory whose name ends in .seep; NULL: none. */
char *seep_newest_trace(struct seep_arena *arena, struct seep_err *err);

#endif
