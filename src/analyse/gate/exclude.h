/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a run as it would have been without the memory that some sites keep, to be judged again.
 *
 * This is more precise than subtracting rates: the total and the site share their noise, which
 * disappears with the site.  Only blocks that are still alive count, by the event of their birth.
 * Within a bin of several events, they are assumed to be evenly distributed.  If bins differ so
 * much that this cannot be true, only the events at bin boundaries are judged (see stride in
 * struct seep_run), where the sum is exact.
 */
#ifndef SEEP_ANALYSE_GATE_EXCLUDE_H
#define SEEP_ANALYSE_GATE_EXCLUDE_H

#include "base/arena.h"
#include "model/run.h"

/*
 * left_out has one entry for each of run->sites.  Unless keep_rss is set, the new run has no
 * RSS, because it is unknown how much RSS these blocks account for: the allocator's overhead and
 * pages that were never touched make a difference.
 */
void seep_exclude_sites(struct seep_run *rest, const struct seep_run *run, const bool *left_out,
			bool keep_rss, struct seep_arena *arena);

#endif
