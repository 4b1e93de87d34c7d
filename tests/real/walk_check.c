/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tracker's stacks held against glibc's backtrace(), in any program.
 *
 * This file is linked into a tracker of its own, libseep-heap.so below
 * tests/real/check, with --wrap=seep_walk_capture: each capture of the books
 * comes here (and each stack that hooks_fast.c finds without one), is made by the real
 * walk, and is made again by backtrace(),
 * which remembers nothing and asks libgcc for every frame.  What a capture gives is the
 * name of the stack, so the name that the frames of backtrace() make must be the same.
 * Only where it is not, the walk is made once more, to see how.
 *
 *   SEEP_WALK_CHECK=FILE    the counts, as struct counts; forked children add to them,
 *                           and they are there after any death.  FILE.unequal has the
 *                           first stacks that differ.
 *   SEEP_WALK_CHECK_EVERY=K only one capture in K is checked
 */
#include "record/guard.h"
#include "record/heap/book/account.h"
#include "record/heap/stack/known.h"
#include "record/heap/stack/walk.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FRAMES_MAX 32768
#define SHOWN_MAX 4

/* walk_counts.py knows this, too. */
struct counts {
	uint64_t captures;       /* all there were */
	uint64_t equal;          /* frame by frame, from the hook's caller to the root */
	uint64_t shorter;        /* the walk was lost where backtrace() went on */
	uint64_t longer;         /* the walk went on where backtrace() ended */
	uint64_t different;      /* a frame differs */
	uint64_t cut;            /* of the equal ones: deeper than the walk goes, equal so far */
	uint64_t interrupted;    /* of the equal ones: a signal handler was in the stack */
	uint64_t frames;         /* compared */
	uint64_t early;          /* captures before backtrace() was ready */
	uint64_t flat;           /* stacks that were found whole (flat.h), compared or not */
};

enum outcome { EQUAL, SHORTER, LONGER, DIFFERENT };

/* A stack by backtrace(), from the caller of the hook outwards. */
struct second {
	void *frames[FRAMES_MAX];
	int first, n;
};

static struct counts *counts;
static char unequal_path[PATH_MAX];
static uint64_t every = 1;
static bool is_ready;

static __thread struct second *second;
static __thread uint64_t n_captures;

uint64_t __real_seep_walk_capture(struct seep_thread *thread, const void *frame_address);
uint64_t __wrap_seep_walk_capture(struct seep_thread *thread, const void *frame_address);
uint64_t __real_seep_walk_capture_frames(struct seep_thread *thread, const void *frame_address);
uint64_t __wrap_seep_walk_capture_frames(struct seep_thread *thread, const void *frame_address);
void seep_flat_check(struct seep_thread *thread, const void *frame_address, uint64_t hash);

/* --- What the walk has left in the thread's record: the only place that knows its form. */

static uint32_t captured_count(const struct seep_thread *thread)
{
	return thread->n_last - 1;
}

/* The return address of frame i, 0 being the hook's caller. */
static uintptr_t captured_pc(const struct seep_thread *thread, uint32_t i)
{
	return thread->known[thread->n_last - 1 - i].frame.pc;
}

static uint64_t captured_name(const struct seep_thread *thread)
{
	return thread->known[thread->n_last - 1].hash;
}

static uint32_t captured_end(const struct seep_thread *thread)
{
	return thread->last_end;
}

/* --- Comparing */

static bool is_trampoline(uintptr_t return_address)
{
	seep_rule rule = seep_unwind_find(seep_unwind_key(return_address, false));

	return seep_rule_kind(rule) == SEEP_CFI_SIGNAL;
}

/* backtrace() gives the very instruction that a signal interrupted, the walk the one behind. */
static bool is_same_frame(const struct seep_thread *thread, uint32_t i, uintptr_t pc,
			  bool *interrupted)
{
	uintptr_t captured = captured_pc(thread, i);

	if (i && is_trampoline(captured_pc(thread, i - 1))) {
		*interrupted = true;
		return captured == pc + 1;
	}
	return captured == pc;
}

/* The name that the walk would give this stack if it went all the way. */
static uint64_t name_of(const struct second *other, bool *interrupted)
{
	uint64_t name = 0;
	int i;

	for (i = other->n - 1; i >= other->first; i--) {
		uintptr_t pc = (uintptr_t)other->frames[i];
		bool exact = i > other->first && is_trampoline((uintptr_t)other->frames[i - 1]);

		*interrupted |= exact;
		name = seep_known_mix(name, pc + exact,
				      seep_unwind_find(seep_unwind_key(pc, exact)));
	}
	return name;
}

static enum outcome compare(const struct seep_thread *thread, const struct second *other,
			    bool *interrupted, uint32_t *at)
{
	uint32_t n = captured_count(thread), n_other = (uint32_t)(other->n - other->first), i;

	for (i = 0; i < n && i < n_other; i++) {
		*at = i;
		if (!is_same_frame(thread, i, (uintptr_t)other->frames[(uint32_t)other->first + i],
				   interrupted))
			return DIFFERENT;
	}
	*at = i;
	if (n < n_other && captured_end(thread) != SEEP_PC_CUT)
		return SHORTER;
	return n > n_other ? LONGER : EQUAL;
}

/* --- Showing what differs */

static void say(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		return;
}

static void say_frames(int fd, const char *title, void *const *frames, uint32_t n)
{
	say(fd, title);
	backtrace_symbols_fd(frames, (int)n, fd);
}

