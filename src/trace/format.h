/* SPDX-License-Identifier: MIT */
/*
 * The trace: the only bridge between the traced process and the tool.
 *
 * This header and those it includes are the definition; docs/trace-format.md says the same in
 * prose and is enough to write another reader.
 *
 *   0                     4096
 *   +---------------------+--------+--------+-- ... --+--------+----------
 *   | seep_trace_header   | record | record |         | record | (zeros)
 *   +---------------------+--------+--------+-- ... --+--------+----------
 *
 * All numbers are in the byte order of the recording machine, which the header states.  A record
 * starts at a multiple of 8.  One that does not fit into the rest of the file ends the trace: the
 * process died while it wrote it.  So does a size of 0, which is how early versions left one.
 */
#ifndef SEEP_TRACE_FORMAT_H
#define SEEP_TRACE_FORMAT_H

#include "trace/checksum.h"
#include "trace/format_calls.h"

#include <stddef.h>
#include <stdint.h>

#define SEEP_TRACE_MAGIC "SEEPTRC"      /* 7 letters and the zero */
#define SEEP_TRACE_VERSION 1u
#define SEEP_TRACE_BYTE_ORDER 0x01020304u
#define SEEP_TRACE_HEADER_BYTES 4096u
#define SEEP_TRACE_RECORD_MAX 65536u    /* largest record, its head included */
#define SEEP_TRACE_NAME_MAX 1023u       /* longest name of a stamp or counter */
#define SEEP_TRACE_AGE_BINS 32u         /* bin 0: age 0; bin k: 2^(k-1) .. 2^k - 1 */
#define SEEP_TRACE_COHORT_BINS 64u
#define SEEP_TRACE_SIZE_BINS 36u        /* likewise for bytes; the last holds all larger sizes */
#define SEEP_TRACE_PEAK_BINS 32u

/* How far the recording got; the values of seep_trace_header.state. */
enum seep_trace_state {
	SEEP_TRACE_CREATED = 0,  /* by seep run; no recorder has opened it yet */
	SEEP_TRACE_ATTACHED = 1, /* a recorder writes to it, or died doing so */
	SEEP_TRACE_FINISHED = 2, /* the recorder closed it in good order */
	SEEP_TRACE_STOPPED = 3,  /* the recorder gave up; a note says why */
};

/* Whether the ticks of seep run's clock are events. */
enum seep_trace_ticks {
	SEEP_TICKS_OFF = 0,
	SEEP_TICKS_SPARE = 1,    /* until the program marks an event itself */
	SEEP_TICKS_ONLY = 2,     /* always: what the program marks is not an event */
};

/*
 * The first page.  The fields up to check are written once.  Those after it change while the
 * program runs, and are not covered by check.  The recorder and `seep run` share them as memory
 * (not as a mapping of the file, see os/shared.h), and copy them into the file now and then.
 */
struct seep_trace_header {
	char magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint32_t header_bytes;
	uint32_t page_bytes;
	uint32_t pid;
	uint32_t pad;
	int64_t started_real_ns; /* since the epoch; time 0 of every t_ns */
	int64_t started_mono_ns; /* CLOCK_MONOTONIC at the same moment */
	uint32_t pad2;
	uint32_t check;          /* seep_trace_check() over all bytes before it */

	uint32_t state;          /* enum seep_trace_state */
	uint32_t tick_on;        /* enum seep_trace_ticks */
	uint64_t tick;           /* time slices since the start, written by seep run */
	uint64_t tick_ns;        /* length of a slice */
	uint64_t events;         /* events so far, for the live line */
	int64_t live_bytes;      /* at the last stamp, for the live line */
	uint32_t failure;        /* errno that ended recording, if no note could be written */
	uint32_t started;        /* child programs that are not tracked */
	char started_name[16];   /* name of one of them */
	char started_more[3][16]; /* others, each name once */
	uint32_t follow_max;     /* traces that children may create with --follow; 0: no --follow */
	uint32_t followed;       /* traces that they asked for; beyond follow_max, none was made */
	uint32_t follow_begun;   /* followed programs that were started */
	uint32_t event;          /* at the last stamp, as in seep_rec_stamp */
	int64_t slice_origin_ns; /* slice n begins n * tick_ns after this moment of the trace */
	uint32_t slice_first;    /* the first that counts; 0: slices are numbered as seen */
	uint32_t collect;        /* 1: seep run --collect */
	int64_t tracker_bytes;   /* at the last stamp, likewise */
	uint64_t collections;    /* garbage collections between events, made for --collect */
	int64_t collect_ns;      /* how long they took */
	uint32_t source;         /* enum seep_trace_source; written by seep run */
	char source_text[SEEP_TRACE_SOURCE_MAX + 1]; /* --event as typed; empty for API */
	uint32_t pad3;
	struct seep_trace_call calls[SEEP_CALLS_ROOM]; /* by enum seep_call */
	uint32_t open_most;      /* events that were open at once; 0: not counted */
	uint32_t interleaved;    /* threads that began events before they ended earlier ones */
};

