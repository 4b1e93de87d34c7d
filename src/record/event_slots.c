/* SPDX-License-Identifier: MIT */
#include "record/event_slots.h"

#include "trace/format.h"

#define INDEX_BITS 12
#define TURNS ((uint32_t)1 << 18) /* so that a handle is a positive int */

_Static_assert(SEEP_EVENT_SLOTS == 1u << INDEX_BITS, "an index fits into a handle");

enum state { UNUSED, OPEN, ENDED, ABANDONED };

struct seep_event_now seep_event_common;
__thread const struct seep_event_now *seep_event_here
	__attribute__((tls_model("initial-exec"))) = &seep_event_common;

/* Slot 0 is not used: 0 means none. */
static struct {
	struct seep_event_slot slots[SEEP_EVENT_SLOTS];
	struct seep_event_now after; /* for threads that have ended their event */
	uint32_t used;           /* slots above this one were never used */
	uint32_t unused;         /* list of those that can be used again */
	uint32_t first;          /* list of open ones */
	uint32_t n_open;
	uint32_t n_lingering;    /* ended, but some thread still points to them */
} all;

static __thread struct {
	uint32_t slot;           /* that seep_event_here points to */
	uint32_t ended;          /* the event that this thread ended last, if it has no other */
	bool ended_whole;
} mine __attribute__((tls_model("initial-exec")));

static void set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static void set_now(struct seep_event_now *now, uint32_t birth, uint32_t phase)
{
	set(&now->birth, birth);
	set(&now->phase, phase);
}

uint32_t seep_event_slots_open(void)
{
	return __atomic_load_n(&all.n_open, __ATOMIC_RELAXED);
}

uint32_t seep_event_slots_over_at_begin(void)
{
	uint32_t begun = seep_event_clock_begun(), open = seep_event_slots_open();

	open -= open && mine.slot;
	return begun > open ? begun - open : 0;
}

bool seep_event_slots_is_user(void)
{
	return mine.slot;
}

static int handle_of(uint32_t index)
{
	return (int)((all.slots[index].turn % TURNS) << INDEX_BITS | index);
}

/* What threads without an event see has changed. */
static void update_common(void)
{
	uint32_t latest = seep_event_clock_event();

	if (all.n_open == 1)
		set_now(&seep_event_common, all.slots[all.first].now.birth,
			all.slots[all.first].now.phase);
	else
		set_now(&seep_event_common, latest,
			all.n_open ? SEEP_PHASE_NONE : SEEP_PHASE_BETWEEN);
	set_now(&all.after, latest, SEEP_PHASE_BETWEEN);
}

static void list(uint32_t index)
{
	struct seep_event_slot *slot = &all.slots[index];

	slot->state = OPEN;
	slot->before = 0;
	slot->next = all.first;
	all.slots[all.first].before = index; /* slot 0 may have a neighbour: it is never read */
	all.first = index;
	set(&all.n_open, all.n_open + 1);
}

static void unlist(uint32_t index, enum state state)
{
	struct seep_event_slot *slot = &all.slots[index];

	if (slot->before)
		all.slots[slot->before].next = slot->next;
	else
		all.first = slot->next;
	all.slots[slot->next].before = slot->before;
	slot->state = state;
	set(&all.n_open, all.n_open - 1);
}

static void put_away(uint32_t index)
{
	all.slots[index].state = UNUSED;
	all.slots[index].turn++;
	all.slots[index].next = all.unused;
	all.unused = index;
}

/* An event whose threads have all ended gives way if there is no other slot. */
static uint32_t find_abandoned(void)
{
	uint32_t i;

	for (i = 1; i <= all.used; i++)
		if (all.slots[i].state == ABANDONED) {
			all.slots[i].turn++;
			return i;
		}
	return 0;
}

static uint32_t take_slot(void)
{
	uint32_t index = all.unused;

	if (index)
		all.unused = all.slots[index].next;
	else if (all.used < SEEP_EVENT_SLOTS - 1)
		index = ++all.used;
	else
		index = find_abandoned();
	return index;
}

static void point_to(const struct seep_event_now *now)
{
	seep_event_here = now;
}

/* This thread does not point to its slot any more, and has no event. */
static void detach(void)
{
	struct seep_event_slot *slot = &all.slots[mine.slot];

	mine.ended = 0;
	point_to(&seep_event_common);
	if (!mine.slot)
		return;
	slot->users--;
	if (slot->state == ENDED && !slot->users) {
		all.n_lingering--;
		put_away(mine.slot);
	}
	mine.slot = 0;
}

