/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of import: the text of a small file, and the run that it becomes. */
#ifndef SEEP_TESTS_IMPORT_FILE_H
#define SEEP_TESTS_IMPORT_FILE_H

#include "import/import.h"
#include "model/load/load.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KIB 1024

static struct seep_arena arena;
static struct seep_run run;
static struct seep_err err;

static inline int import_file_begin(void **state)
{
	(void)state;
	seep_arena_init(&arena);
	memset(&err, 0, sizeof(err));
	return 0;
}

static inline int import_file_end(void **state)
{
	(void)state;
	seep_arena_release(&arena);
	return 0;
}

/* Fills run, or err. */
static inline int try_bytes(const void *data, size_t bytes)
{
	struct seep_reader reader;
	int rc = seep_import_open_bytes(&reader, NULL, data, bytes, &err);

	if (rc)
		return rc;
	seep_load_records(&run, &reader, &arena);
	seep_reader_close(&reader);
	return 0;
}

static inline int try_text(const char *text)
{
	return try_bytes(text, strlen(text));
}

static inline void read_text(const char *text)
{
	if (try_text(text))
		fail_msg("%s", err.text);
	assert_int_equal(run.damaged, 0);
}

/* The file must be refused, with these words in the message. */
static inline void refuse_text(const char *text, const char *words)
{
	assert_int_not_equal(try_text(text), 0);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

static inline bool has_note(const char *words)
{
	for (size_t i = 0; i < run.n_notes; i++)
		if (strstr(run.notes[i], words))
			return true;
	return false;
}

/* The names of the stamps of an event (-1: before the first), with blanks between them. */
static inline const char *names_in(int64_t event)
{
	char *text = seep_arena_copy(&arena, "", 0);

	for (size_t i = 0; i < run.n_stamps; i++)
		if (run.stamps[i].event == event && run.stamps[i].name)
			text = seep_arena_printf(&arena, "%s%s%s", text, *text ? " " : "",
						 run.names[run.stamps[i].name]);
	return text;
}

static inline const struct seep_stamp *begin_of(size_t event)
{
	assert_true(event < run.n_events);
	return &run.stamps[run.events[event].first_stamp];
}

static inline const struct seep_counter *counter(const char *name)
{
	for (size_t i = 0; i < run.n_counters; i++)
		if (!strcmp(run.counters[i].name, name))
			return &run.counters[i];
	return NULL;
}

#define IMPORT_TEST(name) \
	cmocka_unit_test_setup_teardown(name, import_file_begin, import_file_end)

#endif
