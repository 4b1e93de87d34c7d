/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The facts of one run, as analyse/ and render/ see them.
 *
 * model/load/load.c fills them in, from a trace or from the records that import/ makes of a
 * foreign file; model/symbols/symbols.c adds the names of functions.  Nothing here is a
 * judgement.  All memory belongs to the arena given to seep_load_run().
 *
 * Events are numbered from 0 in the order in which they began.  What happened before the first
 * one belongs to event SEEP_EVENT_NONE.  A long run does not write all of its events into the
 * trace: events[] holds those that it wrote, with rising numbers, and seep_run_marked() is how
 * many there were.
 *
 * If the events are slices of time (seep_run_has_slices), the number of an event is the time
 * since the first one, in slices, and events[] has every slice up to the end of the program, or
 * every stride-th one.
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
	SEEP_EVENTS_FILE,        /* a file that seep follows (--event file:, --events-file) */
	SEEP_EVENTS_FUNCTION,    /* entries of a function (--event fn:) */
	SEEP_EVENTS_CALL,        /* returns of a function of the C library (--event call:) */
	SEEP_EVENTS_PYTHON,      /* calls of a function of Python (--event py:) */
	SEEP_EVENTS_LINES,       /* lines of output (--event lines:) */
};

/*
 * A flag of stamps: the start of a slice of time that is not in the trace, because the program
 * neither allocated nor freed anything in the slice before it.
 */
#define SEEP_STAMP_FILLED ((uint16_t)1 << 15)

struct seep_stamp {
	int64_t t_ns;            /* since the start of the run */
	int64_t vm_bytes;        /* address space; valid, with rss_bytes, if SEEP_STAMP_RSS */
	int64_t rss_bytes;
	int64_t live_bytes;      /* of the heap; valid, with live_blocks, if SEEP_STAMP_HEAP */
	int64_t live_blocks;
	int64_t tracker_bytes;   /* the part of rss_bytes that belongs to the tracker */
	int64_t event;           /* index into events, or SEEP_EVENT_NONE */
	uint32_t name;           /* index into names; 0: the start or the end of an event */
	uint16_t flags;          /* SEEP_STAMP_* */
};

/* One event.  Every series takes its values at the starts of events. */
struct seep_event {
	int64_t number;          /* how many events began before it */
	int64_t index;           /* the number that the program gave it */
	size_t first_stamp;      /* index of its BEGIN in stamps */
	size_t n_stamps;         /* BEGIN, the named ones, and END if it was reached */
};

/* All parts of the memory at one moment; see struct seep_rec_anchor. */
struct seep_anchor {
	int64_t t_ns;
	int64_t event;           /* number of the event, or SEEP_EVENT_NONE */
	int64_t rss_bytes;       /* anonymous, file and shared pages, and those in swap */
	int64_t rss_file_bytes, rss_shmem_bytes, swap_bytes; /* parts of rss_bytes */
	int64_t live_bytes;      /* of the heap */
	int64_t allocator_bytes; /* that the allocator obtained from the system */
	int64_t non_heap_bytes;  /* mappings and thread stacks that the program holds */
	int64_t non_heap_resident_bytes; /* the part of them that is in memory */
	int64_t tracker_bytes;   /* the part of rss_bytes that belongs to the tracker */
	int64_t descriptors;     /* open files, if SEEP_ANCHOR_DESCRIPTORS */
	int64_t threads;         /* if SEEP_ANCHOR_THREADS */
	uint16_t flags;          /* SEEP_ANCHOR_* */
};

