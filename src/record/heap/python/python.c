/* SPDX-License-Identifier: MIT */
/*
 * The hash of a Python stack.
 *
 * As in walk.c, the last stack is remembered, outermost frame first:
 *
 *	known[1]   known[2]   ...  known[i]
 *	<module>   main            handle
 *	frame, spot, hash          ^ the current frame, found by its address
 *
 * If each frame from here outwards still points to the next one, and all but the innermost
 * are where they were, the hash of known[i - 1] holds.  They are looked at from the inside out.
 *
 * Of a stack that is too deep, the inner half of what fits is known, and the frame outside of that
 * (base).  Its hash is that of the innermost frames, wherever the known ones begin.
 *
 * A spot is an address in a code object.  If that is freed, another one may get its place, so
 * each place has a number, the salt, which changes then and is mixed in.  All known
 * frames are forgotten at that moment (the epoch).
 */
#include "record/heap/python/python.h"

#include "os/mmap.h"
#include "os/process.h"
#include "record/heap/stack/known.h"
#include "record/heap/stack/walk.h"

#include <pthread.h>

#define SALTS 8192u
#define PAGE_LEAST 4096u
#define STATE_BYTES 400u         /* at least those of PyThreadState in all versions with a cframe */

struct seep_python seep_python;
uint32_t seep_python_on;
uint32_t seep_python_hidden;
uint32_t seep_python_unmaps;

static uint32_t epoch = 1;
static uint32_t salts[SALTS];

static uint32_t *salt_of(uintptr_t code)
{
	return &salts[(uint64_t)(code / 16) * 0x9e3779b97f4a7c15u >> 51];
}

uint32_t seep_python_salt(uintptr_t code)
{
	return __atomic_load_n(salt_of(code), __ATOMIC_ACQUIRE);
}

void seep_python_forget(uintptr_t code)
{
	_Static_assert(SALTS == 1 << (64 - 51), "as many as salt_of finds");
	__atomic_add_fetch(salt_of(code), 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&epoch, 1, __ATOMIC_RELEASE);
}

