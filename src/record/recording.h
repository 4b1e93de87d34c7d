/* SPDX-License-Identifier: MIT */
/*
 * The one trace that this process writes, and the lock around it.
 *
 * Every function here except begin and end is called between seep_recording_begin and
 * seep_recording_end; other headers then say that the recording is held.  Any failure ends
 * recording for good: the reason goes into the trace, or into its header if that fails, and the
 * program runs on.
 */
#ifndef SEEP_RECORD_RECORDING_H
#define SEEP_RECORD_RECORDING_H

#include "trace/writer.h"

#include <stdbool.h>

/*
 * Which trace to write.  A child of fork, and a followed program, creates its own trace when it
 * first has something to record.  That file is next to the trace of seep run and has the pid added
 * to its name.
 */
struct seep_recording_setup {
	const char *path;
	struct seep_trace_header *shared; /* with seep run (follow.h); NULL: none, and no slices */
	struct seep_pending *pending; /* likewise; NULL: no record waits */
	bool make;               /* create the file; false: attach to the one seep run created */
	bool prints_failures;    /* to stderr, since there is no seep run to do it */
	uint32_t followed_from;  /* pid of the tracked program, if this one is followed; else 0 */
};

/* Opens the trace and switches recording on; 0 or -errno. */
int seep_recording_start(const struct seep_recording_setup *setup);

/* The program calls exit.  A child writes the status into its trace, since seep run does not. */
void seep_recording_exited(int status);

/* Takes the lock; false if there is no trace to write to, or no longer. */
bool seep_recording_begin(void);
void seep_recording_end(void);

/*
 * Let other threads write while the caller waits for a lock that one of them may hold: a signal
 * handler may have interrupted the allocator and now want to stamp.
 */
void seep_recording_pause(void);
void seep_recording_resume(void);

/* Like begin, but does not wait: also false if another thread is writing. */
bool seep_recording_try(void);

void seep_recording_write(uint16_t kind, uint16_t flags, const void *head, size_t head_bytes,
			  const void *tail, size_t tail_bytes);

/* Nanoseconds since time 0 of the trace. */
int64_t seep_recording_now(void);

/* In memory shared with seep run: ticks in, figures for the live line out. */
struct seep_trace_header *seep_recording_header(void);

/*
 * Copies the header into the file, if that was not done for a while, and looks whether the file is
 * still whole.  t_ns is now.
 */
void seep_recording_publish(int64_t t_ns);

/* Writes a message for the reader of the report.  flags: SEEP_NOTE_*. */
void seep_recording_note(const char *text, uint16_t flags);

/*
 * The end of the program.  From here on only the caller may record, and needs no lock.
 * If the program dies now, its trace still counts as finished.
 */
void seep_recording_seal(void);

/*
 * From now on seep run writes what is recorded (trace/writer.h).  Returns where the time is; NULL:
 * not possible.
 */
const int64_t *seep_recording_hand_over(void);

/* Ends recording for good while the program goes on; the reason goes into the trace. */
void seep_recording_give_up(const char *why);

/* Closes the trace, and seals it first if need be. */
void seep_recording_finish(void);

/* Whether this very process has an open trace (a child of vfork has not). */
bool seep_recording_is_open(void);

/*
 * Whether a time slice is worth a record.  A child of fork gets its own trace only after it has
 * lived for a second, or for ten slices if the user asked for slices: most children exec or
 * exit soon.
 */
bool seep_recording_is_worth_it(uint64_t tick);

/*
 * In a child of fork: stops writing to the parent's trace.  inside: a signal handler that
 * interrupted the recorder has forked.
 */
void seep_recording_forked(bool inside);

/*
 * From here on the event clock follows the numbers of seep run's time slices, and the header of
 * the trace says so.
 */
void seep_recording_number_slices(void);

/* The current slice of seep run's clock; stays 0 if slices are not events. */
extern const uint64_t *seep_recording_tick_word;

static inline uint64_t seep_recording_tick(void)
{
	return __atomic_load_n(seep_recording_tick_word, __ATOMIC_RELAXED);
}

/* Bytes shared with seep run, which count as memory of this process. */
int64_t seep_recording_mapped_bytes(void);

/* Bytes of the trace so far. */
uint64_t seep_recording_bytes(void);

/* The number of this process's trace: 1 for the first, 2 in a child of fork, and so on. */
uint32_t seep_recording_generation(void);

#endif