/* What seep run read from /proc at one moment; see struct seep_rec_sample. */
struct seep_sample {
	int64_t t_ns;
	int64_t event;           /* number of the event in progress, or SEEP_EVENT_NONE */
	int64_t vm_bytes;        /* valid, with rss_bytes and swap_bytes, if SEEP_SAMPLE_RSS */
	int64_t rss_bytes;       /* anonymous, file and shared pages, and those in swap */
	int64_t swap_bytes;      /* the part of rss_bytes that is in swap */
	int64_t tracker_bytes;   /* the part of rss_bytes that belongs to the tracker */
	int64_t threads;         /* if SEEP_SAMPLE_THREADS */
	int64_t descriptors;     /* open files, if SEEP_SAMPLE_DESCRIPTORS */
	uint32_t flags;          /* SEEP_SAMPLE_* */
};

/* The probe: once in the run, the allocator is asked to give back its free memory. */
struct seep_probe {
	bool done;
	bool asked;              /* else there was too little to ask for: after equals before */
	bool at_end;             /* at the end, when the program may have freed everything */
	int64_t event;           /* number of the event, or SEEP_EVENT_NONE */
	const char *allocator;   /* "glibc", "jemalloc", "tcmalloc" */
	int64_t rss_before_bytes, rss_after_bytes;
	int64_t heap_resident_bytes; /* resident memory of the allocator, before */
	int64_t live_bytes;      /* the part of it in live blocks, before */
};

/* The part of the free memory that it gave back; NAN if it was not asked. */
static inline double seep_probe_gain(const struct seep_probe *probe)
{
	double free_bytes = (double)(probe->heap_resident_bytes - probe->live_bytes);
	double given = (double)(probe->rss_before_bytes - probe->rss_after_bytes);

	return probe->asked && free_bytes > 0 ? given / free_bytes : NAN;
}

/*
 * A counter (seep_count) or a gauge: one value per event, 0 if the program gave none.  The value
 * of a counter includes those of the following events that are not in the trace.
 */
struct seep_counter {
	const char *name;
	double *values;          /* n_events of them; the sum if an event counted twice */
	size_t given;            /* number of events with a value */
	bool gauge;              /* each value is the last one given in the event, in bytes */
};

struct seep_module {
	uint64_t start, end;     /* addresses in memory */
	uint64_t bias;           /* address in memory minus address in the file */
	const char *path;
	const unsigned char *build_id;
	size_t build_id_bytes;
	uint64_t text_start, text_end; /* addresses of its code; 0: not known */
	uint64_t text_offset;    /* where its code is in the file */
};

struct seep_frame {
	const char *function;    /* demangled; "0x..." if nothing is known; never NULL */
	const char *file;        /* source file, or NULL */
	const char *directory;   /* of the compilation, if file is relative; or NULL */
	const char *module;      /* file name of the object, or NULL */
	const char *language;    /* "c", "python" */
	int line;                /* 0: unknown */
	bool inlined;            /* into the frame that follows */
};

/* A frame whose name is in the trace itself and not in the debug information of a module. */
struct seep_named_frame {
	uint64_t pc;             /* stands for the frame in stacks */
	const char *function, *file, *module; /* may be "" */
	const char *language;    /* "c", "python" */
	int line;
};

/* A return address whose names are in the trace, as they were found in the file of its module. */
struct seep_stored_address {
	uint64_t pc;
	uint32_t module;         /* index into modules */
	uint32_t n_frames;       /* at least 1 */
	const struct seep_stored_frame *frames; /* innermost first */
};

struct seep_stored_frame {
	const char *function;    /* as it is shown; NULL: it has no name */
	const char *file, *directory; /* NULL: not known */
	int line;                /* 0: not known */
};

/* Innermost frame first.  pcs are return addresses; model/symbols/symbols.c fills in frames. */
struct seep_stack {
	const uint64_t *pcs;
	const uint32_t *modules; /* per pc, index into modules or 0 */
	size_t n_pcs;
	struct seep_frame *frames;
	size_t n_frames;         /* more than n_pcs if calls were inlined */
	size_t own_frame;        /* index of the first one outside allocators and libstdc++ */
};

