/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which event and which phase the blocks of a thread belong to. */
#include "record/event_slots.h"
#include "trace/format.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { READ = 1, WRITE };

struct seep_event_clock seep_event_clock;

static int begin(void)
{
	struct seep_event_slot *own = seep_event_slots_own();

	seep_event_clock.own_events = 1;
	if (own)
		seep_event_slots_end(own);
	seep_event_clock_set(seep_event_clock.event + 1);
	return seep_event_slots_begin(seep_event_clock.event, true);
}

static void end(void)
{
	struct seep_event_slot *slot = seep_event_slots_find();

	if (slot)
		seep_event_slots_end(slot);
}

static void stamp(uint32_t phase)
{
	seep_event_slots_stamp(seep_event_slots_find(), phase);
}

static void assert_here(uint32_t event, uint32_t phase)
{
	assert_int_equal(seep_event_clock_birth(), event);
	assert_int_equal(seep_event_clock_phase(), phase);
}

/* Runs on another thread, and comes back when that one has ended. */
static void on_another(void *(*what)(void *), void *argument)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, what, argument), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* As if nothing had ever happened; the thread keeps its own words. */
static int forget(void **state)
{
	(void)state;
	seep_event_slots_switch(0);
	seep_event_slots_forked();
	seep_event_slots_begin(0, true);
	end();
	seep_event_slots_switch(-1);
	seep_event_clock = (struct seep_event_clock){ 0 };
	return 0;
}

static void one_thread_is_as_ever(void **state)
{
	(void)state;
	begin();
	assert_here(1, 0);
	stamp(READ);
	assert_here(1, READ);
	end();
	assert_here(1, SEEP_PHASE_BETWEEN);
	end();
	assert_here(1, SEEP_PHASE_BETWEEN);
	stamp(WRITE);
	assert_here(1, WRITE);
	begin();
	assert_here(2, 0);
	begin(); /* implies an end */
	assert_here(3, 0);
	assert_int_equal(seep_event_slots_open(), 1);
	end();
	assert_int_equal(seep_event_slots_open(), 0);
}

static void *see(void *where)
{
	struct seep_event_now *now = where;

	now->birth = seep_event_clock_birth();
	now->phase = seep_event_clock_phase();
	return NULL;
}

static void assert_helper(uint32_t event, uint32_t phase)
{
	struct seep_event_now now;

	on_another(see, &now);
	assert_int_equal(now.birth, event);
	assert_int_equal(now.phase, phase);
}

static void a_helper_uses_the_only_open_event(void **state)
{
	int first, second;

	(void)state;
	first = begin();
	stamp(READ);
	assert_helper(1, READ);
	seep_event_slots_switch(0);
	second = begin();
	stamp(WRITE);
	assert_helper(2, SEEP_PHASE_NONE);
	seep_event_slots_switch(first);
	assert_here(1, READ);
	end();
	assert_helper(2, WRITE);
	seep_event_slots_switch(second);
	assert_here(2, WRITE);
	end();
	assert_helper(2, SEEP_PHASE_BETWEEN);
}

static void *take_and_end(void *handle)
{
	assert_int_equal(seep_event_slots_switch(*(int *)handle), 0);
	assert_here(1, READ);
	stamp(WRITE);
	assert_here(1, WRITE);
	end();
	assert_here(1, SEEP_PHASE_BETWEEN);
	return NULL;
}

static void an_event_moves_to_another_thread(void **state)
{
	int handle, next;

	(void)state;
	handle = begin();
	stamp(READ);
	on_another(take_and_end, &handle);
	assert_null(seep_event_slots_own());
	assert_here(1, SEEP_PHASE_BETWEEN);
	next = begin();
	assert_int_not_equal(next, handle);
	assert_int_equal(seep_event_slots_switch(handle), next); /* has ended */
	end(); /* not that of the other slot */
	assert_int_equal(seep_event_slots_open(), 1);
	seep_event_slots_switch(next);
	end();
	assert_int_equal(seep_event_slots_open(), 0);
}

/* A thread that stays in an event which another one has ended is born in later ones. */
static void *end_and_begin(void *handle)
{
	seep_event_slots_switch(*(int *)handle);
	end();
	begin();
	begin();
	seep_event_slots_retire();
	return NULL;
}

static void an_event_that_was_ended_elsewhere_does_not_linger(void **state)
{
	int handle;

	(void)state;
	handle = begin();
	on_another(end_and_begin, &handle);
	assert_here(3, SEEP_PHASE_BETWEEN);
	assert_int_equal(seep_event_slots_open(), 0);
}

static void *begin_and_go(void *handle)
{
	*(int *)handle = begin();
	seep_event_slots_retire();
	return NULL;
}

static void the_event_of_a_thread_that_ends_can_be_taken_over(void **state)
{
	int handle;

	(void)state;
	on_another(begin_and_go, &handle);
	assert_int_equal(seep_event_slots_open(), 0);
	seep_event_slots_switch(handle);
	assert_here(1, 0);
	assert_int_equal(seep_event_slots_open(), 1);
	end();
	assert_int_equal(seep_event_slots_open(), 0);
}

static void slots_run_out_and_come_back(void **state)
{
	static int handles[SEEP_EVENT_SLOTS];
	size_t i;

	(void)state;
	for (i = 0; i < SEEP_EVENT_SLOTS; i++) {
		seep_event_slots_switch(0);
		handles[i] = begin();
	}
	assert_int_equal(handles[SEEP_EVENT_SLOTS - 1], 0);
	assert_here(SEEP_EVENT_SLOTS, SEEP_PHASE_NONE);
	assert_int_equal(seep_event_slots_open(), SEEP_EVENT_SLOTS - 1);
	for (i = 0; i < SEEP_EVENT_SLOTS - 1; i++) {
		seep_event_slots_switch(handles[i]);
		assert_here((uint32_t)i + 1, 0);
		end();
	}
	assert_int_equal(seep_event_slots_open(), 0);
	assert_int_not_equal(begin(), 0);
	end();
}

static void a_forked_child_has_only_its_own_event(void **state)
{
	int left;

	(void)state;
	left = begin();
	seep_event_slots_switch(0);
	begin();
	stamp(READ);
	seep_event_slots_forked();
	assert_int_equal(seep_event_slots_open(), 1);
	assert_here(2, READ);
	assert_helper(2, READ);
	seep_event_slots_switch(left);
	assert_null(seep_event_slots_own());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_thread_is_as_ever, forget),
		cmocka_unit_test_setup(a_helper_uses_the_only_open_event, forget),
		cmocka_unit_test_setup(an_event_moves_to_another_thread, forget),
		cmocka_unit_test_setup(an_event_that_was_ended_elsewhere_does_not_linger, forget),
		cmocka_unit_test_setup(the_event_of_a_thread_that_ends_can_be_taken_over, forget),
		cmocka_unit_test_setup(slots_run_out_and_come_back, forget),
		cmocka_unit_test_setup(a_forked_child_has_only_its_own_event, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
