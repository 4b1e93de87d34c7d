/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The facts of one run, as analyse/ and render/ see them.
 *
 * Filled by model/load/load.c, from a trace or from what import/ makes of a foreign file; names
 * of functions by model/symbols/symbols.c.  Nothing here is a judgement.  All memory
 * belongs to the arena given to seep_load_run().
 *
 * Events are numbered from 0 in the order they began; what happened before the first
 * event belongs to event SEEP_EVENT_NONE.  A long run does not write all of its events
 * into the trace: events[] are those it wrote, which have rising numbers, and
 * seep_run_marked() is how many there were.
 *
 * Where events are the slices of seep run's clock, an event's number is the time since the first,
 * in slices, and events[] has all slices up to the end of the program, or each stride-th one.
 */
#ifndef SEEP_MODEL_RUN_H
#define SEEP_MODEL_RUN_H

#include "trace/format.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_EVENT_NONE (-1)

/* What marks the events of a run. */
enum seep_event_source {
	SEEP_EVENTS_NONE,        /* the run has no events */
	SEEP_EVENTS_API,         /* the program, by seep.h, --event or an imported file */
	SEEP_EVENTS_TIME,        /* the clock: the run is cut into slices of time */
	SEEP_EVENTS_FILE,        /* a file that seep watch follows (--events-file) */
};

/*
 * In flags: the begin of a time slice that is not in the trace, for the program neither allocated
 * nor freed in the slice before.
 */
#define SEEP_STAMP_FILLED ((uint16_t)1 << 15)

struct seep_stamp {
	int64_t t_ns;            /* since the start of the run */
	int64_t vm_bytes;        /* with rss_bytes: valid if has_rss */
	int64_t rss_bytes;
	int64_t live_bytes;      /* with live_blocks: valid if has_heap */
	int64_t live_blocks;
	int64_t tracker_bytes;   /* of rss_bytes, taken by the tracker itself */
	int64_t event;           /* its place in events, or SEEP_EVENT_NONE */
	uint32_t name;           /* index into names; 0: the begin or end of an event */
	uint16_t flags;          /* SEEP_STAMP_* */
};

/* One event; its begin is the anchor of every series. */
struct seep_event {
	int64_t number;          /* events that began before it */
	int64_t index;           /* what the program called it */
	size_t first_stamp;      /* its BEGIN, in stamps */
	size_t n_stamps;         /* BEGIN, the named ones, END if it was reached */
};

/* All terms of the memory at one moment; see struct seep_rec_anchor. */
struct seep_anchor {
	int64_t t_ns;
	int64_t event;           /* or SEEP_EVENT_NONE */
	int64_t rss_bytes;       /* anonymous, of files and shared; what was swapped out as well */
	int64_t rss_file_bytes, rss_shmem_bytes, swap_bytes; /* of these */
	int64_t live_bytes;      /* heap */
	int64_t allocator_bytes; /* what the allocator has got from the system */
	int64_t non_heap_bytes;
	int64_t non_heap_resident_bytes;
	int64_t tracker_bytes;
	int64_t descriptors;     /* open files, if SEEP_ANCHOR_DESCRIPTORS */
	int64_t threads;         /* if SEEP_ANCHOR_THREADS */
	uint16_t flags;          /* SEEP_ANCHOR_* */
};

/* What seep run saw from outside at one moment; see struct seep_rec_sample. */
struct seep_sample {
	int64_t t_ns;
	int64_t event;           /* number of the event in progress, or SEEP_EVENT_NONE */
	int64_t vm_bytes;        /* valid, with rss_bytes and swap_bytes, if SEEP_SAMPLE_RSS */
	int64_t rss_bytes;       /* anonymous, file and shared pages, and those in swap */
	int64_t swap_bytes;      /* of these, in swap */
	int64_t tracker_bytes;   /* of rss_bytes, the tracker's own */
	int64_t threads;         /* if SEEP_SAMPLE_THREADS */
	int64_t descriptors;     /* open files, if SEEP_SAMPLE_DESCRIPTORS */
	uint32_t flags;          /* SEEP_SAMPLE_* */
};

/* What the allocator gave back when it was asked to, once in the run. */
struct seep_probe {
	bool done;
	bool asked;              /* else there was too little that it could give: before is after */
	bool at_end;             /* of the program, when it may have freed what it had */
	int64_t event;           /* in which, or SEEP_EVENT_NONE */
	const char *allocator;   /* "glibc", "jemalloc", "tcmalloc" */
	int64_t rss_before_bytes, rss_after_bytes;
	int64_t heap_resident_bytes; /* before: of the allocator's memory, what was resident */
	int64_t live_bytes;      /* before: of this, in blocks of the program */
};

/* The part that it gave back of what was free; NAN if it was not asked. */
static inline double seep_probe_gain(const struct seep_probe *probe)
{
	double free_bytes = (double)(probe->heap_resident_bytes - probe->live_bytes);
	double given = (double)(probe->rss_before_bytes - probe->rss_after_bytes);

	return probe->asked && free_bytes > 0 ? given / free_bytes : NAN;
}