/* One stack that frees blocks of a site. */
struct seep_freed_by {
	struct seep_stack stack;
	uint64_t blocks;         /* in the sample of frees whose stacks were taken */
	uint64_t ages[SEEP_TRACE_AGE_BINS]; /* of these blocks, in events, log2 bins */
};

/* Live blocks by birth: bin b holds those of the events from first_event + b * events_per_bin. */
struct seep_cohorts {
	int64_t first_event;
	int64_t events_per_bin;
	size_t n_bins;
	uint64_t *live_blocks;
	uint64_t *live_bytes;
	uint64_t early_blocks;   /* born before the first event */
	uint64_t early_bytes;
	uint64_t *samples;       /* blocks really seen in each bin; NULL: all were tracked */
	double *variance;        /* of live_bytes, due to sampling; NULL: all were tracked */
};

/* If only a sample of the blocks was tracked, each of them stands for several. */
struct seep_sampling {
	uint64_t mean_bytes;     /* bytes per sample, at the end; 0: every block was tracked */
	uint32_t reason;         /* enum seep_sampling_reason: why sampling began */
	int64_t event;           /* in which sampling began, or SEEP_EVENT_NONE */
};

/* Growing blocks by size, in bits; see SEEP_TRACE_SIZE_BINS. */
struct seep_moves_bin {
	uint64_t firsts;         /* chains that began with such a size */
	uint64_t finals, final_bytes; /* chains whose last size it is, and these sizes */
	uint64_t largest_bytes;  /* the largest size in the bin */
	uint64_t growths, moves, copied_bytes; /* of growth to such a size */
};

/*
 * The blocks of a site that grew, by realloc or because a larger block replaced them.  The sizes
 * that such a block has had are a chain; its final size is the last one.
 */
struct seep_moves {
	uint64_t chains;
	uint64_t growths;        /* how often a block grew */
	uint64_t moves;          /* growths that changed the address */
	uint64_t replaced;       /* moves into a block that was allocated just before */
	uint64_t copied_bytes;
	uint64_t unit_bytes;     /* greatest common divisor of all sizes */
	uint64_t first_bytes;    /* sum of the first sizes */
	uint64_t grown_bytes;    /* sum of all growths */
	uint64_t largest_bytes;
	int64_t last_event;      /* the last event in which one grew, or SEEP_EVENT_NONE */
	uint64_t live_chains, live_bytes; /* whose block is alive; its size now */
	struct seep_moves_bin bins[SEEP_TRACE_SIZE_BINS];
	int64_t first_event;     /* of the first peak; may precede the first event of the run */
	int64_t events_per_peak; /* events that one peak covers */
	size_t n_peaks;
	uint64_t peaks[SEEP_TRACE_PEAK_BINS]; /* the largest size reached by growth, over time */
};

/* A moment at which another profiler recorded what each site held. */
struct seep_dump {
	int64_t t_ns;
	int64_t event;           /* number of the event in progress, or SEEP_EVENT_NONE */
};

/* What a site held at one dump.  It held nothing at dumps that it has no level for. */
struct seep_level {
	size_t dump;             /* index into the dumps of the run, rising */
	double blocks, bytes;
	double error_bytes;      /* standard error of bytes due to sampling; 0: exact */
};

/* Survivors from events that are objects of one type. */
struct seep_site_type {
	const char *name;
	uint64_t blocks, bytes;
};

/* What a site allocated in one phase, if events overlap. */
struct seep_site_part {
	uint32_t after_stamp;    /* as in struct seep_site */
	uint64_t live_bytes;     /* born in events */
	uint64_t born_bytes;
};

