/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known before the verdict: the rates of the series, what the survivors of each site
 * say, and where memory goes that is in no block.
 *
 * It is gathered once and constant from then on.  rules.c weighs it, words/ puts it into
 * sentences.  The order of the sites in a trace makes no difference to any of it.
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
	bool slices;                     /* events are slices of time */
	double material_bytes;           /* what counts as material */
	struct seep_series heap, rss;
	struct seep_rate heap_rate, rss_rate, tracker_rate;
	struct seep_trend heap_trend, rss_trend;
	struct seep_outside outside;
	struct seep_closing_sum sum;
	const struct seep_runtime *runtime;

	struct seep_cohort_clock clock;
	struct seep_site_result *sites;  /* in the order of the report */
	struct seep_driver_leak *leaks;  /* the leaking ones */
	size_t n_leaks, filling, draining, suspects, immature;
	size_t late_leaks;               /* of these, that began after the warm-up */
	size_t sure_leaks;               /* of these, kept in nearly every event, and never freed */
	size_t mature, surviving;        /* cohorts of all leaks */
	uint64_t leak_born, leak_died;   /* blocks */
	struct seep_estimate leak_rate;  /* sum over the leaks; known if there are any */
	int64_t leaks_since;             /* ... which holds from this event on */
	struct seep_driver_leak *others; /* those that keep memory outside the heap */
	size_t n_others;
	uint64_t others_died;            /* blocks */
	struct seep_estimate others_rate;
	double sites_needed;             /* events that would settle the open sites, or 0 */
	struct seep_estimate kept;       /* per event, at sites that are found to keep nothing */
	double suspect_bytes;            /* kept at suspects */
	double young_bytes;              /* alive at sites whose blocks are too young to judge */
	bool collectable;                /* a garbage collector may still free what seems to leak */
	double collected_by;             /* ... events by which it must have run */
	double open_bytes;               /* alive at sites that could not be judged */
	double filling_bytes;            /* ... that fill up */
	struct seep_estimate filling_rate; /* ... which they keep per event at the end */
	double still_filling_bytes;      /* ... and have not stopped */
	double evicting_bytes;           /* ... that free what they have had for some events */
	const struct seep_site *grown;   /* in which few blocks, or a queue, grow for ever */
	bool grown_queues;               /* ... a queue */
	bool may_grow;                   /* none is known to, but one doubles like one that does */
	struct seep_estimate grown_rate; /* of either */
	bool grown_by_sizes;             /* ... whose ends are what the sizes leave open */
	double swelling;                 /* at most, per event, by blocks that grow elsewhere */
	size_t keeping;                  /* sites that kept something since the warm-up */
	bool unsteady;                   /* the heap moves on a scale of its own size, to the end */
	bool rss_unsteady;               /* RSS does */
	bool clean;                      /* nearly all that was allocated has died */
	bool clean_but_step;             /* ... or it has but for the one step of the heap */
	struct seep_estimate clean_rate; /* what else the heap may grow by then */
};

/* material_bytes: 0 stands for the default. */
void seep_evidence_gather(struct seep_evidence *evidence, const struct seep_run *run,
			  double material_bytes, struct seep_arena *arena);

/* The sum of two that may err in the same direction. */
void seep_evidence_add_rate(struct seep_estimate *sum, const struct seep_estimate *one);

/* More than matters may have been added without a sample of it: flat would mean nothing. */
bool seep_evidence_is_coarse(const struct seep_rate *rate);

/* A mean at which growth beyond the tolerance has dozens of samples; 0: none should be taken. */
double seep_evidence_finer_mean(const struct seep_rate *rate);

/* Blocks of the sample that are alive, of those born in the events. */
uint64_t seep_evidence_samples(const struct seep_evidence *evidence);

/* The level grows, beyond the doubt that its kind deserves. */
bool seep_evidence_grows(const struct seep_rate *rate, enum seep_series_kind kind);

/* Do the leaking sites account for about what the live heap does? */
bool seep_evidence_agrees(const struct seep_evidence *evidence);

#endif
