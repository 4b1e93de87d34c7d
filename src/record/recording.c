/* SPDX-License-Identifier: MIT */
/*
 * The states of the recording:
 *
 *	OFF ---- start: the trace is open ----> ON ---- seal ----> SEALED ---- finish ----> DONE
 *	 |                                     ^  |
 *	 |           first thing to record:    |  |  fork,
 *	 |           create its own trace      |  v  in the child
 *	 +---- start of a followed program --> CHILD
 *
 * A failure leads from ON, CHILD and SEALED to DONE, and so does a fork in SEALED.
 *
 * - In ON and SEALED the writer is open, but in a child of fork it is not its own (is_mine).
 * - In CHILD there is no trace yet.  Most children exec or exit before they need one.
 * - SEALED ends in good order even if the program gets no further.  Only the thread that ends the
 *   program writes now.
 * - DONE is final.  Only the exit status is still added (seep_recording_exited).
 *
 * recording.shared is the memory that seep run shares with this process (record/follow.h), with the
 * clock of time slices.  It stays mapped in every state after the start.  In the program that
 * seep run started, it is also the header of the trace; the file gets a copy now and then.
 */
#include "record/recording.h"

#include "os/clock.h"
#include "os/digits.h"
#include "os/lock.h"
#include "os/silence.h"
#include "os/statm.h"
#include "record/alive.h"
#include "record/event_clock.h"
#include "record/event_slots.h"
#include "record/event_source.h"
#include "record/follow.h"
#include "record/heap.h"
#include "record/host.h"
#include "record/slices.h"
#include "record/thin.h"
#include "record/listen.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct seep_event_clock seep_event_clock;

#define CHILD_TICKS 10u
#define CHILD_NS 1000000000u
#define PUBLISH_NS 10000000 /* from one copy of the header into the file to the next */

enum state { OFF, ON, CHILD, SEALED, DONE };

static struct {
	struct seep_lock lock;
	_Atomic uint32_t state;
	struct seep_writer writer;
	struct seep_trace_header *shared; /* with seep run; NULL: none */
	int64_t started_mono_ns;
	int64_t published_ns;    /* when the header was last copied into the file */
	uint32_t generation;
	uint64_t born_tick;      /* tick at which this child was forked or started */
	bool own_trace;          /* created by this process, which must write its exit status */
	bool prints_failures;    /* to stderr */
	bool slices;             /* the event clock follows seep run's time slices */
	bool stale;              /* the writer is still the parent's; see become_child */
	char path[SEEP_WRITER_PATH_MAX];
	char child_path[SEEP_WRITER_PATH_MAX];
} recording;

static const uint64_t no_tick;
const uint64_t *seep_recording_tick_word = &no_tick;

static uint32_t get_state(void)
{
	return atomic_load_explicit(&recording.state, memory_order_acquire);
}

static void set_state(enum state state)
{
	atomic_store_explicit(&recording.state, (uint32_t)state, memory_order_release);
}

static bool is_on(void)
{
	return get_state() == ON || get_state() == CHILD;
}

/* Not if a signal handler has forked in the middle of a record, and this is the child. */
static bool is_mine(void)
{
	return (get_state() == ON || get_state() == SEALED) && seep_alive_is();
}

struct seep_trace_header *seep_recording_header(void)
{
	return is_mine() ? recording.writer.header : NULL;
}

int64_t seep_recording_mapped_bytes(void)
{
	const struct seep_pending *pending = recording.writer.pending;
	uint64_t bytes = (recording.shared ? SEEP_TRACE_HEADER_BYTES : 0) + seep_listen_bytes();

	return (int64_t)(bytes + (pending ? seep_pending_touched(pending) : 0));
}

uint64_t seep_recording_bytes(void)
{
	return seep_writer_bytes(&recording.writer);
}

uint32_t seep_recording_generation(void)
{
	return recording.generation;
}

int64_t seep_recording_now(void)
{
	return seep_clock_mono_ns() - recording.started_mono_ns;
}

static void print_failure(const char *what, int failure)
{
	if (recording.prints_failures)
		seep_host_print(what, failure);
}

static void end(void)
{
	seep_heap_stop();
	set_state(DONE);
}

void seep_recording_give_up(const char *why)
{
	if (!is_mine())
		return;
	seep_recording_note(why, SEEP_NOTE_STOPPED); /* unless it is writing that has failed */
	seep_writer_close(&recording.writer, SEEP_TRACE_STOPPED);
	end();
}

static void stop(const char *what, int failure)
{
	if (!is_mine())
		return;
	recording.writer.header->failure = (uint32_t)-failure;
	print_failure(what, failure);
	seep_recording_give_up(what);
}

void seep_recording_write(uint16_t kind, uint16_t flags, const void *head, size_t head_bytes,
			  const void *tail, size_t tail_bytes)
{
	int failure;

	if (!is_mine())
		return;
	failure = seep_writer_append(&recording.writer, kind, flags, head, head_bytes, tail,
				     tail_bytes);
	if (failure && failure != -EMSGSIZE)
		stop("the trace could not be written", failure);
}

