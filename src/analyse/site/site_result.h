/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the analysis says about one call site. */
#ifndef SEEP_ANALYSE_SITE_SITE_RESULT_H
#define SEEP_ANALYSE_SITE_SITE_RESULT_H

#include "analyse/series/estimate.h"
#include "model/run.h"

enum seep_site_verdict {
	SEEP_SITE_LEAK,
	SEEP_SITE_FILLING,
	SEEP_SITE_DRAINING,
	SEEP_SITE_REALLOC_GROWTH,
	SEEP_SITE_BACKLOG,
	SEEP_SITE_SUSPECT,       /* keeps something; not enough evidence or size for LEAK */
	SEEP_SITE_NONE,
};

/* Why a site that keeps blocks is only suspect. */
enum seep_doubt {
	SEEP_DOUBT_NONE,
	SEEP_DOUBT_FEW,          /* too few events kept something */
	SEEP_DOUBT_SMALL,        /* rare, and too small to matter */
	SEEP_DOUBT_STRETCHES,    /* kept in stretches, with long pauses */
	SEEP_DOUBT_NEW,          /* began too recently */
	SEEP_DOUBT_REPLACED,     /* the heap may be level: others may free as much */
	SEEP_DOUBT_TOLERATED,    /* the heap grew too, but by less than is tolerated */
	SEEP_DOUBT_EVICTED,      /* it frees old blocks, and the heap is not seen to grow */
	SEEP_DOUBT_COLLECTOR,    /* a garbage collector has had no reason to run yet */
};

struct seep_site_result {
	const struct seep_site *site;
	enum seep_site_verdict verdict;
	enum seep_doubt doubt;   /* of a suspect */
	double events_needed;    /* that would settle a suspect; 0: not known */
	struct seep_estimate bytes_per_event;
	double objects_per_event;
	double object_bytes;     /* mean size of a live block */
	uint64_t live_blocks, live_bytes;
	double share;            /* of the verdict's rate; or of what is kept outside the heap */
	struct seep_estimate kept; /* part of the blocks that is not freed within kept_age events */
	int64_t kept_age;
	int64_t mature_age;      /* events from which on a block counts as kept */
};

/* The site leaks memory of the heap. */
static inline bool seep_site_result_leaks(const struct seep_site_result *result)
{
	return result->verdict == SEEP_SITE_LEAK && result->site->kind == SEEP_MEMORY_HEAP;
}

/* The site takes part in growth that goes on. */
static inline bool seep_site_result_grows(const struct seep_site_result *result)
{
	return result->verdict == SEEP_SITE_LEAK || result->verdict == SEEP_SITE_REALLOC_GROWTH ||
	       result->verdict == SEEP_SITE_BACKLOG;
}

#endif