struct seep_trace_record {
	uint32_t size;           /* with this head and padding to 8 */
	uint32_t check;          /* seep_trace_check() over the rest of the record */
	uint16_t kind;           /* enum seep_trace_kind */
	uint16_t flags;          /* by kind */
	uint32_t seq;            /* 0, 1, 2 ... */
};

enum seep_trace_kind {
	SEEP_REC_RUN = 1,
	SEEP_REC_NAME = 2,
	SEEP_REC_MODULE = 3,
	SEEP_REC_NODES = 4,
	SEEP_REC_SITES = 5,
	SEEP_REC_STAMP = 6,
	SEEP_REC_COUNT = 7,
	SEEP_REC_GAUGE = 8,
	SEEP_REC_SNAPSHOT = 9,
	SEEP_REC_SITE_STATES = 10,
	SEEP_REC_FREE_SITES = 11,
	SEEP_REC_SNAPSHOT_END = 12,
	SEEP_REC_LIMIT = 13,
	SEEP_REC_NOTE = 14,
	SEEP_REC_EXIT = 15,
	SEEP_REC_RESTART = 16,
	SEEP_REC_SAMPLING = 17,
	SEEP_REC_ANCHOR = 18,
	SEEP_REC_THIN = 20,
	SEEP_REC_SITE_SAMPLES = 21,
	SEEP_REC_PROBE = 22,
	SEEP_REC_PINS = 23,
	SEEP_REC_SITE_MOVES = 24,
	SEEP_REC_FRAME = 25,
	SEEP_REC_LEVELS = 26,
	SEEP_REC_SAMPLES = 27,
	SEEP_REC_FUNCTION = 28,
	SEEP_REC_LINES = 29,
	SEEP_REC_TYPE = 30,
	SEEP_REC_SITE_TYPES = 31,
	SEEP_REC_TEXTS = 40,
	SEEP_REC_ADDRESSES = 41,
};

/* The command as run: strings, each ended by a zero: exe, working directory, then the arguments. */
struct seep_rec_run {
	uint32_t argc;
	uint32_t bytes;          /* of all the strings */
};

/* A name for stamps, counters and gauges.  Ids count from 1; 0 is "no name". */
struct seep_rec_name {
	uint32_t id;
	uint32_t bytes;          /* without a zero; the letters follow */
};

/* A loaded object seen in a stack. Ids count from 1. */
struct seep_rec_module {
	uint64_t start;          /* first mapped byte */
	uint64_t end;            /* one past the last */
	uint64_t bias;           /* address in memory - address in the file */
	uint32_t id;
	uint32_t build_id_bytes; /* the build id follows, then the path */
	uint32_t path_bytes;
	uint32_t pad;
};

/*
 * Stacks are a tree: a node is one return address under its caller's node.
 * Node 0 is the root.  A record holds the nodes first .. first + count - 1.
 * A node may be sent twice (the last one counts) or with pc 0 (not known).
 */
struct seep_rec_nodes {
	uint32_t first;
	uint32_t count;
};

struct seep_rec_node {
	uint64_t pc;             /* return address */
	uint32_t parent;         /* the caller; always smaller than the node's own id */
	uint32_t module;         /* 0: in no known object */
};

/* Special pcs that say why a stack does not reach the root of its thread. */
#define SEEP_PC_CUT 1u       /* deeper than the tracker keeps */
#define SEEP_PC_LOST 2u      /* no unwind rule (JIT, assembler) */