/*
 * A counter (seep_count) or gauge: one value per event, 0 where the program gave none.
 * The value of a counter holds those of the events that were not written behind it.
 */
struct seep_counter {
	const char *name;
	double *values;          /* n_events of them; sums where an event counted twice */
	size_t given;            /* number of events with a value */
	bool gauge;              /* then the last value given in the event, in bytes */
};

struct seep_module {
	uint64_t start, end, bias;
	const char *path;
	const unsigned char *build_id;
	size_t build_id_bytes;
	uint64_t text_start, text_end; /* in memory, of its code; 0: not known */
	uint64_t text_offset;    /* of that in the file */
};

struct seep_frame {
	const char *function;    /* demangled; "0x..." where nothing is known; never NULL */
	const char *file;        /* or NULL */
	const char *directory;   /* in which it was compiled, where file is relative; or NULL */
	const char *module;      /* file name of the object, or NULL */
	const char *language;    /* "c", "python" */
	int line;                /* 0: unknown */
	bool inlined;            /* into the frame that follows */
};

/* A frame that the file itself names, where it does not come from a module. */
struct seep_named_frame {
	uint64_t pc;
	const char *function, *file, *module; /* may be "" */
	int line;
};

/* Innermost first.  pcs are return addresses; frames come from model/symbols/symbols.c. */
struct seep_stack {
	const uint64_t *pcs;
	const uint32_t *modules; /* per pc, index into modules or 0 */
	size_t n_pcs;
	struct seep_frame *frames;
	size_t n_frames;         /* more than pcs where calls were inlined */
	size_t own_frame;        /* the first that is not of an allocator or the C++ library */
};

struct seep_freed_by {
	struct seep_stack stack;
	uint64_t blocks;         /* in the sample of frees that was looked at */
	uint64_t ages[SEEP_TRACE_AGE_BINS];
};

/* Live blocks by birth event: bin b holds events first_event + b * events_per_bin and on. */
struct seep_cohorts {
	int64_t first_event;
	int64_t events_per_bin;
	size_t n_bins;
	uint64_t *live_blocks;
	uint64_t *live_bytes;
	uint64_t early_blocks;   /* born before the first event */
	uint64_t early_bytes;
	uint64_t *samples;       /* blocks that were really seen in each bin; NULL: all of them */
	double *variance;        /* of live_bytes, by the sampling; NULL likewise */
};

/* Only some of the blocks were tracked, and each counts for several. */
struct seep_sampling {
	uint64_t mean_bytes;     /* one sample in so many, at the end; 0: every block was tracked */
	uint32_t reason;         /* enum seep_sampling_reason, of the first */
	int64_t event;           /* in which it began, or SEEP_EVENT_NONE */
};

/* Sizes of so many bits; see SEEP_TRACE_SIZE_BINS. */
struct seep_moves_bin {
	uint64_t firsts;         /* chains that began with such a size */
	uint64_t finals, final_bytes; /* chains that had it last, or have it */
	uint64_t largest_bytes;
	uint64_t growths, moves, copied_bytes; /* to there */
};

/*
 * The blocks of a site that grew, by realloc or because a larger one took their place.  The
 * sizes that such a block has had are a chain; its final size is the last one.
 */
struct seep_moves {
	uint64_t chains;
	uint64_t growths;        /* of these: */
	uint64_t moves;          /* to another address; of these: */
	uint64_t replaced;       /* by another block, which was allocated just before */
	uint64_t copied_bytes;
	uint64_t unit_bytes;     /* greatest common divisor of all sizes */
	uint64_t first_bytes;    /* sum of the first sizes */
	uint64_t grown_bytes;    /* sum of what was added */
	uint64_t largest_bytes;
	int64_t last_event;      /* in which one grew, or SEEP_EVENT_NONE */
	uint64_t live_chains, live_bytes;
	struct seep_moves_bin bins[SEEP_TRACE_SIZE_BINS];
	int64_t first_event;     /* of the first peak; may be before the first event */
	int64_t events_per_peak;
	size_t n_peaks;
	uint64_t peaks[SEEP_TRACE_PEAK_BINS]; /* the largest size that was grown to, by event */
};

/* A moment at which another profiler told what each site held. */
struct seep_dump {
	int64_t t_ns;
	int64_t event;           /* the number of the event that had begun, or SEEP_EVENT_NONE */
};

/* What a site held at a dump; at those that it has none of, nothing. */
struct seep_level {
	size_t dump;             /* in dumps of the run, rising */
	double blocks, bytes;
	double error_bytes;      /* standard error of the bytes, by sampling; 0: counted */
};

