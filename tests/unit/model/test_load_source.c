/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What begins the events of a run, as its header says. */
#include "load_trace.h"

static struct seep_trace_header *begin(uint32_t source)
{
	struct seep_rec_stamp stamp = { .t_ns = 5, .event = 1 };
	struct seep_trace_header *header;

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	TRACE_MAKE_ADD(&trace, SEEP_REC_STAMP, SEEP_STAMP_BEGIN, stamp);
	header = trace_make_header(&trace);
	header->source = source;
	return header;
}

static void the_source_is_that_of_the_header(void **state)
{
	static const char text[] = "call:accept";
	struct seep_trace_header *header = begin(SEEP_SOURCE_CALL);

	(void)state;
	memcpy(header->source_text, text, sizeof(text));
	load();
	assert_int_equal(run.event_source, SEEP_EVENTS_CALL);
	assert_string_equal(run.event_text, "call:accept");
	assert_true(seep_run_has_marks(&run));
}

/* The header is shared with the program, which can write anything there. */
static void a_damaged_source_is_the_default(void **state)
{
	struct seep_trace_header *header = begin(4000000000u);

	(void)state;
	memset(header->source_text, 'x', sizeof(header->source_text));
	load();
	assert_int_equal(run.event_source, SEEP_EVENTS_API);
	assert_int_equal(strlen(run.event_text), SEEP_TRACE_SOURCE_MAX);
}

static void set_call(struct seep_trace_header *header, enum seep_call call, uint64_t calls,
		     uint64_t returns)
{
	header->calls[call] = (struct seep_trace_call){
		.calls = calls, .returns = returns, .slices = returns > 0, .first = 3, .last = 3,
	};
}

static void calls_are_those_of_the_header_the_most_frequent_first(void **state)
{
	struct seep_trace_header *header = begin(SEEP_SOURCE_API);

	(void)state;
	header->tick_ns = 1;
	set_call(header, SEEP_CALL_READ, 812, 800);
	set_call(header, SEEP_CALL_EPOLL_WAIT, 1000, 400);
	set_call(header, SEEP_CALL_POLL, 5, 6); /* cannot be */
	load();
	assert_int_equal(run.n_calls, 2);
	assert_string_equal(run.calls[0].name, "epoll_wait");
	assert_int_equal(run.calls[0].returns, 400);
	assert_int_equal(run.calls[1].call, SEEP_CALL_READ);
	assert_int_equal(run.calls[1].first, 3);
	assert_true(run.call_slices > 0);
	assert_int_equal(run.n_notes, 0);
}

/* No event but slices of time. */
static const char *note_without(const char *text)
{
	struct seep_trace_header *header;

	trace_make_end(&trace);
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	header = trace_make_header(&trace);
	header->source = SEEP_SOURCE_CALL;
	memcpy(header->source_text, text, strlen(text) + 1);
	set_call(header, SEEP_CALL_READ, 812, 800);
	set_call(header, SEEP_CALL_POLL, 1, 0);
	load();
	assert_int_equal(run.n_notes, 1);
	return run.notes[0];
}

static void a_call_that_began_no_event_is_told(void **state)
{
	(void)state;
	assert_string_equal(note_without("call:accept"), "no call of accept was seen in this "
			    "program, so events are slices of time; it called read 812 times and "
			    "poll once");
	assert_string_equal(note_without("call:poll"), "poll was called once and never returned "
			    "with success, so events are slices of time; it called read 812 times "
			    "and poll once");
	assert_string_equal(note_without("call:read:fd=4"), "read returned 800 times with success, "
			    "but never for descriptor 4, so events are slices of time");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		LOAD_TEST(the_source_is_that_of_the_header),
		LOAD_TEST(a_damaged_source_is_the_default),
		LOAD_TEST(calls_are_those_of_the_header_the_most_frequent_first),
		LOAD_TEST(a_call_that_began_no_event_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
