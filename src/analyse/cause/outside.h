/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory outside live blocks.
 *
 * Between two anchors, the change of RSS is the sum of the changes of the live heap, of what the
 * allocator has beyond it (slack), of what the program holds outside the heap, of the tracker, and
 * of the rest.  Slack that the allocator gives back when asked was only kept for later (retention).
 * If it cannot give it back, live blocks lie between the free ones (fragmentation).
 */
#ifndef SEEP_ANALYSE_CAUSE_OUTSIDE_H
#define SEEP_ANALYSE_CAUSE_OUTSIDE_H

#include "analyse/series/trend.h"
#include "model/run.h"

enum seep_outside_kind {
	SEEP_OUTSIDE_NOTHING,    /* that matters */
	SEEP_OUTSIDE_RETENTION,
	SEEP_OUTSIDE_FRAGMENTATION,
	SEEP_OUTSIDE_SLACK,      /* of the allocator, which was not asked to give it back */
	SEEP_OUTSIDE_HELD,       /* mappings and stacks that the program holds */
	SEEP_OUTSIDE_TOUCHED,    /* the same, got early and touched bit by bit: it has an end */
	SEEP_OUTSIDE_FILES,      /* pages of files that it has mapped */
	SEEP_OUTSIDE_REST,       /* nothing that the tracker sees */
};

struct seep_outside {
	enum seep_outside_kind kind;
	double rise;             /* of what the kind says, bytes over the run */
	double rss, live, slack, held, files; /* bytes by which each rose */
	double mapped, shared;   /* by which address space that is held rose; shared memory */
	double late_mapped, late_held; /* mapped, and of it in memory, behind the warm-up of RSS */
	double untouched;        /* bytes that are mapped and not in memory, at the end */
	bool maps_known;         /* those two are known */
	bool in_blocks;          /* touched: the memory is in live blocks */
	bool bounded;            /* ... and how much of it is left is known */
	bool anchored;           /* the others are */
	bool slack_known;        /* ... and the allocator told what it has */
	bool asked;              /* the allocator was asked to give back */
	double given_back;       /* bytes that it gave */
	double free_resident;    /* bytes that it could have given at most */
	double gain;             /* the one to the other, 0 to 1 */
};

/* rss is the trend of RSS, warm the first event behind its warm-up. */
void seep_outside_find(struct seep_outside *outside, const struct seep_run *run,
		       const struct seep_trend *rss, const struct seep_rate *rss_rate,
		       int64_t warm);

#endif