struct seep_site {
	uint32_t id;             /* as in the trace */
	uint32_t kind;           /* enum seep_memory_kind */
	uint32_t after_stamp;    /* name of the stamp before its blocks; 0: none;
				  * SEEP_PHASE_BETWEEN: born between two events */
	struct seep_stack stack;
	uint64_t born_blocks, born_bytes;
	uint64_t died_blocks, died_bytes;
	uint64_t moved_blocks;
	uint64_t ages[SEEP_TRACE_AGE_BINS]; /* deaths by age in events, log2 bins */
	struct seep_cohorts cohorts;
	struct seep_moves *moves; /* NULL: none of its blocks grew, or that was not recorded */
	uint64_t pinned_bytes;   /* free, on pages that stay because of blocks of this site */
	uint64_t pinning_blocks; /* those blocks */
	struct seep_freed_by *freed_by;     /* most blocks first */
	size_t n_freed_by;
	struct seep_level *levels; /* where the run has dumps: then cohorts tell nothing */
	size_t n_levels;
};

/* As it was last read: after the end, or if that is not known, at the start. */
struct seep_limit {
	int64_t bytes;
	const char *source;
	int64_t others_bytes;    /* of these, in use by others */
	enum seep_limit_counts counts;
	bool slows;              /* it does not end the process */
};

struct seep_run {
	const char *path;        /* of the trace, or the first file of n_files */
	size_t n_files;
	const char *exe;
	char **command;          /* NULL-terminated */
	uint32_t pid;
	int64_t started_real_ns;
	int64_t wall_ns;
	bool has_exit;           /* seep run saw the end */
	int exit_code;           /* -1 if a signal ended it */
	int exit_signal;
	bool complete;           /* closed in good order, nothing cut or damaged */
	bool killed;             /* the recorder had no chance to close */
	enum seep_event_source event_source;

	const char **names;      /* names[0] is "" */
	size_t n_names;
	struct seep_stamp *stamps; /* in time order */
	size_t n_stamps;
	struct seep_event *events; /* that are in the trace */
	size_t n_events;
	int64_t stride;          /* at each multiple of it there is one; 0 or 1: all are there */
	bool sparse;             /* ... but those that nobody looked at */
	int64_t events_after;    /* that began after the last one in the trace */
	bool last_ended;         /* the last of those */
	int64_t end_event;       /* events from this number on are no part of its life, see below */
	struct seep_counter *counters;
	size_t n_counters;
	struct seep_anchor *anchors; /* in the order of the trace */
	size_t n_anchors;
	struct seep_sample *samples; /* in time order; none if nobody looked from outside */
	size_t n_samples;

	struct seep_probe probe;
	bool has_heap;           /* the tracker ran: live bytes and sites are known */
	struct seep_sampling sampling; /* ... exactly, or as unbiased estimates */
	struct seep_module *modules; /* modules[0] is unused */
	size_t n_modules;
	struct seep_named_frame *known_frames;
	size_t n_known_frames;
	struct seep_site *sites; /* of the last snapshot, or of the one before a clean-up */
	size_t n_sites;
	struct seep_dump *dumps; /* what the sites' levels are of; in time order; may be none */
	size_t n_dumps;
	int64_t snapshot_event;  /* event during which it was taken */
	int64_t snapshot_t_ns;
	bool snapshot_final;     /* at the end of the program */
	bool cleaned_up;         /* between this one and the end, so freed_by tells of more */
	int64_t collected_event; /* when a garbage collector last freed all it could; or none */
	bool collected_last;     /* it did so at the end, when the work was done: */
	int64_t collected_bytes; /* ... by which the heap fell then */
	bool collected_sites;    /* ... and the sites are as they were behind it */
	int64_t live_blocks, live_bytes;
	int64_t end_live_bytes;  /* at the end; less if the program cleaned up before it */
	uint64_t missed, dropped, lost_walks, tracker_bytes;

	struct seep_limit *limits;
	size_t n_limits;
	const char **notes;      /* what the recorder had to say */
	size_t n_notes;
	uint64_t damaged;        /* records that could not be read */
};

/* "none", "api", "time" or "file", as in the JSON. */
const char *seep_run_event_source_name(enum seep_event_source source);

/* Whether the events are slices of time, whose length means nothing to the program. */
static inline bool seep_run_has_slices(const struct seep_run *run)
{
	return run->event_source == SEEP_EVENTS_TIME;
}

/* How many events there were. */
static inline int64_t seep_run_marked(const struct seep_run *run)
{
	return run->n_events ? run->events[run->n_events - 1].number + 1 + run->events_after : 0;
}

/*
 * The number of the first event in which the program ended: it gave back much of what it had, and
 * went on with that to its last moment.  As many as there are events if it did no such thing.
 */
static inline int64_t seep_run_end(const struct seep_run *run)
{
	return run->end_event > 0 ? run->end_event : seep_run_marked(run);
}

/* The place in events of the first one that has this number or a larger one. */
static inline size_t seep_run_place(const struct seep_run *run, int64_t number)
{
	size_t low = 0, high = run->n_events;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (run->events[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
