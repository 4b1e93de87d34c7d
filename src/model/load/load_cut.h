/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as it was at one of its events. */
#ifndef SEEP_MODEL_LOAD_LOAD_CUT_H
#define SEEP_MODEL_LOAD_LOAD_CUT_H

#include "base/err.h"
#include "trace/reader.h"

/*
 * Lets the trace end behind the last snapshot in that event, counted from 1; fails if there
 * is none, and says which there are.  To be called before anything is read.
 */
int seep_load_cut(struct seep_reader *reader, uint64_t event, struct seep_err *err);

#endif
