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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		LOAD_TEST(the_source_is_that_of_the_header),
		LOAD_TEST(a_damaged_source_is_the_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
