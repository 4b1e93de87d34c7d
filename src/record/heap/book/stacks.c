/* SPDX-License-Identifier: MIT */
/*
 * A thread is identified by its pthread_t ("name" below), which the C library reuses as
 * soon as the old thread has gone.  So two threads of the same name cannot exist at the same
 * time, and a thread that starts ends the record of an earlier one of its name.
 *
 * The new thread reports its name itself: the variable that pthread_create fills may have
 * been freed by the new thread before pthread_create returns.  So a thread may be detached
 * before its name is known; such names are kept until all new threads are known.
 */
#include "record/heap/book/stacks.h"

#include "os/mmap.h"
#include "os/signals.h"
#include "os/silence.h"
#include "record/guard.h"
#include "record/heap/book/holdings.h"

#include <stddef.h>

#define STACKS_MAX 32768u
#define BUCKETS 4096u
#define EARLY_MAX 256u
#define PAGE_MASK ((uintptr_t)4095)
#define DESCRIPTOR_BYTES 2304u /* about */

/* ORPHAN: was new when its process forked, and may still start in the child. */
enum state { UNUSED, NEW, RUNNING, ENDED, ORPHAN };

struct seep_stack_held {
	pthread_t thread;
	struct seep_stacks_task task;
	uint64_t bytes;
	uint32_t held;
	uint32_t next;           /* in its bucket, or of the unused ones */
	enum state state;
	bool detached;
};

static struct seep_stack_held *stacks; /* stacks[0] is none */
static uint32_t n_stacks, unused, buckets[BUCKETS];
static uint32_t n_new;            /* threads whose names are not known yet */
static pthread_t early[EARLY_MAX]; /* names of threads that were detached before they were known */
static uint32_t n_early;
static pthread_key_t key;
static bool has_key;

static void end(void *stack);

bool seep_stacks_init(void)
{
	has_key = !pthread_key_create(&key, end);
	stacks = seep_mmap_new(STACKS_MAX * sizeof(*stacks));
	n_stacks = 1;
	return stacks;
}

static uint32_t *bucket_of(pthread_t thread)
{
	return &buckets[((uint64_t)thread * 0x9e3779b97f4a7c15u) >> 52];
}

static void put_away(struct seep_stack_held *stack)
{
	*stack = (struct seep_stack_held){.next = unused};
	unused = (uint32_t)(stack - stacks);
}

/* The record of a thread of this name. */
static struct seep_stack_held *find(pthread_t thread)
{
	uint32_t id = *bucket_of(thread);

	while (id && !pthread_equal(stacks[id].thread, thread))
		id = stacks[id].next;
	return id ? &stacks[id] : NULL;
}

static void finish(struct seep_stack_held *stack, const void *frame_address)
{
	uint32_t *link = bucket_of(stack->thread), id = (uint32_t)(stack - stacks);

	while (*link && *link != id)
		link = &stacks[*link].next;
	if (*link)
		*link = stack->next;
	seep_holding_release(stack->held, stack->bytes, frame_address);
	put_away(stack);
}

static struct seep_stack_held *new_stack(void)
{
	uint32_t id = unused;

	if (id)
		unused = stacks[id].next;
	else if (n_stacks < STACKS_MAX)
		id = n_stacks++;
	else
		seep_holding_count_dropped();
	return id ? &stacks[id] : NULL;
}

struct seep_stack_held *seep_stacks_begin(uint32_t site, uint64_t bytes, bool detached,
					  const struct seep_stacks_task *task)
{
	struct seep_stack_held *stack;
	uint32_t held;

	if (!site || !has_key || !seep_holding_enter())
		return NULL;
	stack = new_stack();
	held = stack ? seep_holding_begin(site, bytes) : 0;
	if (held) {
		*stack = (struct seep_stack_held){.task = *task, .bytes = bytes, .held = held,
						  .state = NEW, .detached = detached};
		n_new++;
	} else if (stack) {
		put_away(stack);
	}
	seep_holding_leave();
	return held ? stack : NULL;
}

