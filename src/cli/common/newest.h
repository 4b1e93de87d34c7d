/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace that is meant where none is named. */
#ifndef SEEP_CLI_COMMON_NEWEST_H
#define SEEP_CLI_COMMON_NEWEST_H

#include "base/arena.h"
#include "base/err.h"

/* The newest file of this directory that is one by its name and can be read; NULL: none. */
char *seep_newest_trace(struct seep_arena *arena, struct seep_err *err);

#endif
