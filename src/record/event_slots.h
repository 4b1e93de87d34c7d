/* SPDX-License-Identifier: MIT */
/*
 * The events that are open at this moment, and which thread works for which of them.
 *
 * A thread that begins an event has it until the event ends, or until the thread moves to another
 * one (seep_event_switch).  Several threads may have the same event.
 *
 *	has an event       its blocks, stamps and counts belong to that one
 *	has ended its own  its blocks are born in the latest event, between events
 *	else               the only open event of the process, if exactly one is open; or none
 *
 * All functions are called with the recording held, unless they say otherwise.
 */
#ifndef SEEP_RECORD_EVENT_SLOTS_H
#define SEEP_RECORD_EVENT_SLOTS_H

#include "record/event_clock.h"

#define SEEP_EVENT_SLOTS 4096u   /* events that may be open at once; others belong to no thread */

struct seep_event_slot {
	_Alignas(64) struct seep_event_now now; /* threads point to this */
	uint32_t event;          /* its number */
	uint32_t turn;           /* how often the slot was used before */
	uint32_t users;          /* threads that point to it */
	uint32_t before, next;   /* in the list of open slots; next: also of unused ones */
	uint32_t state;
	bool whole;              /* the event is written whole (thin.h) */
};

/* How many events are open.  The recording need not be held. */
uint32_t seep_event_slots_open(void);

/* How many events are over, if the next call begins one.  The recording need not be held. */
uint32_t seep_event_slots_over_at_begin(void);

/* The open event that this thread has, or NULL. */
struct seep_event_slot *seep_event_slots_own(void);

/* The same, or the only open event for a thread that neither has nor had one. */
struct seep_event_slot *seep_event_slots_find(void);

/* The event that this thread has ended last, if it has no other; 0: there is none. */
uint32_t seep_event_slots_ended(bool *whole);

/* This thread begins an event and has no other.  Returns its handle, or 0 if all slots are used. */
int seep_event_slots_begin(uint32_t event, bool whole);

void seep_event_slots_end(struct seep_event_slot *slot);

/* A stamp in this event; NULL: in none.  Then it only matters if no event is open. */
void seep_event_slots_stamp(struct seep_event_slot *slot, uint32_t phase);

/*
 * This thread now has the event with this handle; 0: none.  If that event has ended, so has the
 * thread's own.  Returns the handle of the event that it had, or 0.
 */
int seep_event_slots_switch(int handle);

/* Whether that is the event that this thread has already.  The recording need not be held. */
bool seep_event_slots_is_here(int handle);

/*
 * This thread ends.  If no other has its event, that one is open no longer, but a thread may
 * still take it over.
 */
void seep_event_slots_retire(void);

/* Whether this thread has an event.  The recording need not be held. */
bool seep_event_slots_is_user(void);

/* This is a child of fork: the other threads and their events are gone. */
void seep_event_slots_forked(void);

#endif