static inline uint64_t mix(uint64_t hash, uintptr_t spot, uint32_t salt)
{
	hash = (hash ^ spot ^ (uint64_t)salt * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static inline uint64_t add_frame(uint64_t hash, uintptr_t frame, uintptr_t spot)
{
	uintptr_t code = seep_python_word(frame, seep_python.layout.code);

	return mix(hash, spot, __atomic_load_n(salt_of(code), __ATOMIC_RELAXED));
}

/* A state that this thread has not had before: whether it really is this thread's. */
static __attribute__((noinline)) bool check_state(struct seep_thread *thread, uintptr_t state)
{
	uintptr_t id;

	if (!thread->python)
		thread->python = seep_mmap_new(sizeof(*thread->python));
	if (!thread->python ||
	    !seep_process_peek(state + seep_python.layout.thread_id, &id, sizeof(id)) ||
	    id != (uintptr_t)pthread_self())
		return false;
	thread->python->state = state;
	return true;
}

/*
 * The state of this thread; 0 if it has none, or none that may be read: when the interpreter
 * ends, it frees those of other threads.  Before 3.12, a thread in a sub-interpreter has the state
 * of the main one here.
 */
static inline uintptr_t find_state(struct seep_thread *thread)
{
	const struct seep_python_layout *layout = &seep_python.layout;
	uintptr_t runtime = (uintptr_t)seep_python.runtime, state, ending;
	const int *key = (const int *)(runtime + layout->key);

	if (!key[0])
		return 0;
	state = (uintptr_t)pthread_getspecific((pthread_key_t)key[1]);
	ending = seep_python_word(runtime, layout->finalizing);
	if (!state || (ending && ending != state))
		return 0;
	if (layout->interpreters != SEEP_PYTHON_NONE &&
	    seep_python_word(runtime, layout->interpreters) !=
	    seep_python_word(runtime, layout->interpreters + (uint32_t)sizeof(uintptr_t))) {
		__atomic_store_n(&seep_python_hidden, 1, __ATOMIC_RELAXED);
		return 0;
	}
	if (__builtin_expect((!thread->python || thread->python->state != state) &&
			     !check_state(thread, state), 0))
		return 0;
	return state;
}

static inline uintptr_t find_top(struct seep_thread *thread)
{
	const struct seep_python_layout *layout = &seep_python.layout;
	uintptr_t state = find_state(thread);

	if (state && layout->cframe != SEEP_PYTHON_NONE)
		state = seep_python_word(state, layout->cframe);
	return state ? seep_python_word(state, layout->current) : 0;
}

/* Whether the frames from known[i] outwards are as they were, but for the innermost one's spot. */
static inline bool stands(const struct seep_python_thread *python, uint32_t i)
{
	const struct seep_python_frame *known = python->known;
	uint32_t previous = seep_python.layout.previous;

	for (; i > 1; i--) {
		if (seep_python_word(known[i].frame, previous) != known[i - 1].frame)
			return false;
		if (seep_python_spot(known[i - 1].frame) != known[i - 1].spot)
			return false;
	}
	return seep_python_word(known[1].frame, previous) == python->base;
}

static inline uint32_t find_known(const struct seep_python_thread *python, uintptr_t frame)
{
	uint32_t i = python->by[frame / 16 % SEEP_PYTHON_BY];

	return i < python->n && python->known[i].frame == frame ? i : 0;
}

static __attribute__((noinline)) uint64_t hash_deep(const struct seep_python_thread *python)
{
	uint64_t hash = SEEP_PYTHON_DEEP;
	uint32_t i;

	for (i = seep_python_first(python); i < python->n; i++)
		hash = add_frame(hash, python->known[i].frame, python->known[i].spot);
	return hash;
}

/* Reads frames from the inside out until a known one is met that stands. */
static __attribute__((noinline)) uint64_t read_frames(struct seep_thread *thread, uintptr_t frame)
{
	struct seep_python_thread *python = thread->python;
	uint32_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE), n = 0, i = 0;
	uint64_t hash = 0;

	if (thread->python_epoch != now)
		python->n = 1;
	thread->python_epoch = now;
	for (; frame && n < SEEP_PYTHON_FRAMES_MAX - 2;
	     frame = seep_python_word(frame, seep_python.layout.previous)) {
		uintptr_t spot = seep_python_spot(frame);

		i = find_known(python, frame);
		if (i && i + n < SEEP_PYTHON_FRAMES_MAX && python->known[i].spot == spot &&
		    (!python->base || i + n > SEEP_PYTHON_DEEP) && stands(python, i))
			break;
		i = 0;
		python->fresh[n++] = (struct seep_python_frame){.frame = frame, .spot = spot};
	}
	if (!i)
		python->base = frame;
	if (!i && frame) {
		n = SEEP_PYTHON_FRAMES_MAX / 2;
		python->base = python->fresh[n].frame;
	}
	hash = i ? python->known[i].hash : 0;
	python->n = i + 1;
	while (n--) {
		struct seep_python_frame *known = &python->known[++i];

		*known = python->fresh[n];
		known->hash = hash = add_frame(hash, known->frame, known->spot);
		python->by[known->frame / 16 % SEEP_PYTHON_BY] = (uint16_t)i;
		python->n = i + 1;
	}
	return python->base ? hash_deep(python) : hash;
}

uint64_t seep_python_hash(struct seep_thread *thread)
{
	uintptr_t top = find_top(thread), spot;
	struct seep_python_frame *known;
	uint32_t i;

	if (!top)
		return 0;
	i = find_known(thread->python, top);
	if (!i || thread->python_epoch != __atomic_load_n(&epoch, __ATOMIC_RELAXED) ||
	    (thread->python->base && i <= SEEP_PYTHON_DEEP) || !stands(thread->python, i))
		return read_frames(thread, top);
	known = &thread->python->known[i];
	spot = seep_python_spot(top);
	if (known->spot != spot) {
		known->spot = spot;
		known->pc = 0;
		known->hash = add_frame(known[-1].hash, top, spot);
	}
	thread->python->n = i + 1;
	return thread->python->base ? hash_deep(thread->python) : known->hash;
}

/* After a walk: a signal has interrupted the interpreter, or it may just be unloaded. */
static bool may_not_look(const struct seep_thread *thread)
{
	return seep_walk_crossed_signal(thread) ||
	       __atomic_load_n(&seep_unwind_unloads, __ATOMIC_ACQUIRE);
}

uint64_t seep_python_hash_walked(struct seep_thread *thread)
{
	if (may_not_look(thread))
		return 0;
	return seep_python_hash(thread);
}

/*
 * The cframe is a variable of the evaluator.  While a greenlet is switched, its stack has gone and
 * another one is in its place; so it must lie in the innermost frame of the evaluator that is
 * on this stack, or in the state itself.
 */
static bool is_cframe_here(const struct seep_thread *thread, uintptr_t state)
{
	uintptr_t cframe = seep_python_word(state, seep_python.layout.cframe);
	uint32_t i;

	if (cframe - state < STATE_BYTES)
		return true;
	for (i = thread->n_last - 1; i > 1; i--)
		if (seep_python_is_eval(thread->known[i].frame.pc - 1))
			return cframe >= thread->known[i].frame.sp &&
			       cframe < thread->known[i - 1].frame.sp;
	return false;
}

/*
 * In 3.11, a frame is still the current one when the memory that it was in is unmapped, which is a
 * moment at which a stack is captured.  The kernel is only asked again when something was unmapped.
 */
static bool is_frame_here(struct seep_python_thread *python, uintptr_t frame)
{
	uint32_t unmaps = __atomic_load_n(&seep_python_unmaps, __ATOMIC_ACQUIRE);
	uintptr_t at = frame + seep_python.layout.spot, spot;

	if (seep_python.layout.is_entry == SEEP_PYTHON_NONE ||
	    (python->page == at / PAGE_LEAST && python->unmaps == unmaps))
		return true;
	if (!seep_process_peek(at, &spot, sizeof(spot)))
		return false;
	python->page = at / PAGE_LEAST;
	python->unmaps = unmaps;
	return true;
}

static bool is_here(struct seep_thread *thread)
{
	uintptr_t state, top;

	if (may_not_look(thread))
		return false;
	state = find_state(thread);
	if (!state || (seep_python.layout.cframe != SEEP_PYTHON_NONE &&
		       !is_cframe_here(thread, state)))
		return false;
	top = find_top(thread);
	return top && is_frame_here(thread->python, top);
}

uint64_t seep_python_hash_checked(struct seep_thread *thread)
{
	return is_here(thread) ? seep_python_hash(thread) : 0;
}

bool seep_python_read(struct seep_thread *thread)
{
	return is_here(thread) && seep_python_hash(thread);
}
