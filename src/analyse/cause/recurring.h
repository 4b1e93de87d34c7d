/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call of the C library that recurs all through a run, and so may stand for its events. */
#ifndef SEEP_ANALYSE_CAUSE_RECURRING_H
#define SEEP_ANALYSE_CAUSE_RECURRING_H

#include "model/run.h"

/*
 * The one that most likely has a unit of work behind it: a turn of an event loop, then a
 * connection, then a message.  NULL: there is none, or the program marks its events.
 */
const struct seep_run_call *seep_recurring_call(const struct seep_run *run);

#endif