/* Kinds other than HEAP are memory outside the heap; a block is a mapping then. */
enum seep_memory_kind {
	SEEP_MEMORY_HEAP = 0,
	SEEP_MEMORY_MMAP = 1,      /* what the program maps itself and can read or write */
	SEEP_MEMORY_STACK = 2,     /* the stack of a thread, until joined, or over if detached */
	SEEP_MEMORY_BRK = 3,       /* what the program itself gets from sbrk and brk */
};

#define SEEP_PHASE_BETWEEN UINT32_MAX /* the phase from the end of an event to the next */
#define SEEP_PHASE_NONE (UINT32_MAX - 1) /* of a thread without an event, while several are open */

/* A site: one stack in one phase.  Ids count from 1. */
struct seep_rec_sites {
	uint32_t first;
	uint32_t count;
};

struct seep_rec_site {
	uint32_t node;
	uint32_t phase;          /* name of the stamp before; 0: none yet; SEEP_PHASE_* */
	uint32_t kind;           /* enum seep_memory_kind */
	uint32_t pad;
};

/* Flags of SEEP_REC_STAMP. */
#define SEEP_STAMP_BEGIN 1u  /* seep_event_begin, or the start of a time slice */
#define SEEP_STAMP_END 2u    /* seep_event_end */
#define SEEP_STAMP_TICK 4u   /* the event is a time slice */
#define SEEP_STAMP_RSS 8u    /* vm_bytes and rss_bytes were measured */
#define SEEP_STAMP_HEAP 16u  /* live_bytes and live_blocks are known */
#define SEEP_STAMP_PART 32u  /* of this event only the BEGIN is in the trace */

struct seep_rec_stamp {
	int64_t t_ns;
	int64_t vm_bytes;
	int64_t rss_bytes;
	int64_t live_bytes;
	int64_t live_blocks;
	int64_t tracker_bytes;   /* of rss_bytes, the tracker's own tables, estimated */
	int64_t index;           /* what the program called the event, at BEGIN */
	uint32_t event;          /* that it belongs to: 0 before the first, then 1, 2 ... */
	uint32_t name;           /* 0 for BEGIN and END */
};

/* Flags of SEEP_REC_COUNT. */
#define SEEP_COUNT_SUM 1u    /* of the events up to this one, since the last BEGIN */

struct seep_rec_count {
	double value;
	uint32_t event;
	uint32_t name;
};

struct seep_rec_gauge {
	int64_t bytes;
	int64_t t_ns;
	uint32_t event;
	uint32_t name;
};

/* Why a snapshot was taken: flags of SEEP_REC_SNAPSHOT. */
#define SEEP_SNAPSHOT_PERIODIC 1u
#define SEEP_SNAPSHOT_FINAL 2u
#define SEEP_SNAPSHOT_OVER 4u    /* the work is done: garbage will be collected (with PERIODIC), */
                                 /* ... or was, and the clean-up has not begun (alone) */
#define SEEP_SNAPSHOT_SAID 8u    /* the program said where its work ends (with OVER and PERIODIC) */

/*
 * The heap at one moment: this record, then packed site states and free sites
 * with the same ordinal, then the end.  A snapshot without its end is not used.
 * Periodic ones hold only sites with live blocks that were born in an event.
 */
struct seep_rec_snapshot {
	int64_t t_ns;
	uint64_t ordinal;
	int64_t live_blocks;
	int64_t live_bytes;
	uint64_t missed;         /* allocations passed through untracked (signal inside a hook) */
	uint64_t dropped;        /* allocations not tracked because a table was full */
	uint64_t tracker_bytes;  /* the tracker's own resident memory; 0: not asked (periodic) */
	uint64_t lost_walks;     /* stacks that ended at code without unwind rules */
	uint32_t event;
	uint32_t first_event;    /* of the first cohort bin */
	uint32_t events_per_bin; /* bin b holds first_event + b * events_per_bin and on */
	uint32_t collected;      /* event in which a garbage collector last freed all it could */
};

/*
 * A batch of site states: count of them in bytes of packed numbers.  A packed
 * number is an unsigned LEB128.  For each site, in this order:
 *
 *	site, born blocks, born bytes, died blocks, died bytes,
 *	moved blocks (reallocations that kept a block's birth event),
 *	early blocks, early bytes (live, born before the first event; not in the bins),
 *	n, then n numbers: deaths by age in events (SEEP_TRACE_AGE_BINS at most),
 *	b, n, then n pairs: live blocks, live bytes by birth, from bin b on
 *	(b + n is SEEP_TRACE_COHORT_BINS at most).
 */