static void attach(uint32_t index)
{
	detach();
	mine.slot = index;
	all.slots[index].users++;
	point_to(&all.slots[index].now);
}

struct seep_event_slot *seep_event_slots_own(void)
{
	struct seep_event_slot *slot = &all.slots[mine.slot];

	if (!mine.slot)
		return NULL;
	if (slot->state == OPEN)
		return slot;
	detach(); /* another thread has ended it */
	return NULL;
}

struct seep_event_slot *seep_event_slots_find(void)
{
	struct seep_event_slot *slot = seep_event_slots_own();

	if (!slot && !mine.ended && all.n_open == 1)
		slot = &all.slots[all.first];
	return slot;
}

uint32_t seep_event_slots_ended(bool *whole)
{
	*whole = mine.ended_whole;
	return mine.ended;
}

/* The blocks of threads that still point to events which have ended are born now. */
static void move_lingering(uint32_t event)
{
	uint32_t i;

	for (i = 1; all.n_lingering && i <= all.used; i++)
		if (all.slots[i].state == ENDED)
			set(&all.slots[i].now.birth, event);
}

int seep_event_slots_begin(uint32_t event, bool whole)
{
	uint32_t index = take_slot();
	struct seep_event_slot *slot = &all.slots[index];

	detach();
	move_lingering(event);
	if (index) {
		slot->event = event;
		slot->whole = whole;
		set_now(&slot->now, event, 0);
		list(index);
		attach(index);
	}
	update_common();
	return index ? handle_of(index) : 0;
}

void seep_event_slots_end(struct seep_event_slot *slot)
{
	uint32_t index = (uint32_t)(slot - all.slots), event = slot->event;
	bool whole = slot->whole, own = mine.slot == index;

	set(&slot->now.phase, SEEP_PHASE_BETWEEN);
	unlist(index, ENDED);
	all.n_lingering += slot->users > 0;
	if (!slot->users)
		put_away(index);
	update_common();
	if (!own)
		return;
	detach();
	mine.ended = event;
	mine.ended_whole = whole;
	point_to(&all.after);
}

void seep_event_slots_stamp(struct seep_event_slot *slot, uint32_t phase)
{
	if (slot)
		set(&slot->now.phase, phase);
	else if (!all.n_open)
		set(&all.after.phase, phase);
	if (slot ? all.n_open == 1 : !all.n_open)
		set(&seep_event_common.phase, phase);
}

bool seep_event_slots_is_here(int handle)
{
	return handle > 0 && mine.slot &&
	       (uint32_t)handle % SEEP_EVENT_SLOTS == mine.slot && handle == handle_of(mine.slot);
}

static uint32_t find_index(int handle)
{
	uint32_t index = handle > 0 ? (uint32_t)handle % SEEP_EVENT_SLOTS : 0;

	if (!index || index > all.used || handle_of(index) != handle ||
	    (all.slots[index].state != OPEN && all.slots[index].state != ABANDONED))
		return 0;
	return index;
}

int seep_event_slots_switch(int handle)
{
	uint32_t index = find_index(handle);
	int before = seep_event_slots_own() ? handle_of(mine.slot) : 0;

	if (index && all.slots[index].state == ABANDONED)
		list(index);
	if (index)
		attach(index);
	else
		detach();
	if (handle && !index) {
		mine.ended = seep_event_clock_event();
		mine.ended_whole = true;
		point_to(&all.after);
	}
	if (index || before)
		update_common();
	return before;
}

void seep_event_slots_retire(void)
{
	uint32_t index = mine.slot;

	if (seep_event_slots_own() && all.slots[index].users == 1) {
		unlist(index, ABANDONED);
		update_common();
	}
	detach();
}

void seep_event_slots_forked(void)
{
	struct seep_event_slot *slot;
	uint32_t i;

	all.first = all.unused = 0;
	all.n_lingering = 0;
	set(&all.n_open, 0);
	for (i = all.used; i; i--) {
		slot = &all.slots[i];
		slot->users = i == mine.slot;
		if (i != mine.slot)
			put_away(i);
		else if (slot->state == OPEN)
			list(i);
		else
			all.n_lingering++;
	}
	if (all.used)
		update_common();
}
