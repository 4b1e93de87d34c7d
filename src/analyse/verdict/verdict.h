/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From facts to the verdict.  Pure: no I/O, no clock, no randomness; it cannot
 * fail, too little data is a value.  The only room that may say "leak".
 *
 * docs/statistics.md explains what the numbers mean and when they lie.
 */
#ifndef SEEP_ANALYSE_VERDICT_VERDICT_H
#define SEEP_ANALYSE_VERDICT_VERDICT_H

#include "analyse/series/panda.h"
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

enum seep_site_verdict {
	SEEP_SITE_LEAK,
	SEEP_SITE_FILLING,
	SEEP_SITE_DRAINING,
	SEEP_SITE_REALLOC_GROWTH,
	SEEP_SITE_BACKLOG,
	SEEP_SITE_WEAK,
	SEEP_SITE_NONE,
};

/* A number with its 95 % interval.  known is false where there was too little data. */
struct seep_estimate {
	bool known;
	double value, low, high;
};

struct seep_phase_share {
	uint32_t from, to;       /* names; 0 is the begin of the event (to: of the next one) */
	bool between_events;     /* no names: from an event's end to the next one's begin */
	struct seep_estimate bytes_per_event;
	double share;            /* of the rate; they add up to 1, or are all 0 if nothing grows */
	double gross;            /* bytes per event that come and go in it; NAN: not known */
	bool guilty;             /* with the others of this kind, surely half of the growth */
	size_t group_first, group_n; /* it jitters against neighbours: these phases; else 0, 0 */
	struct seep_estimate group_bytes_per_event; /* of them together */
};

/* What the growth follows: the sum of a counter, its running maximum, or the time in seconds. */
struct seep_driver {
	size_t counter;          /* index into run->counters; not for time */
	bool time, running_maximum;
	struct seep_estimate bytes_per_unit;
	bool combined;           /* with a second one, and not with one of them alone */
	size_t second_counter;
	bool second_time, second_running_maximum;
	struct seep_estimate second_bytes_per_unit;
	double r2;
	bool proportional;       /* the part that does not depend on it may be 0 */
};

struct seep_site_result {
	const struct seep_site *site;
	enum seep_site_verdict verdict;
	struct seep_estimate bytes_per_event;
	double objects_per_event;
	double object_bytes;     /* mean size of a live block */
	uint64_t live_blocks, live_bytes;
	double share;            /* of the verdict's rate; or of what is kept outside the heap */
	struct seep_estimate kept; /* part of the blocks that is not freed within kept_age events */
	int64_t kept_age;
	int64_t mature_age;      /* events from which on a block counts as kept */
};

/* The rate of RSS split up; the terms add up to rss, residual takes what is left. */
struct seep_closing_sum {
	bool known;
	bool slack_known, non_heap_known; /* else they are 0, and part of the residual */
	bool clear;              /* else it is noise: terms that cancel, of an RSS that rests */
	double rss, heap_live, allocator_slack, non_heap, tracker, residual;
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

struct seep_verdict {
	enum seep_kind kind;
	const char *sentence;    /* the evidence, in words a user can check */
	const char **reasoning;  /* how it was reached, step by step */
	size_t n_reasoning;
	bool from_heap;          /* series "heap", else "rss" */
	struct seep_estimate bytes_per_event;
	double confidence;       /* of every interval: 0.95 */
	double bytes_per_s;
	double rise_bytes;       /* by which memory rose, where it does not go on to; else 0 */
	double floor_bytes_per_event; /* smaller growth than this could not have been seen */
	int64_t warmup_events;
	int64_t events_used;
	double events_needed;    /* to settle an undecided verdict; 0: not known or not needed */
	struct seep_oom oom;
	struct seep_oom slowdown; /* known where the process will be throttled before that */
	struct seep_closing_sum sum;
	struct seep_panda panda; /* what another tool would say */
	struct seep_phase_share *phases;
	size_t n_phases;
	struct seep_driver *drivers; /* best first; several cannot be told apart; may be none */
	size_t n_drivers;
	struct seep_site_result *sites; /* guilty ones first, by rate; then by live bytes */
	size_t n_sites;
};

/* Memory grows, whoever keeps it. */
static inline bool seep_verdict_kind_grows(enum seep_kind kind)
{
	return kind == SEEP_KIND_LEAK || kind == SEEP_KIND_GROWTH || kind == SEEP_KIND_NON_HEAP ||
	       kind == SEEP_KIND_RETENTION || kind == SEEP_KIND_FRAGMENTATION;
}

/* The site takes part in growth that goes on. */
static inline bool seep_verdict_site_grows(enum seep_site_verdict verdict)
{
	return verdict == SEEP_SITE_LEAK || verdict == SEEP_SITE_REALLOC_GROWTH ||
	       verdict == SEEP_SITE_BACKLOG;
}

/* Everything the run tells.  *verdict lives in the arena. */
void seep_verdict_reach(struct seep_verdict *verdict, const struct seep_run *run,
			struct seep_arena *arena);

const char *seep_verdict_kind_name(enum seep_kind kind);           /* as in the report JSON */
const char *seep_verdict_site_name(enum seep_site_verdict verdict); /* as in the report JSON */

/* What rates of growth are called where they stand beside other numbers of a profile. */
const char *seep_verdict_rate_name(void);

#endif