/* One thread fewer whose name is not known. */
static void forget_new(void)
{
	if (!--n_new)
		n_early = 0;
}

void seep_stacks_undo(struct seep_stack_held *stack)
{
	if (!seep_holding_enter())
		return;
	if (stack->state == NEW) {
		seep_holding_undo(stack->held);
		forget_new();
	}
	put_away(stack);
	seep_holding_leave();
}

/* Whether a thread of this name was detached before it was known. */
static bool was_early(pthread_t thread)
{
	uint32_t i;

	for (i = 0; i < n_early; i++)
		if (pthread_equal(early[i], thread)) {
			early[i] = early[--n_early];
			return true;
		}
	return false;
}

static void name(struct seep_stack_held *stack, pthread_t thread)
{
	struct seep_stack_held *earlier = find(thread);
	uint32_t *bucket = bucket_of(thread);

	if (earlier)
		finish(earlier, NULL);
	stack->thread = thread;
	stack->next = *bucket;
	*bucket = (uint32_t)(stack - stacks);
	stack->state = RUNNING;
	if (was_early(thread))
		stack->detached = true;
	forget_new();
}

struct seep_stacks_task seep_stacks_start(struct seep_stack_held *stack)
{
	struct seep_stacks_task task = stack->task;
	bool known;

	if (!seep_holding_enter())
		return task;
	known = stack->state == NEW;
	if (known)
		name(stack, pthread_self());
	else
		put_away(stack);
	seep_holding_leave();
	if (known)
		pthread_setspecific(key, stack);
	return task;
}

/* Called by the C library when the thread ends. */
static void end(void *ended)
{
	struct seep_stack_held *stack = ended;
	int guard = seep_guard;

	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
	if (seep_holding_enter()) {
		stack->state = ENDED;
		if (stack->detached)
			finish(stack, NULL);
		seep_holding_leave();
	}
	seep_guard = guard;
	seep_signals_release();
}

void seep_stacks_joined(pthread_t thread, const void *frame_address)
{
	struct seep_stack_held *stack;

	if (!seep_holding_enter())
		return;
	stack = find(thread);
	if (stack && stack->state == ENDED)
		finish(stack, frame_address);
	seep_holding_leave();
}

void seep_stacks_detach(pthread_t thread, const void *frame_address)
{
	struct seep_stack_held *stack;

	if (!seep_holding_enter())
		return;
	stack = find(thread);
	if (stack && stack->state == ENDED)
		finish(stack, frame_address);
	else if (stack)
		stack->detached = true;
	else if (n_new && n_early < EARLY_MAX)
		early[n_early++] = thread;
	seep_holding_leave();
}

/* The C library's descriptor of a thread, which is the pthread_t, is at the top of the stack. */
void seep_stacks_visit(void (*visit)(struct seep_mappings_range range, void *context),
		       void *context)
{
	uint32_t id;

	for (id = 1; id < n_stacks; id++) {
		struct seep_mappings_range range = {.end = (uintptr_t)stacks[id].thread};

		if (stacks[id].state != RUNNING && stacks[id].state != ENDED)
			continue;
		range.end = (range.end + DESCRIPTOR_BYTES + PAGE_MASK) & ~PAGE_MASK;
		range.start = range.end > stacks[id].bytes ? range.end - stacks[id].bytes : 0;
		visit(range, context);
	}
}

void seep_stacks_forked(void)
{
	uint32_t id;

	if (!seep_holding_enter())
		return;
	for (id = 1; id < n_stacks; id++)
		if (stacks[id].state == NEW) { /* this thread may be about to take its task */
			seep_holding_release(stacks[id].held, stacks[id].bytes, NULL);
			stacks[id].state = ORPHAN;
		} else if (stacks[id].state != UNUSED && stacks[id].state != ORPHAN &&
			   !pthread_equal(stacks[id].thread, pthread_self())) {
			finish(&stacks[id], NULL);
		}
	n_new = n_early = 0;
	seep_holding_leave();
}