static void show(const struct seep_thread *thread, struct second *other, enum outcome outcome,
		 uint32_t at)
{
	static const char *const words[] = {"", "shorter", "longer", "different"};
	uint32_t n = captured_count(thread), i, n_other = (uint32_t)(other->n - other->first);
	int fd = open(unequal_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	void **walked = &other->frames[other->n];
	char line[100];

	if (fd < 0)
		return;
	for (i = 0; i < n && other->n + (int)i < FRAMES_MAX; i++)
		walked[i] = (void *)captured_pc(thread, i);
	snprintf(line, sizeof(line), "%s at frame %u; walk %u frames, backtrace() %u\n",
		 words[outcome], at, n, n_other);
	say(fd, line);
	say_frames(fd, "walk:\n", walked, i);
	say_frames(fd, "backtrace():\n", other->frames + other->first, n_other);
	close(fd);
}

/* --- Capturing */

static void add(uint64_t *count, uint64_t n)
{
	__atomic_fetch_add(count, n, __ATOMIC_RELAXED);
}

static bool make_second(void)
{
	void *memory;

	if (second)
		return true;
	memory = mmap(NULL, sizeof(*second), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	second = memory == MAP_FAILED ? NULL : memory;
	return second != NULL;
}

/* The frames inside the tracker end where the hook's return address comes. */
static bool capture_again(const void *frame_address)
{
	uintptr_t caller = seep_cpu_caller(frame_address).pc;
	int i;

	second->n = backtrace(second->frames, FRAMES_MAX);
	for (i = 1; i < second->n; i++) {
		if ((uintptr_t)second->frames[i] == caller) {
			second->first = i;
			return true;
		}
	}
	second->first = 1;
	return false;
}

/* Another name: it may be that of a stack that was cut, or of one that was lost on the way. */
static enum outcome look_closer(struct seep_thread *thread, const void *frame_address,
				uint64_t name, bool *interrupted, uint32_t *at)
{
	enum outcome outcome;

	seep_walk_again(thread, frame_address);
	outcome = compare(thread, second, interrupted, at);
	return outcome == EQUAL && captured_name(thread) != name ? DIFFERENT : outcome;
}

static void judge(struct seep_thread *thread, const void *frame_address, uint64_t name)
{
	bool interrupted = false, cut = false;
	enum outcome outcome = DIFFERENT;
	uint32_t at = 0;

	if (capture_again(frame_address)) {
		at = (uint32_t)(second->n - second->first);
		outcome = name_of(second, &interrupted) == name ? EQUAL : DIFFERENT;
		if (outcome != EQUAL) {
			outcome = look_closer(thread, frame_address, name, &interrupted, &at);
			cut = captured_end(thread) == SEEP_PC_CUT;
		}
	}
	add(&counts->frames, at);
	if (outcome == EQUAL) {
		add(&counts->equal, 1);
		add(&counts->interrupted, interrupted);
		add(&counts->cut, cut);
		return;
	}
	add(outcome == SHORTER ? &counts->shorter :
	    outcome == LONGER ? &counts->longer : &counts->different, 1);
	if (counts->shorter + counts->longer + counts->different <= SHOWN_MAX)
		show(thread, second, outcome, at);
}

static void check(struct seep_thread *thread, const void *frame_address, uint64_t hash)
{
	int guard = seep_guard, saved = errno;

	if (!counts || ++n_captures % every)
		return;
	seep_guard = SEEP_GUARD_REAL; /* what backtrace() may allocate is not the program's */
	add(&counts->captures, 1);
	if (is_ready && make_second())
		judge(thread, frame_address, hash);
	else
		add(&counts->early, 1);
	seep_guard = guard;
	errno = saved;
}

/* Not inlined into the caller: its frame address is the hook's. */
uint64_t __wrap_seep_walk_capture(struct seep_thread *thread, const void *frame_address)
{
	uint64_t hash = __real_seep_walk_capture(thread, frame_address);

	check(thread, frame_address, hash);
	return hash;
}

uint64_t __wrap_seep_walk_capture_frames(struct seep_thread *thread, const void *frame_address)
{
	uint64_t hash = __real_seep_walk_capture_frames(thread, frame_address);
	struct seep_cpu_frame first = seep_cpu_caller(frame_address);

	if (captured_pc(thread, 0) != first.pc)
		abort(); /* the frames are not those of this stack */
	check(thread, frame_address, hash);
	return hash;
}

/* hooks_fast.c has found the stack in flat.h, and so the site that it led to earlier. */
void seep_flat_check(struct seep_thread *thread, const void *frame_address, uint64_t hash)
{
	if (counts)
		add(&counts->flat, 1);
	check(thread, frame_address, hash);
}

/* The first backtrace() loads libgcc_s, which must not happen inside somebody's dlopen(). */
__attribute__((constructor(101))) static void prepare(void)
{
	const char *path = getenv("SEEP_WALK_CHECK"), *k = getenv("SEEP_WALK_CHECK_EVERY");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1, guard = seep_guard;
	void *frames[4], *memory;

	if (fd < 0)
		return;
	seep_guard = SEEP_GUARD_REAL;
	snprintf(unequal_path, sizeof(unequal_path), "%s.unequal", path);
	if (k && strtoull(k, NULL, 10))
		every = strtoull(k, NULL, 10);
	if (!ftruncate(fd, sizeof(*counts))) {
		memory = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		counts = memory == MAP_FAILED ? NULL : memory;
	}
	close(fd);
	is_ready = backtrace(frames, 4) > 0;
	seep_guard = guard;
}
