/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the memory will be used up.
 *
 * Of all limits of the run the one that will be met first counts, which need not be the smallest:
 * others may use a part of a larger one, and address space may grow where resident
 * memory does not.  The time is
 *
 *     (limit - used by others - used at the last stamp) / bytes per event * time per event
 *
 * and its interval holds the doubt about both rates.
 */
#ifndef SEEP_ANALYSE_VERDICT_OOM_H
#define SEEP_ANALYSE_VERDICT_OOM_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"

/*
 * Fills verdict->oom and verdict->slowdown by verdict->bytes_per_event.  high is INFINITY where
 * the rate may be 0.  Not known without a limit, without a value of RSS, or where nothing grows.
 */
void seep_oom_reach(struct seep_verdict *verdict, const struct seep_evidence *evidence,
		    struct seep_arena *arena);

#endif
