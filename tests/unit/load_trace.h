/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of model/load: a trace in the making, and the run that it is loaded into. */
#ifndef SEEP_TESTS_LOAD_TRACE_H
#define SEEP_TESTS_LOAD_TRACE_H

#include "model/load/load.h"
#include "trace_make.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct seep_arena arena;
static struct trace_make trace;
static struct seep_run run;

static inline int load_trace_begin(void **state)
{
	(void)state;
	seep_arena_init(&arena);
	return 0;
}

static inline int load_trace_end(void **state)
{
	(void)state;
	seep_arena_release(&arena);
	trace_make_end(&trace);
	return 0;
}

static inline bool try_load(void)
{
	struct seep_err err = { 0 };
	struct seep_reader reader;

	if (seep_reader_open_bytes(&reader, "a.seep", trace.data, trace.bytes, &err))
		return false;
	seep_load_records(&run, &reader, &arena);
	seep_reader_close(&reader);
	return true;
}

static inline void load(void)
{
	assert_true(try_load());
	/* Nothing may point into the reader's bytes. */
	memset(trace.data, 0xa5, trace.bytes);
}

#define LOAD_TEST(name) \
	cmocka_unit_test_setup_teardown(name, load_trace_begin, load_trace_end)

#endif