struct seep_site {
	uint32_t id;             /* as in the trace */
	uint32_t kind;           /* enum seep_memory_kind */
	uint32_t after_stamp;    /* name of the stamp before its blocks; 0: none;
				  * SEEP_PHASE_BETWEEN: born between two events;
				  * SEEP_PHASE_NONE: by a thread without an event */
	struct seep_site_part *parts; /* after_stamp is that of the largest */
	size_t n_parts;          /* 0: all blocks have the same phase */
	struct seep_stack stack;
	uint64_t born_blocks, born_bytes;
	uint64_t died_blocks, died_bytes;
	uint64_t moved_blocks;   /* reallocations that kept the birth of a block */
	uint64_t ages[SEEP_TRACE_AGE_BINS]; /* deaths by age in events, log2 bins */
	struct seep_cohorts cohorts;
	struct seep_moves *moves; /* NULL: none of its blocks grew, or it was not recorded */
	uint64_t pinned_bytes;   /* free bytes on pages that blocks of this site keep */
	uint64_t pinning_blocks; /* the blocks that keep these pages */
	struct seep_freed_by *freed_by; /* most blocks first */
	size_t n_freed_by;
	struct seep_site_type *types; /* of Python objects; most blocks first */
	size_t n_types;
	struct seep_level *levels; /* if the run has dumps; then there are no cohorts */
	size_t n_levels;
};

/* A memory limit, as it was read last: after the end, or else at the start. */
struct seep_limit {
	int64_t bytes;
	const char *source;      /* "cgroup", "RAM" ... */
	int64_t others_bytes;    /* the part of it that other processes use */
	enum seep_limit_counts counts; /* what it limits: RSS, address space ... */
	bool slows;              /* the process is throttled there, not killed */
};

/* Calls of the C library, as --event call: takes them.  Slices are those of seep run's clock. */
struct seep_run_call {
	enum seep_call call;
	const char *name;
	uint64_t calls;
	uint64_t returns;        /* with success */
	uint32_t slices;         /* in which there was one of these */
	uint32_t first, last;    /* of these slices, counted from the start of the run */
	uint32_t gap;            /* the longest way from one of them to the next */
};

struct seep_run {
	const char *path;        /* of the trace, or of the first imported file */
	size_t n_files;          /* that the run was read from */
	bool saved;              /* from a report in JSON: there are no records, and one event */
	const char *exe;
	char **command;          /* NULL-terminated */
	uint32_t pid;
	int64_t started_real_ns; /* when, on the wall clock */
	int64_t wall_ns;         /* how long it ran */
	bool has_exit;           /* seep run saw it end; exit_* are valid */
	int exit_code;           /* -1 if a signal ended it */
	int exit_signal;
	bool complete;           /* the trace was closed in order and is undamaged */
	bool killed;             /* the recorder had no chance to close the trace */
	enum seep_event_source event_source;
	const char *event_text;  /* --event as typed, such as "call:accept"; "" for api and time */

	const char **names;      /* names[0] is "" */
	size_t n_names;
	struct seep_stamp *stamps; /* in time order; if events overlap, only within each event */
	size_t n_stamps;
	struct seep_event *events; /* those in the trace */
	size_t n_events;
	int64_t stride;          /* the trace has every stride-th event; 0 or 1: all */
	bool sparse;             /* events were read from outside: gaps are no loss */
	int64_t events_after;    /* how many began after the last one in the trace */
	bool last_ended;         /* the very last event ended */
	bool overlapping;        /* several events were open at once, on different threads */
	bool interleaved;        /* ... or on one thread: what belongs to which is not known */
	int64_t end_event;       /* the first event of the clean-up; see seep_run_end() */
	struct seep_counter *counters;
	size_t n_counters;
	struct seep_anchor *anchors; /* in the order of the trace */
	size_t n_anchors;
	struct seep_sample *samples; /* in time order; none unless seep run took them */
	size_t n_samples;

	struct seep_run_call *calls; /* the most frequent first; none unless the tracker ran */
	size_t n_calls;
	double call_slices;      /* how many slices the run had; 0: not known */

