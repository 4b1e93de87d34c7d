/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the memory will be used up.
 *
 * The limit that will be reached first counts.  It need not be the smallest: others may use a part
 * of a larger one, and address space may grow while resident memory does not.  The time is
 *
 *     (limit - used by others - used at the last stamp) / bytes per event * time per event
 *
 * and its interval covers the uncertainty of both rates.
 */
#ifndef SEEP_ANALYSE_VERDICT_OOM_H
#define SEEP_ANALYSE_VERDICT_OOM_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"

/*
 * Fills verdict->oom and verdict->slowdown from verdict->bytes_per_event.  high is INFINITY if the
 * rate may be 0.  Not known without a limit, without a value of RSS, or if nothing grows.
 */
void seep_oom_reach(struct seep_verdict *verdict, const struct seep_evidence *evidence,
		    struct seep_arena *arena);

#endif
