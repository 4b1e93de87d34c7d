/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict: what the analysis makes of a run.  Pure: no I/O, no clock, no randomness; it
 * cannot fail, too little data is a value.  The only room that may say "leak".
 *
 * judge.h reaches it.  docs/numbers.md explains what the numbers mean and when they are wrong.
 */
#ifndef SEEP_ANALYSE_VERDICT_VERDICT_H
#define SEEP_ANALYSE_VERDICT_VERDICT_H

#include "analyse/cause/driver.h"
#include "analyse/cause/gauges.h"
#include "analyse/cause/phase.h"
#include "analyse/cause/rss_rise.h"
#include "analyse/cause/runtime.h"
#include "analyse/cause/sum.h"
#include "analyse/extras/panda.h"
#include "analyse/series/estimate.h"
#include "analyse/site/site_result.h"
#include "base/arena.h"
#include "model/run.h"

enum seep_kind {
	SEEP_KIND_LEAK,
	SEEP_KIND_SATURATING,
	SEEP_KIND_STEP,
	SEEP_KIND_CACHE,
	SEEP_KIND_SAWTOOTH,
	SEEP_KIND_RETENTION,
	SEEP_KIND_FRAGMENTATION,
	SEEP_KIND_NON_HEAP,      /* RSS grows by what the program maps itself, or by stacks */
	SEEP_KIND_GROWTH,        /* memory grows, and there is no heap data to say why */
	SEEP_KIND_FLAT,
	SEEP_KIND_UNDECIDED,
};

struct seep_oom {
	bool known;
	int64_t limit_bytes;
	const char *limit_source;
	double bytes_per_event;  /* at which it is filled; RSS's if that is more */
	double room_bytes;       /* left of it, by this process and others */
	double seconds, low, high; /* high may be INFINITY */
	double events, events_low, events_high; /* likewise */
};

struct seep_rule;
struct seep_series;
struct seep_rate;
struct seep_trend;

/* How the verdict was reached, where the kind alone does not tell; chooses the sentence. */
enum seep_reason {
	SEEP_REASON_TOTAL,       /* the total shows it */
	SEEP_REASON_SITES,       /* the sites show it, the total is noisy or of something else */
	SEEP_REASON_NO_EVENTS,
	SEEP_REASON_FEW_EVENTS,
	SEEP_REASON_DISAGREE,    /* few events, and sites and total do not agree */
	SEEP_REASON_NO_SITE,     /* the total grows and no site is accused */
	SEEP_REASON_BATCH,       /* it grew while it worked, and no repetition was seen */
	SEEP_REASON_GARBAGE,     /* a garbage collector may still free what seems to leak */
	SEEP_REASON_COLLECTED,   /* ... and at the end it did */
	SEEP_REASON_DOUBLES,     /* an array does, now and then, and the total shows steps only */
	SEEP_REASON_GROWN,       /* the total grows in few blocks, or in a queue */
	SEEP_REASON_OUTSIDE,     /* memory in no live block */
	SEEP_REASON_NOISE,       /* growth can be neither shown nor excluded */
	SEEP_REASON_COARSE,      /* growth that matters would have no block in the sample */
};

/* The series that decided. */
struct seep_basis {
	const struct seep_series *series;
	const struct seep_rate *rate;
	const struct seep_trend *trend;
};

struct seep_verdict {
	enum seep_kind kind;
	const struct seep_rule *rule; /* that decided; rules.h */
	enum seep_reason reason;
	struct seep_basis basis;
	const char *sentence;    /* the evidence, in words a user can check */
	const char **reasoning;  /* how it was reached, step by step */
	size_t n_reasoning;
	bool from_heap;          /* series "heap", else "rss" */
	struct seep_estimate bytes_per_event;
	double confidence;       /* of every interval: 0.95 */
	double bytes_per_s;
	double rise_bytes;       /* by which memory rose, where it does not go on to; else 0 */
	bool bounded;            /* ... and what it may still rise by is set aside already */
	bool slows_down;         /* RSS decided, and levels off */
	double floor_bytes_per_event; /* smaller growth than this could not have been seen */
	int64_t warmup_events;
	int64_t events_used;
	int64_t since_event;     /* the rate covers the events from this one on */
	bool at_end;             /* the rate is that at the end of the series, no mean */
	double events_needed;    /* to settle an undecided verdict; 0: not known or not needed */
	struct seep_oom oom;
	struct seep_oom slowdown; /* known where the process will be throttled before that */
	struct seep_closing_sum sum;
	struct seep_panda panda; /* what another tool would say */
	struct seep_phase_share *phases;
	size_t n_phases;
	struct seep_driver *drivers; /* best first; several cannot be told apart; may be none */
	size_t n_drivers;
	struct seep_gauge_result *gauges; /* what else the process holds */
	size_t n_gauges;
	struct seep_rss_rise rss_rise; /* known only where the heap decided, and does not grow */
	const struct seep_runtime *runtime; /* whose own heap it most likely is; or NULL */
	struct seep_site_result *sites; /* accused ones first, by rate; then by live bytes */
	size_t n_sites;
	double material_bytes;   /* what counted as material */
};

/* Memory grows, whoever keeps it. */
static inline bool seep_verdict_kind_grows(enum seep_kind kind)
{
	return kind == SEEP_KIND_LEAK || kind == SEEP_KIND_GROWTH || kind == SEEP_KIND_NON_HEAP ||
	       kind == SEEP_KIND_RETENTION || kind == SEEP_KIND_FRAGMENTATION;
}

const char *seep_verdict_kind_name(enum seep_kind kind);           /* as in the report JSON */
const char *seep_verdict_site_name(enum seep_site_verdict verdict); /* as in the report JSON */
const char *seep_verdict_doubt_name(enum seep_doubt doubt); /* likewise; NULL for none */

/* What rates of growth are called where they stand beside other numbers of a profile. */
const char *seep_verdict_rate_name(void);

#endif
