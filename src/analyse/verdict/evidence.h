/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known before the verdict: the rates of the series and what the
 * survivors of each site say.  verdict.c weighs it, sentence.c puts it in words.
 */
#ifndef SEEP_ANALYSE_VERDICT_EVIDENCE_H
#define SEEP_ANALYSE_VERDICT_EVIDENCE_H

#include "analyse/site/cohort.h"
#include "analyse/cause/driver.h"
#include "analyse/cause/outside.h"
#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/series/trend.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_evidence {
	const struct seep_run *run;
	bool from_heap;                  /* series and rate below are of the live heap */
	struct seep_series heap, rss;
	struct seep_rate heap_rate, rss_rate, tracker_rate;
	struct seep_trend heap_trend, rss_trend;
	struct seep_outside outside;
	const struct seep_series *series; /* the one that decides */
	const struct seep_rate *rate;
	const struct seep_trend *trend;

	struct seep_cohort_clock clock;
	struct seep_site_result *sites;  /* in the order of the report */
	struct seep_driver_leak *leaks;  /* the leaking ones */
	size_t n_leaks, filling, draining, weak, immature;
	size_t mature, surviving;        /* cohorts of all leaks */
	uint64_t leak_born, leak_died;   /* blocks */
	struct seep_estimate leak_rate;  /* sum over the leaks; known if there are any */
	struct seep_driver_leak *others; /* those that keep memory outside the heap */
	size_t n_others;
	uint64_t others_died;            /* blocks */
	struct seep_estimate others_rate;
	double sites_needed;             /* events that would settle the open sites, or 0 */
	struct seep_estimate kept;       /* per event, at sites that are found to keep nothing */
	double open_bytes;               /* alive at sites that could not be judged */
	double filling_bytes;            /* ... that fill up */
	struct seep_estimate filling_rate; /* ... which they keep per event at the end */
	double still_filling_bytes;      /* ... and have not stopped */
	double evicting_bytes;           /* ... that free what they have had for some events */
	const struct seep_site *grown;   /* in which few blocks, or a queue, grow for ever */
	bool may_grow;                   /* none is known to, but one doubles like one that does */
	struct seep_estimate grown_rate; /* of either */
	bool grown_by_sizes;             /* ... whose ends are what the sizes leave open */
	double swelling;                 /* at most, per event, by blocks that grow elsewhere */
};

void seep_evidence_gather(struct seep_evidence *evidence, const struct seep_run *run,
			  struct seep_arena *arena);

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

/*
 * Does the death of nearly all that was allocated show that the heap does not grow, but
 * for sites that fill up, where its level moves too much to tell?  Then *bound is
 * what else it may grow by.  except: bytes that are known to be kept, once.
 */
bool seep_evidence_is_clean(const struct seep_evidence *evidence, double except,
			    struct seep_estimate *bound);

/*
 * The live heap is known to stay where it is, so what one site keeps others give back: blocks
 * that live longer than the run has lasted.
 */
bool seep_evidence_is_contradicted(const struct seep_evidence *evidence);

/*
 * Slices of time are no cycles of the program: a few blocks that it keeps as it goes along, like
 * the names of what it has met, are no leak yet.
 */
bool seep_evidence_is_material(const struct seep_evidence *evidence);

#endif
