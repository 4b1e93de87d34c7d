/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the survivors of one site say.
 *
 * A cohort is what a site allocated during one event (or a bin of events, in
 * long runs).  How many of each cohort are alive at the snapshot is the whole
 * story: the same number from every event is a leak; only from the first ones,
 * initialisation or a pool that filled up; only from the last ones, objects
 * that simply live for a few events.
 *
 * docs/method.md has the rule with its thresholds, docs/accuracy.md its error rates.
 */
#ifndef SEEP_ANALYSE_SITE_COHORT_H
#define SEEP_ANALYSE_SITE_COHORT_H

#include "analyse/site/birth_profile.h"
#include "analyse/site/site_result.h"
#include "model/run.h"

/*
 * The events as the snapshot saw them; and later ones, if the heap did not change any more.
 */
struct seep_cohort_clock {
	int64_t begun;           /* events 0 .. begun - 1 may have blocks alive */
	int64_t complete;        /* of these, ended before the snapshot: begun or begun - 1 */
	int64_t snapshot_begun, snapshot_complete; /* by the snapshot alone, see below */
	int64_t restart;         /* the last restart of the program came in this event; 0: none */
	double sample_bytes;     /* bytes per sample; 0: every block was tracked */
	bool slices;             /* events are slices of time, not cycles of the program */
	const double *index, *work; /* the heap changed in work[i] slices before index[i] */
	size_t n_work;           /* length of both; 0: the work does not come in bursts */
	double material_bytes;   /* smaller amounts matter only if kept regularly */
};

struct seep_cohort {
	enum seep_site_verdict verdict;
	enum seep_doubt doubt;   /* of a suspect */
	struct seep_birth_profile profile; /* of survivors since the warm-up or their start */
	bool late;               /* they began after the warm-up */
	int64_t began;           /* in this event */
	bool regular;            /* kept in most events, or all along in slices of time */
	struct seep_estimate bytes_per_event; /* survivors; the interval never goes below 0 */
	double objects_per_event;
	int64_t first, end;      /* the rate is the mean over events first .. end - 1 */
	int64_t mature_age;      /* events after which a block counts as kept */
	size_t mature;           /* cohorts old enough to be judged */
	size_t surviving;        /* of these, with blocks still alive */
	bool immature;           /* too few mature cohorts to say anything */
	double events_needed;    /* to judge an immature or suspect site, else 0 */
	double event_bytes;      /* bytes alive that were allocated in events */
	double kept_bytes;       /* the part that is old enough, or of a site that frees little */
	struct seep_estimate recent; /* what the last quarter of the mature ones keep per event */
	bool still_fills;        /* filling, and the last cohorts still keep a good part */
	bool evicts;             /* a good part of what is born is freed some events later */
	bool frees_old;          /* many blocks older than an eighth of the run die */
	bool frees_older;        /* the same for a quarter of the run */
	bool queues;             /* the last events' blocks are all there, older ones died young */
};

struct seep_cohort_clock seep_cohort_read_clock(const struct seep_run *run);

void seep_cohort_judge(struct seep_cohort *cohort, const struct seep_site *site,
		       struct seep_cohort_clock clock);

/* Fills in work and bursts of the table. */
void seep_cohort_read_work(struct seep_cohort_table *c, const struct seep_cohort_clock *clock);

/* Deaths of blocks that outlived the event they were born in. */
uint64_t seep_cohort_aged_deaths(const struct seep_site *site);

/*
 * Events that must be behind a block of this site before it counts as kept:
 * 1.5 times the age below which 99 % of the freed blocks were freed, plus one.
 */
int64_t seep_cohort_mature_age(const struct seep_site *site);

#endif
