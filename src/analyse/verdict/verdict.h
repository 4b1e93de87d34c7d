/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict: what the analysis makes of a run.  Pure: no I/O, no clock, no randomness.  It
 * cannot fail: too little data is a value.  The only room that may say "leak".
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
	SEEP_KIND_LEAK,          /* call sites keep blocks, and will keep more */
	SEEP_KIND_SATURATING,    /* memory grew and stopped, or is about to */
	SEEP_KIND_STEP,          /* it rose once, or a few times */
	SEEP_KIND_CACHE,         /* sites that also free old blocks, or fill ever more slowly */
	SEEP_KIND_SAWTOOTH,      /* it rises and falls, and the troughs do not rise */
	SEEP_KIND_RETENTION,     /* the allocator keeps free memory that it could give back */
	SEEP_KIND_FRAGMENTATION, /* the allocator has free memory that it cannot give back */
	SEEP_KIND_NON_HEAP,      /* RSS grows by memory that the program maps, or by stacks */
	SEEP_KIND_GROWTH,        /* memory grows, and there is no heap data to say why */
	SEEP_KIND_FLAT,          /* no growth beyond what is tolerated */
	SEEP_KIND_UNDECIDED,
};

/* When the first limit will be reached; oom.h. */
struct seep_oom {
	bool known;
	int64_t limit_bytes;
	const char *limit_source; /* "cgroup", "RAM" ... */
	double bytes_per_event;  /* how fast it fills: the rate of RSS if that is larger */
	double room_bytes;       /* what this process and others have left of it */
	double seconds, low, high; /* until then; high may be INFINITY */
	double events, events_low, events_high; /* the same in events */
};

struct seep_rule;
struct seep_series;
struct seep_rate;
struct seep_trend;

/* How the verdict was reached, as far as the kind does not say so; selects the sentence. */
enum seep_reason {
	SEEP_REASON_TOTAL,       /* the total shows it */
	SEEP_REASON_SITES,       /* the sites show it; the total is noisy or differs */
	SEEP_REASON_NO_EVENTS,
	SEEP_REASON_FEW_EVENTS,
	SEEP_REASON_DISAGREE,    /* few events, and sites and total disagree */
	SEEP_REASON_NO_SITE,     /* the total grows and no site is accused */
	SEEP_REASON_BATCH,       /* the program seems to run once and repeat nothing */
	SEEP_REASON_GARBAGE,     /* a garbage collector may still free what seems to leak */
	SEEP_REASON_COLLECTED,   /* the garbage collector freed it at the end */
	SEEP_REASON_DOUBLES,     /* an array doubles now and then; the total shows only steps */
	SEEP_REASON_GROWN,       /* the growth is in a few large blocks, or in a queue */
	SEEP_REASON_OUTSIDE,     /* the growth is outside live blocks */
	SEEP_REASON_NOISE,       /* growth can be neither shown nor excluded */
	SEEP_REASON_COARSE,      /* the sample may have missed growth that matters */
};

/* The series that decided: the live heap or RSS. */
struct seep_basis {
	const struct seep_series *series;
	const struct seep_rate *rate;   /* its rate as a line */
	const struct seep_trend *trend; /* its course, and its rate at the end */
};

struct seep_verdict {
	enum seep_kind kind;
	const struct seep_rule *rule; /* the one that decided; rules.h */
	enum seep_reason reason;
	struct seep_basis basis;
	const char *sentence;    /* the evidence, in words that a user can check */
	const char **reasoning;  /* how the verdict was reached, step by step (--explain) */
	size_t n_reasoning;
	bool from_heap;          /* the live heap decided, else RSS */
	struct seep_estimate bytes_per_event; /* the rate in the headline */
	double confidence;       /* of every interval: 0.95 */
	double bytes_per_s;      /* the same rate per second */
	double rise_bytes;       /* how far memory rose, if it has stopped rising; else 0 */
	bool bounded;            /* it can rise only into memory that is mapped already */
	bool slows_down;         /* RSS decided, and levels off */
	double floor_bytes_per_event; /* smaller growth could not have been seen */
	int64_t warmup_events;   /* at the start, which the rate leaves out */
	int64_t events_used;     /* that the rate is based on */
	int64_t since_event;     /* the first event that the rate covers */
	bool at_end;             /* the rate is the slope at the end, not a mean */
	double events_needed;    /* in all, to settle the verdict; 0: unknown or not needed */
	struct seep_oom oom;
	struct seep_oom slowdown; /* known if the process will be throttled before that */
	struct seep_closing_sum sum; /* what the growth of RSS consists of */
	struct seep_panda panda; /* what the PanDA pilot would report */
	struct seep_phase_share *phases; /* where in the event memory grows */
	size_t n_phases;
	struct seep_driver *drivers; /* best first; if several, they fit equally well */
	size_t n_drivers;
	struct seep_gauge_result *gauges; /* descriptors, threads, the gauges of the program */
	size_t n_gauges;
	struct seep_rss_rise rss_rise; /* known only if the heap decided and does not grow */
	const struct seep_runtime *runtime; /* whose own heap most likely grows; or NULL */
	struct seep_site_result *sites; /* accused ones first, by rate; then by live bytes */
	size_t n_sites;
	double material_bytes;   /* the smallest amount that counted as material */
};

/* Memory grows, no matter what keeps it. */
static inline bool seep_verdict_kind_grows(enum seep_kind kind)
{
	return kind == SEEP_KIND_LEAK || kind == SEEP_KIND_GROWTH || kind == SEEP_KIND_NON_HEAP ||
	       kind == SEEP_KIND_RETENTION || kind == SEEP_KIND_FRAGMENTATION;
}

const char *seep_verdict_kind_name(enum seep_kind kind);           /* as in the report JSON */
const char *seep_verdict_site_name(enum seep_site_verdict verdict); /* as in the report JSON */
const char *seep_verdict_doubt_name(enum seep_doubt doubt); /* likewise; NULL for none */

/* The name of a rate of growth in profiles that hold other numbers too. */
const char *seep_verdict_rate_name(void);

#endif
