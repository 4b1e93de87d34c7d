/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known before the verdict: the rates of the series, what the survivors of each site
 * show, and where memory outside live blocks goes.
 *
 * It is gathered once and does not change afterwards.  rules.c weighs it, words/ puts it into
 * sentences.  None of it depends on the order of the sites in the trace.
 *
 * Numbers "per event" are bytes per event.  In a run without marked events, the events are
 * slices of time.
 */
#ifndef SEEP_ANALYSE_VERDICT_EVIDENCE_H
#define SEEP_ANALYSE_VERDICT_EVIDENCE_H

#include "analyse/cause/driver.h"
#include "analyse/cause/outside.h"
#include "analyse/cause/runtime.h"
#include "analyse/cause/sum.h"
#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/series/trend.h"
#include "analyse/site/cohort.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_evidence {
	const struct seep_run *run;
	bool slices;                     /* the events are slices of time */
	double material_bytes;           /* smaller amounts do not matter */
	struct seep_series heap, rss;
	struct seep_rate heap_rate, rss_rate, tracker_rate; /* as lines after the warm-up */
	struct seep_trend heap_trend, rss_trend; /* the course of each, and its rate at the end */
	struct seep_outside outside;     /* growth outside live blocks */
	struct seep_closing_sum sum;     /* what the growth of RSS consists of */
	const struct seep_runtime *runtime; /* the language runtime of the program */

	/* All sites, by their verdict. */
	struct seep_cohort_clock clock;  /* the events as the snapshot of the sites saw them */
	struct seep_site_result *sites;  /* in the order of the report */
	struct seep_driver_leak *leaks;  /* heap sites that leak */
	size_t n_leaks, filling, draining, suspects;
	size_t immature;                 /* sites with too few mature cohorts to be judged */
	size_t keeping;                  /* sites that kept something after the warm-up */
	double sites_needed;             /* events that would settle the open sites, or 0 */

	/* Sites of the heap that leak. */
	size_t late_leaks;               /* leaks that began after the warm-up */
	size_t sure_leaks;               /* leaks in nearly every event that never free a block */
	size_t mature, surviving;        /* mature cohorts of all leaks; those with survivors */
	uint64_t leak_born, leak_died;   /* blocks allocated and freed there */
	struct seep_estimate leak_rate;  /* sum over the leaks; known if there are any */
	int64_t leaks_since;             /* first event that leak_rate holds for */
	bool collectable;                /* a garbage collector may still free what seems to leak */
	double collected_by;             /* events after which it must have run */

	/* Sites that keep memory outside the heap: mappings, stacks, the break. */
	struct seep_driver_leak *others;
	size_t n_others;
	uint64_t others_died;            /* blocks freed there */
	struct seep_estimate others_rate;

	/* Heap sites that are not leaks, in bytes alive unless they are rates. */
	struct seep_estimate kept;       /* per event, by sites that seem to keep nothing */
	double suspect_bytes;            /* kept at suspects */
	double young_bytes;              /* at sites whose blocks are too young to judge */
	double open_bytes;               /* at sites that could not be judged */
	double filling_bytes;            /* at sites that fill up */
	struct seep_estimate filling_rate; /* per event, added by these at the end */
	double still_filling_bytes;      /* at those of them that have not stopped */
	double evicting_bytes;           /* at those of them that free blocks some events later */

	/* Growth in a few large blocks (arrays), or in a queue. */
	const struct seep_site *grown;   /* the site that holds it; NULL: none does for certain */
	bool grown_queues;               /* it is a queue */
	bool may_grow;                   /* no site does for certain, but an array may */
	struct seep_estimate grown_rate; /* of the site, whether it does or may */
	bool grown_by_sizes;             /* from the sizes it outgrew: bounds, not an interval */
	double swelling;                 /* upper bound per event for arrays at other sites */

	/* The heap as a whole. */
	bool unsteady;                   /* it keeps changing by a large part of its own size */
	bool rss_unsteady;               /* RSS does */
	bool clean;                      /* nearly everything allocated in the events was freed */
	bool clean_but_step;             /* the same, except for the one step of the heap */
	struct seep_estimate clean_rate; /* what a clean heap may still grow by per event */
};

/* material_bytes: 0 selects the default. */
void seep_evidence_gather(struct seep_evidence *evidence, const struct seep_run *run,
			  double material_bytes, struct seep_arena *arena);

/* Adds an estimate whose error may have the same direction: the ends of the intervals add. */
void seep_evidence_add_rate(struct seep_estimate *sum, const struct seep_estimate *one);

/* Growth that matters may have left no sample, so "flat" would mean nothing. */
bool seep_evidence_is_coarse(const struct seep_rate *rate);

/* Bytes per sample that show growth beyond the tolerance clearly; 0: do not sample at all. */
double seep_evidence_finer_mean(const struct seep_rate *rate);

/* Sampled blocks that were allocated in the events and are alive. */
uint64_t seep_evidence_samples(const struct seep_evidence *evidence);

/* The series grows; RSS must show it more clearly than the heap. */
bool seep_evidence_grows(const struct seep_rate *rate, enum seep_series_kind kind);

/* Do the leaking sites keep about as much as the live heap grows by? */
bool seep_evidence_agrees(const struct seep_evidence *evidence);

#endif