struct seep_rec_site_states {
	uint64_t ordinal;        /* of the snapshot */
	uint32_t count;
	uint32_t bytes;
};

/*
 * Who frees the blocks of a site, counted on a sample of the frees: the most
 * frequent stacks of each site.  Packed numbers:
 *
 *	site, node of the freeing stack, n, then n numbers: blocks by age
 */
struct seep_rec_free_sites {
	uint64_t ordinal;
	uint32_t count;
	uint32_t bytes;
};

struct seep_rec_snapshot_end {
	uint64_t ordinal;
	uint64_t sites;
};

/* What counts against a limit. */
enum seep_limit_counts {
	SEEP_LIMIT_RSS = 0,      /* the resident memory of the process */
	SEEP_LIMIT_GROUP = 1,    /* that of others too: of a control group, or of the machine */
	SEEP_LIMIT_VM = 2,       /* the address space of the process */
};

/* Flags of SEEP_REC_LIMIT. */
#define SEEP_LIMIT_OTHERS 1u /* seep_rec_limit_others follows */
#define SEEP_LIMIT_SLOWS 2u  /* the process is slowed down from here on, not ended */
#define SEEP_LIMIT_LATER 4u  /* read after the end; replaces the one of the same source */

/* A limit that will end the run; the letters of its source ("cgroup /a", "RAM") follow. */
struct seep_rec_limit {
	int64_t bytes;
	uint32_t source_bytes;
	uint32_t counts;         /* enum seep_limit_counts */
};

/* After the letters, which are padded with zeros to a multiple of 8. */
struct seep_rec_limit_others {
	int64_t bytes;           /* of the limit, in use by others */
};

/* A message from the tracker to the reader; the text follows. */
#define SEEP_NOTE_INFO 0u    /* flags */
#define SEEP_NOTE_STOPPED 1u /* tracking or recording ended here */
struct seep_rec_note {
	int64_t t_ns;
	uint32_t bytes;
	uint32_t pad;
};

/* How it ended, as seep run saw it.  code is -1 if a signal ended it. */
struct seep_rec_exit {
	int64_t t_ns;
	int32_t code;
	int32_t signal;          /* 0: none */
};

/*
 * The process called exec and records from the start again: what the recorder wrote
 * before is void, except RUN and LIMIT, which seep run wrote.
 */
struct seep_rec_restart {
	int64_t t_ns;
};

/* Why blocks are sampled. */
enum seep_sampling_reason {
	SEEP_SAMPLING_ASKED = 0,   /* seep run --sample */
	SEEP_SAMPLING_CEILING = 1, /* the tracker's memory had reached its ceiling */
};

/*
 * From here on a block of z bytes is tracked with probability 1 - exp(-z / mean_bytes),
 * and counts as several of its size: all figures of the heap are estimates.
 */
struct seep_rec_sampling {
	int64_t t_ns;
	uint64_t mean_bytes;
	uint32_t event;
	uint32_t reason;         /* enum seep_sampling_reason */
};

/*
 * The standard errors of a sampled site's survivors; with the SITE_STATES of its snapshot.
 * Packed numbers:
 *
 *	site
 *	b, n, then n pairs: blocks in the sample, standard error of the live bytes in the
 *	                    SITE_STATES, by birth from bin b on
 */
struct seep_rec_site_samples {
	uint64_t ordinal;
	uint32_t count;
	uint32_t bytes;
};

/*
 * The blocks of a site that grew, by realloc or because a larger one took their place; with
 * the SITE_STATES of its snapshot.  The sizes that one such block has had are a chain.
 * Packed numbers:
 *
 *	site, chains, growths, of these moves to another address, of these replaced (a larger
 *	block, allocated just before the old one was freed), copied bytes,
 *	unit (greatest common divisor of all sizes), sum of the first sizes, sum of what was
 *	added, the last event in which one grew, chains that are alive, their bytes
 *	b, n, then n times, by size from bin b on (SEEP_TRACE_SIZE_BINS at most):
 *		chains that began there, chains that ended or are there, their bytes, the largest
 *		size, growths to there, of these moves, bytes copied by them
 *	s, n, then n numbers (SEEP_TRACE_PEAK_BINS at most): the largest size that was grown to
 *	in the events i << s and on, the first being those before the first event
 */
