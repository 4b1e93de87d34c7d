/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions and lines of Python in stacks, from whole and damaged traces, and whose they are. */
#include "load_trace.h"

#include "model/symbols/symbols.h"
#include "model/symbols/symbols_python.h"

#define LINE(n) (SEEP_PC_NAMED + (n))

static void make_function(uint32_t id, const char *name, const char *file)
{
	struct seep_rec_function record = {
		.id = id,
		.first_line = 7,
		.name_bytes = (uint32_t)strlen(name),
		.file_bytes = (uint32_t)strlen(file),
	};
	char text[256];

	snprintf(text, sizeof(text), "%s%s", name, file);
	trace_make_add(&trace, SEEP_REC_FUNCTION, 0, &record, sizeof(record), text,
			  strlen(text));
}

static void make_lines(uint32_t first, uint32_t count, const struct seep_rec_line *lines,
		       uint32_t given)
{
	struct seep_rec_lines record = { .first = first, .count = count };

	trace_make_add(&trace, SEEP_REC_LINES, 0, &record, sizeof(record), lines,
			  given * sizeof(*lines));
}

/* malloc in an unknown object, called by line 2, called by line 1. */
static void make_stack(void)
{
	struct seep_rec_node nodes[] = {
		{ .pc = LINE(1) }, { .pc = LINE(2), .parent = 1 }, { .pc = 0x1000, .parent = 2 },
	};
	struct seep_rec_site site = { .node = 3 };

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_nodes(&trace, 1, 3, nodes);
	trace_make_sites(&trace, 1, 1, &site);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 0);
	trace_make_state(&trace, 1, 1, 0, NULL);
	trace_make_snapshot_end(&trace, 1, 1);
}

static struct seep_stack *resolve(void)
{
	struct seep_symbols *symbols;

	load();
	assert_int_equal(run.n_sites, 1);
	symbols = seep_symbols_open(&run, &arena);
	seep_symbols_resolve(symbols, &run.sites[0].stack);
	seep_symbols_close(symbols);
	return &run.sites[0].stack;
}

static void names_frames_of_python(void **state)
{
	struct seep_rec_line lines[] = { { 2, 11 }, { 1, 41 } };
	struct seep_stack *stack;

	(void)state;
	make_stack();
	make_lines(1, 2, lines, 2); /* before the functions */
	make_function(1, "_ZN4handle", "/srv/orders.py");
	make_function(2, "<module>", "/usr/lib/python3.11/runpy.py");
	stack = resolve();
	assert_int_equal(run.damaged, 0);
	assert_int_equal(run.n_python_lines, 2);
	assert_true(seep_run_is_python(&run, LINE(2)));
	assert_false(seep_run_is_python(&run, LINE(3)));
	assert_false(seep_run_is_python(&run, SEEP_PC_NAMED));
	assert_int_equal(stack->n_frames, 3);
	assert_int_equal(stack->own_frame, 1);
	assert_string_equal(stack->frames[0].language, "c");
	assert_string_equal(stack->frames[1].language, "python");
	assert_string_equal(stack->frames[1].function, "_ZN4handle");
	assert_string_equal(stack->frames[1].file, "/srv/orders.py");
	assert_int_equal(stack->frames[1].line, 41);
	assert_null(stack->frames[1].module);
	assert_int_equal(stack->frames[2].line, 11);
}

/* A line whose function was lost, and one that was lost itself. */
static void survives_what_is_missing(void **state)
{
	struct seep_rec_line lines[] = { { 9, 3000000000u } };
	struct seep_stack *stack;

	(void)state;
	make_stack();
	make_lines(2, 1, lines, 1);
	stack = resolve();
	assert_int_equal(stack->n_frames, 3);
	assert_string_equal(stack->frames[1].function, "(unknown)");
	assert_int_equal(stack->frames[1].line, 0);
	assert_null(stack->frames[1].file);
}

static void leaves_out_numbers_that_cannot_be(void **state)
{
	struct seep_rec_line line = { 1, 1 };

	(void)state;
	make_stack();
	make_function(0xfffffff0, "f", "f.py");
	make_function(0, "f", "f.py");
	make_lines(0xfffffff0, 1, &line, 1);
	make_lines(0, 1, &line, 1);
	make_lines(1, 0xffffffff, &line, 1); /* more than the record holds */
	load();
	assert_int_equal(run.damaged, 3);
	assert_int_equal(run.n_python_lines, 0);
}

static enum seep_symbols_owner owner_of(const char *file)
{
	struct seep_frame frame = { .function = "f", .language = "python", .file = file };

	return seep_symbols_python_owner(&frame);
}

static void tells_whose_code_it_is(void **state)
{
	struct seep_frame native = { .function = "f", .language = "c", .file = "/srv/f.c" };

	(void)state;
	assert_int_equal(seep_symbols_python_owner(&native), SEEP_SYMBOLS_NOT_PYTHON);
	assert_int_equal(owner_of("/srv/orders.py"), SEEP_SYMBOLS_USER);
	assert_int_equal(owner_of("orders.py"), SEEP_SYMBOLS_USER);
	assert_int_equal(owner_of("/home/a/lib/pythonic/orders.py"), SEEP_SYMBOLS_USER);
	assert_int_equal(owner_of("<string>"), SEEP_SYMBOLS_MADE);
	assert_int_equal(owner_of("<frozen importlib._bootstrap>"), SEEP_SYMBOLS_LIBRARY);
	assert_int_equal(owner_of("/usr/lib/python3.11/json/decoder.py"), SEEP_SYMBOLS_LIBRARY);
	assert_int_equal(owner_of("/usr/lib/python3/dist-packages/h5py/a.py"),
			 SEEP_SYMBOLS_LIBRARY);
	assert_int_equal(owner_of("/srv/venv/lib/python3.12/site-packages/flask/app.py"),
			 SEEP_SYMBOLS_LIBRARY);
	assert_int_equal(owner_of("C:\\\\x/site-packages/flask/app.py"), SEEP_SYMBOLS_LIBRARY);
	assert_int_equal(owner_of(NULL), SEEP_SYMBOLS_LIBRARY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOAD_TEST(names_frames_of_python),
		LOAD_TEST(survives_what_is_missing),
		LOAD_TEST(leaves_out_numbers_that_cannot_be),
		cmocka_unit_test(tells_whose_code_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
