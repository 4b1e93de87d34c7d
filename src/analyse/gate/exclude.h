/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as it would have been without what some of its sites keep, to be judged anew.
 *
 * That is sharper than to subtract rates: total and site have their noise in common,
 * and it goes with the site.  Of the blocks only those count that are still alive, by
 * the event of their birth.  Within a bin of several events they are taken as evenly
 * spread; where bins differ, so that this is not true, only the events at their borders
 * are judged (see stride in struct seep_run), for which the sum is exact.
 */
#ifndef SEEP_ANALYSE_GATE_EXCLUDE_H
#define SEEP_ANALYSE_GATE_EXCLUDE_H

#include "base/arena.h"
#include "model/run.h"

/*
 * left_out has one entry for each of run->sites.  Unless RSS is kept the new run has
 * none: how much of it such blocks take, allocator's overhead and pages never touched
 * considered, is not known.
 */
void seep_exclude_sites(struct seep_run *rest, const struct seep_run *run, const bool *left_out,
			bool keep_rss, struct seep_arena *arena);

#endif