	struct seep_probe probe;
	bool has_heap;           /* the tracker ran: live bytes and sites are known */
	struct seep_sampling sampling; /* whether these are exact or unbiased estimates */
	struct seep_module *modules; /* modules[0] is unused */
	size_t n_modules;
	struct seep_named_frame *known_frames;
	size_t n_known_frames;
	size_t n_python_lines;   /* of these, frames of Python; their pcs follow SEEP_PC_NAMED */
	struct seep_stored_address *stored; /* the last one with an address counts */
	size_t n_stored;
	const char **texts;      /* that they refer to, by number; may be NULL, as [0] is */
	size_t n_texts;          /* 0: none */
	struct seep_site *sites; /* as in the snapshot: the last, or the last before a clean-up */
	size_t n_sites;
	struct seep_dump *dumps; /* of another profiler, in time order; may be none */
	size_t n_dumps;
	int64_t snapshot_event;  /* event during which the snapshot was taken */
	int64_t snapshot_t_ns;
	bool snapshot_final;     /* it was taken at the end of the program */
	bool cleaned_up;         /* the program did so after it; freed_by includes that */
	int64_t collected_event; /* of the last full garbage collection, or SEEP_EVENT_NONE */
	bool collected_last;     /* one came at the end, when the work was done */
	int64_t collected_bytes; /* by which that one shrank the heap */
	bool collected_sites;    /* the snapshot was taken after that one */
	int64_t live_blocks, live_bytes; /* of the heap, in the snapshot */
	int64_t end_live_bytes;  /* at the end; less if the program cleaned up first */
	uint64_t missed;         /* allocations that passed untracked, in signal handlers */
	uint64_t dropped;        /* allocations not tracked because a table was full */
	uint64_t lost_walks;     /* stacks that ended at code without unwind rules */
	uint64_t tracker_bytes;  /* memory of the tracker, at the end */
	bool collect;            /* seep run --collect was asked for */
	uint64_t collections;    /* garbage collections between events, made for it */
	int64_t collect_ns;      /* how long they took */
	double collect_part;     /* the part of the time from event to event that they took */

	struct seep_limit *limits;
	size_t n_limits;
	const char **notes;      /* sentences for the user, from recorder and loader */
	size_t n_notes;
	uint64_t damaged;        /* records that could not be read */
};

/* "api", "time", "call" and so on, as in the JSON. */
const char *seep_run_event_source_name(enum seep_event_source source);

/* Whether something in the program or its output marks the events, not seep's clock or samples. */
static inline bool seep_run_has_marks(const struct seep_run *run)
{
	return run->event_source == SEEP_EVENTS_API || run->event_source >= SEEP_EVENTS_FUNCTION ||
	       (run->event_source == SEEP_EVENTS_FILE && run->has_heap);
}

/* Whether the events are slices of time, whose length means nothing to the program. */
static inline bool seep_run_has_slices(const struct seep_run *run)
{
	return run->event_source == SEEP_EVENTS_TIME;
}

/* Whether the pc stands for a line of Python. */
static inline bool seep_run_is_python(const struct seep_run *run, uint64_t pc)
{
	return pc > SEEP_PC_NAMED && pc - SEEP_PC_NAMED <= run->n_python_lines;
}

/* How many events there were. */
static inline int64_t seep_run_marked(const struct seep_run *run)
{
	return run->n_events ? run->events[run->n_events - 1].number + 1 + run->events_after : 0;
}

/*
 * The number of the first event of the clean-up, in which the program gives back much of what it
 * has until it ends.  The number of all events if there is no clean-up.
 */
static inline int64_t seep_run_end(const struct seep_run *run)
{
	return run->end_event > 0 ? run->end_event : seep_run_marked(run);
}

/* The index in events of the first one with this number or a larger one. */
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

/* A moment of the run in seconds, on a clock that is slower by what --collect takes. */
static inline double seep_run_seconds(const struct seep_run *run, int64_t t_ns)
{
	return (double)t_ns * 1e-9 * (1 - run->collect_part);
}

#endif