void seep_recording_note(const char *text, uint16_t flags)
{
	struct seep_rec_note note = {.t_ns = seep_recording_now(), .bytes = (uint32_t)strlen(text)};

	if (!is_mine())
		return;
	seep_writer_append(&recording.writer, SEEP_REC_NOTE, flags, &note, sizeof(note), text,
			   note.bytes);
}

void seep_recording_publish(int64_t t_ns)
{
	int failure;

	if (!is_mine() || (t_ns >= recording.published_ns &&
			   t_ns - recording.published_ns < PUBLISH_NS))
		return;
	recording.published_ns = t_ns;
	failure = seep_writer_publish(&recording.writer);
	if (failure)
		stop("the trace was truncated or replaced", failure);
}

static void keep_shared(struct seep_trace_header *shared)
{
	recording.shared = shared;
	seep_event_source_share(shared);
	if (shared && shared->tick_on != SEEP_TICKS_OFF)
		seep_recording_tick_word = seep_listen_pulse_word = &shared->tick;
}

/* seep run then sees all that changes in the header at once, and writes it if we cannot. */
static int share(struct seep_pending *pending)
{
	struct seep_writer *writer = &recording.writer;
	size_t fixed = offsetof(struct seep_trace_header, state);

	if (!recording.shared || memcmp(recording.shared, writer->header, fixed))
		return 0;
	writer->header = recording.shared;
	return pending ? seep_writer_share(writer, pending) : 0;
}

void seep_recording_number_slices(void)
{
	recording.slices = true;
	seep_slices_begin(true);
	if (get_state() != ON)
		return;
	seep_slices_describe(recording.writer.header, recording.shared, true);
	seep_writer_publish(&recording.writer);
}

static void begin_trace(void)
{
	struct seep_trace_header *header = recording.writer.header;
	struct seep_rec_restart restart;

	recording.started_mono_ns = header->started_mono_ns;
	recording.generation++;
	seep_statm_reopen();
	seep_alive_mark();
	restart.t_ns = seep_recording_now();
	if (header->state != SEEP_TRACE_CREATED)
		seep_writer_append(&recording.writer, SEEP_REC_RESTART, 0, &restart,
				   sizeof(restart), NULL, 0);
	seep_slices_describe(header, recording.shared, recording.slices);
	seep_event_source_describe(header);
	header->open_most = header->interleaved = 0;
	header->state = SEEP_TRACE_ATTACHED;
	seep_writer_publish(&recording.writer);
	set_state(ON);
}

/* Opens seep run's trace.  If it is finished, its process has ended and this is another one. */
static int attach(const char *path)
{
	int failure = seep_writer_attach(&recording.writer, path, (uint32_t)getpid());

	if (!failure && recording.writer.header->state >= SEEP_TRACE_FINISHED) {
		seep_writer_abandon(&recording.writer);
		failure = -ESTALE;
	}
	return failure;
}

/* Starts like a child of fork: without a trace until there is something to record. */
static int start_followed(uint32_t from)
{
	if (!recording.shared || recording.shared->pid != from)
		return -ESTALE;
	seep_alive_mark();
	recording.born_tick = seep_recording_tick();
	set_state(CHILD);
	return 0;
}

int seep_recording_start(const struct seep_recording_setup *setup)
{
	size_t n = strnlen(setup->path, sizeof(recording.path));
	int failure;

	if (n >= sizeof(recording.path) - 16)
		return -ENAMETOOLONG;
	memcpy(recording.path, setup->path, n + 1);
	recording.prints_failures = setup->prints_failures;
	keep_shared(setup->shared);
	if (setup->followed_from)
		return start_followed(setup->followed_from);
	if (setup->make)
		failure = seep_writer_create(&recording.writer, setup->path, 0);
	else
		failure = attach(setup->path);
	if (!failure) {
		failure = share(setup->pending);
		if (failure)
			seep_writer_abandon(&recording.writer);
	}
	if (failure) {
		print_failure("the trace could not be opened", failure);
		return failure;
	}
	begin_trace();
	return 0;
}

/* Reopens the trace that this process created before it called exec, and no other file. */
static bool resume_trace(void)
{
	struct seep_writer *writer = &recording.writer;

	if (seep_writer_attach(writer, recording.child_path, (uint32_t)getpid()))
		return false;
	if (writer->header->state == SEEP_TRACE_ATTACHED &&
	    writer->header->started_real_ns >= recording.shared->started_real_ns &&
	    seep_follow_is_private(writer->fd.fd))
		return true;
	seep_writer_abandon(writer);
	return false;
}

/* With --follow there may be very many children: their number of traces is limited. */
static int make_trace(void)
{
	bool counted = recording.shared && recording.shared->follow_max;

	if (counted && resume_trace())
		return 0;
	if (counted && !seep_follow_claim(recording.shared))
		return -EDQUOT;
	return seep_writer_create(&recording.writer, recording.child_path, 0);
}

