/* SPDX-License-Identifier: MIT */
/*
 * The one trace that this process writes, and the lock around it.
 *
 * Every function here but begin/end is called between seep_recording_begin and
 * seep_recording_end.  Any failure ends recording for good (fail shut): the
 * reason goes into the trace if it can, else into its header; the program runs on.
 */
#ifndef SEEP_RECORD_RECORDING_H
#define SEEP_RECORD_RECORDING_H

#include "trace/writer.h"

#include <stdbool.h>

/*
 * Whose trace this is.  In a child of fork, and in a program that is followed, the
 * trace is made at the first thing worth recording, beside that of seep run, with the
 * pid added to the name.
 */
struct seep_recording_setup {
	const char *path;
	bool make;               /* create the file, else attach to what seep run made */
	bool tells;              /* failures to the host's stderr, for there is no seep run */
	uint32_t followed_from;  /* else 0; the pid of the tracked program that started this one */
};

/* Opens the trace and switches recording on; 0 or -errno. */
int seep_recording_start(const struct seep_recording_setup *setup);

/* The program has called exit: a child tells the status in its trace, as no seep run sees it. */
void seep_recording_exited(int status);

/* Takes the lock; false if there is nothing to record to (any more). */
bool seep_recording_begin(void);
void seep_recording_end(void);

/*
 * Others may write between these two, while the caller waits for a lock that one of them may
 * hold: a signal handler that has interrupted the allocator and then stamps.
 */
void seep_recording_pause(void);
void seep_recording_resume(void);

/* As begin, but does not wait: false also if another thread is writing. */
bool seep_recording_try(void);

void seep_recording_write(uint16_t kind, uint16_t flags, const void *head, size_t head_bytes,
			  const void *tail, size_t tail_bytes);

/* Nanoseconds since time 0 of the trace. */
int64_t seep_recording_now(void);

/* Shared with seep run: ticks in, figures for the live line out. */
struct seep_trace_header *seep_recording_header(void);

/* Tells the reader something in words.  flags: SEEP_NOTE_*. */
void seep_recording_note(const char *text, uint16_t flags);

/*
 * The end of the program.  Nobody but the caller records from here on, who may do so without
 * the lock; should the program not come further, its trace has ended in good order.
 */
void seep_recording_seal(void);

/* Closes the trace; seals it before, if that was not done. */
void seep_recording_finish(void);

/* Whether there is a trace that this very process has written to (not a child by vfork). */
bool seep_recording_is_open(void);

/*
 * Whether a time slice is worth a record: a child of fork gets a trace of its own only when
 * it has lived for a second, or for ten slices if slices were asked for.  Most children exec
 * or exit soon.
 */
bool seep_recording_is_worth_it(uint64_t tick);

/*
 * In a child of fork: leaves the parent's trace alone from here on.  inside: it was
 * forked by a signal handler that came while its thread was inside the recorder.
 */
void seep_recording_forked(bool inside);

/*
 * From here on slices are looked after: the number of the event clock is that of seep run's,
 * and the header of the trace says so.
 */
void seep_recording_number_slices(void);

/* Whether seep run's time slices are events. */
enum seep_trace_ticks seep_recording_ticks(void);

/* The slice that seep run's clock shows; a word that stays 0 if slices are no events. */
extern const uint64_t *seep_recording_tick_word;

static inline uint64_t seep_recording_tick(void)
{
	return __atomic_load_n(seep_recording_tick_word, __ATOMIC_RELAXED);
}

/* Of the trace, what is in this process's memory: pages that count as its own. */
int64_t seep_recording_mapped_bytes(void);

/* Bytes of the trace so far. */
uint64_t seep_recording_bytes(void);

/* Counts the traces of this process: 1 for the first, then 2 in a child of fork ... */
uint32_t seep_recording_generation(void);

#endif