struct seep_rec_site_moves {
	uint64_t ordinal;
	uint32_t count;
	uint32_t bytes;
};

/* Flags of SEEP_REC_ANCHOR. */
#define SEEP_ANCHOR_BEGIN 1u     /* at the start of an event */
#define SEEP_ANCHOR_FINAL 2u     /* at the end of the program */
#define SEEP_ANCHOR_RSS 4u       /* rss_*_bytes and swap_bytes are known */
#define SEEP_ANCHOR_ALLOCATOR 8u /* allocator_*_bytes are known */
#define SEEP_ANCHOR_RESIDENT 16u /* non_heap_resident_bytes is known */
#define SEEP_ANCHOR_DESCRIPTORS 32u /* descriptors is there, and known */
#define SEEP_ANCHOR_THREADS 64u  /* threads likewise */

/* Where all memory is at one moment.  Taken only now and then: it costs more than a stamp. */
struct seep_rec_anchor {
	int64_t t_ns;
	int64_t rss_anon_bytes;
	int64_t rss_file_bytes;
	int64_t rss_shmem_bytes;
	int64_t swap_bytes;
	int64_t live_bytes;      /* heap, as asked for by the program */
	int64_t allocator_bytes; /* what the allocator has got from the system */
	int64_t allocator_used_bytes; /* of these, in blocks that it considers used */
	int64_t allocator_free_bytes; /* ... and free */
	int64_t non_heap_bytes;  /* held by sites of other kinds than HEAP */
	int64_t non_heap_resident_bytes; /* of these, in memory or swapped out; may be a sample */
	int64_t tracker_bytes;   /* the tracker's own tables, as in a stamp */
	uint32_t event;          /* events begun so far */
	uint32_t pad;
	uint32_t descriptors;    /* open, ours included; early traces lack this */
	uint32_t threads;
};

/*
 * From here on only some events are in the trace: the BEGIN stamp of the first event of each
 * stride, one whole event of the stride, and the BEGIN that follows it.  The stride is a
 * power of two and only grows; strides are counted from the first event of the run.
 */
#define SEEP_THIN_LAST 1u    /* flags: the program ends, event is the last that began */
#define SEEP_THIN_ENDED 2u   /* ... and it has ended */
#define SEEP_THIN_SPARSE 4u  /* all events of the trace have gaps between them, of any length */
struct seep_rec_thin {
	int64_t t_ns;
	uint32_t event;
	uint32_t stride;
};

/* Which malloc the program uses. */
enum seep_allocator {
	SEEP_ALLOCATOR_OTHER = 0, /* cannot be asked for anything */
	SEEP_ALLOCATOR_GLIBC = 1,
	SEEP_ALLOCATOR_JEMALLOC = 2,
	SEEP_ALLOCATOR_TCMALLOC = 3,
};

/* Flags of SEEP_REC_PROBE. */
#define SEEP_PROBE_FINAL 1u  /* at the end of the program */
#define SEEP_PROBE_ASKED 2u  /* the allocator was asked; else there was too little to give back */

/*
 * The allocator was asked to give back all it can.  What it returned, it had kept for later;
 * what is left between the blocks of the program is fragmentation.  Bytes are anonymous memory,
 * swapped or not, without what the kernel may take at any time (MADV_FREE).
 */
struct seep_rec_probe {
	int64_t t_ns;
	int64_t took_ns;         /* the whole probe */
	int64_t rss_before_bytes;
	int64_t rss_after_bytes;
	int64_t heap_resident_bytes; /* before: of the allocator's memory */
	int64_t live_bytes;      /* before: of this, in blocks of the program, as asked for */
	uint32_t event;          /* events begun so far */
	uint32_t allocator;      /* enum seep_allocator */
};

/*
 * What keeps the allocator from returning more: pages that were at most a quarter full of
 * live blocks, before the probe that follows.  Packed numbers, for each site:
 *
 *	site, free bytes on such pages (divided equally among the blocks on each), its blocks
 */
struct seep_rec_pins {
	uint64_t ordinal;        /* 0 */
	uint32_t count;
	uint32_t bytes;
};

#include "trace/format_more.h"
#include "trace/format_python.h"

#endif