static void start_child_trace(void)
{
	char *path = recording.child_path;
	bool fresh;
	int failure;

	memcpy(path, recording.path, sizeof(recording.child_path));
	path[strlen(path) + 1] = '\0';
	path[strlen(path)] = '.';
	seep_digits_append(path, (uint32_t)getpid());
	failure = make_trace();
	if (failure) {
		print_failure("the trace of a forked child could not be created", failure);
		end();
		return;
	}
	recording.own_trace = true;
	fresh = recording.writer.header->state == SEEP_TRACE_CREATED;
	begin_trace();
	seep_follow_write_run();
	if (fresh)
		seep_follow_write_limits(recording.path);
}

/*
 * A child of fork must not write into its parent's trace.
 *
 * inside: a signal handler has interrupted the recorder, perhaps in the middle of a
 * record, and has forked.  When the handler returns, that record is completed in the
 * child as in the parent: the same bytes at the same place.  So the writer must stay as
 * it is until the next seep_recording_begin.
 */
static void become_child(bool inside)
{
	if (seep_silence_is_on()) {
		end();
		return;
	}
	seep_lock_renew(&recording.lock);
	if (inside)
		recording.stale = true;
	else
		seep_writer_abandon(&recording.writer);
	if (get_state() == ON)
		set_state(CHILD);
	else if (get_state() == SEALED)
		set_state(DONE);
	seep_alive_mark();
	recording.own_trace = false;
	seep_event_slots_forked();
	seep_heap_forked();
	recording.born_tick = seep_recording_tick();
	seep_slices_begin(recording.slices);
}

static bool enter(void)
{
	if (recording.stale)
		seep_writer_abandon(&recording.writer);
	recording.stale = false;
	if (get_state() == CHILD)
		seep_silence_is_on() ? end() : start_child_trace();
	if (get_state() == ON)
		return true;
	seep_lock_give(&recording.lock);
	return false;
}

void seep_recording_forked(bool inside)
{
	if (seep_alive_is_marked())
		become_child(inside);
}

/* A lock is held for ever, perhaps that of the recording: seep run reads this from the header. */
static __attribute__((noinline)) void end_broken(void)
{
	recording.writer.header->failure = EDEADLK;
	recording.writer.header->state = SEEP_TRACE_STOPPED;
	end();
}

static bool is_usable(void)
{
	if (seep_alive_is_marked() && !seep_alive_is())
		become_child(false);
	if (seep_silence_has_given_up() && is_mine())
		end_broken();
	return is_on();
}

bool seep_recording_is_open(void)
{
	return is_usable() && get_state() == ON && (seep_silence_is_on() || seep_alive_is_own());
}

const int64_t *seep_recording_hand_over(void)
{
	struct seep_pending *pending = recording.writer.pending;

	if (!is_mine() || !pending)
		return NULL;
	pending->now_ns = seep_clock_mono_ns();
	return seep_writer_hand_over(&recording.writer, seep_alive_word()) ? NULL
									   : &pending->now_ns;
}

bool seep_recording_is_worth_it(uint64_t tick)
{
	uint64_t least = CHILD_TICKS;

	if (!is_usable() || get_state() == ON)
		return is_usable();
	if (seep_event_source_ticks() == SEEP_TICKS_SPARE && recording.shared->tick_ns)
		least = CHILD_NS / recording.shared->tick_ns;
	return tick - recording.born_tick >= least;
}

bool seep_recording_begin(void)
{
	if (!is_usable())
		return false;
	seep_lock_take(&recording.lock);
	return enter();
}

bool seep_recording_try(void)
{
	return is_usable() && seep_lock_try(&recording.lock) && enter();
}

void seep_recording_end(void)
{
	seep_lock_give(&recording.lock);
}

void seep_recording_pause(void)
{
	seep_lock_give(&recording.lock);
}

void seep_recording_resume(void)
{
	seep_lock_take(&recording.lock);
}

void seep_recording_seal(void)
{
	if (get_state() != ON)
		return;
	seep_thin_finish();
	if (get_state() != ON) /* the write failed */
		return;
	__atomic_store_n(&recording.writer.header->state, SEEP_TRACE_FINISHED, __ATOMIC_RELEASE);
	seep_writer_publish(&recording.writer);
	set_state(SEALED);
}

void seep_recording_finish(void)
{
	seep_recording_seal();
	if (get_state() != SEALED)
		return;
	seep_writer_close(&recording.writer, SEEP_TRACE_FINISHED);
	set_state(DONE);
}

void seep_recording_exited(int status)
{
	struct seep_writer *writer = &recording.writer;
	struct seep_rec_exit end = {.t_ns = seep_recording_now(), .code = status & 0xff};

	if (!recording.own_trace || seep_silence_is_on() || get_state() != DONE ||
	    !seep_alive_is_own() ||
	    seep_writer_attach(writer, recording.child_path, (uint32_t)getpid()))
		return;
	if (writer->header->state == SEEP_TRACE_FINISHED) {
		seep_writer_append(writer, SEEP_REC_EXIT, 0, &end, sizeof(end), NULL, 0);
		seep_writer_close(writer, SEEP_TRACE_FINISHED);
	} else {
		seep_writer_abandon(writer);
	}
}
