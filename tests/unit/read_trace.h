/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of trace/reader. */
#ifndef SEEP_TESTS_READ_TRACE_H
#define SEEP_TESTS_READ_TRACE_H

#include "trace/reader.h"
#include "trace_make.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static inline size_t count_records(struct seep_reader *reader)
{
	struct seep_reader_record record;
	size_t n = 0;

	while (seep_reader_next(reader, &record)) {
		assert_int_equal((uintptr_t)record.payload % 8, 0);
		assert_true(record.offset + 16 + record.bytes <= reader->bytes);
		n++;
	}
	assert_int_equal(reader->at, reader->bytes);
	return n;
}

static inline struct seep_reader open_good(const void *data, size_t bytes)
{
	struct seep_err err = { 0 };
	struct seep_reader reader;

	assert_int_equal(seep_reader_open_bytes(&reader, "test", data, bytes, &err), 0);
	return reader;
}

#endif
