/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of NumPy: every legal head, no illegal one, and files that do not keep to it. */
#include "import_file.h"

#include <limits.h>

#define T0 1706856261841716

static unsigned char file[1 << 16];
static size_t n_file;

/* A file of that version with that text as its head. */
static void begin_npy(unsigned version, const char *text)
{
	size_t n = strlen(text);

	n_file = 0;
	memcpy(file, "\x93NUMPY", 6);
	file[6] = (unsigned char)version;
	file[7] = 0;
	file[8] = (unsigned char)(n & 0xff);
	file[9] = (unsigned char)(n >> 8);
	n_file = 10;
	if (version > 1) {
		file[10] = file[11] = 0;
		n_file = 12;
	}
	memcpy(file + n_file, text, n);
	n_file += n;
}

static void add_number(int64_t n)
{
	memcpy(file + n_file, &n, sizeof(n));
	n_file += sizeof(n);
}

static void add_row(int64_t t, int64_t vm, int64_t rss)
{
	add_number(t);
	add_number(vm);
	add_number(rss);
}

static void add_floats(float t, float vm, float rss, float last)
{
	float row[] = { t, vm, rss, last };

	memcpy(file + n_file, row, sizeof(row));
	n_file += sizeof(row);
}

static void read_npy(void)
{
	if (try_bytes(file, n_file))
		fail_msg("%s", err.text);
}

static void refuse_npy(const char *words)
{
	memset(&err, 0, sizeof(err));
	assert_int_not_equal(try_bytes(file, n_file), 0);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

static void reads_any_legal_head(void **state)
{
	static const char *const heads[] = {
		"{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }",
		"{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }        \n",
		"{\"shape\":(2,3,),\"descr\":\"<i8\",\"fortran_order\":False}\n",
	};

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		begin_npy((unsigned)(i % 3) + 1, heads[i / 3]);
		add_row(T0, 9, 5);
		add_row(T0 + 1, 9, 6);
		read_npy();
		assert_int_equal(run.n_events, 2);
		assert_int_equal(begin_of(1)->rss_bytes, 6 * KIB);
		assert_true(has_note("no names"));
	}
}

static void reads_the_other_byte_order(void **state)
{
	(void)state;
	begin_npy(1, "{'descr': '>i8', 'fortran_order': False, 'shape': (1, 3), }\n");
	add_row((int64_t)__builtin_bswap64(T0), (int64_t)__builtin_bswap64(9),
		(int64_t)__builtin_bswap64(5));
	read_npy();
	assert_int_equal(begin_of(0)->rss_bytes, 5 * KIB);
}

static void refuses_other_heads(void **state)
{
	static const struct {
		const char *head, *words;
	} bad[] = {
		{ "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 3), }", "Fortran" },
		{ "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), ", "not understand" },
		{ "{'descr': '<i8', 'shape': (2, 3), }", "not understand" },
		{ "{'descr': '<i8', 'fortran_order': False, 'shape': (-2, 3), }", "not under" },
		{ "{'descr': '<i8', 'fortran_order': False, 'shape': (2 3), }", "not understand" },
		{ "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), } x", "not under" },
		{ "{'descr': [('t', '<i8')], 'fortran_order': False, 'shape': (2,), }",
		  "named fields" },
		{ "{'descr': '|S64', 'fortran_order': False, 'shape': (2, 3), }", "'|S64'" },
		{ "{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904, 9), }",
		  "impossible size" },
		{ "{'descr': '<i8', 'fortran_order': False, "
		  "'shape': (99999999999999999999999999999, 3), }", "not understand" },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "float32 (1)" },
		{ "{'descr': '<i8', 'fortran_order': False, 'shape': (), }", "int64 ()" },
		{ "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 0), }", "int64 (3, 0)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		begin_npy(1, bad[i].head);
		add_row(T0, 9, 5);
		refuse_npy(bad[i].words);
	}
	begin_npy(4, bad[0].head);
	refuse_npy("version 4");
	begin_npy(1, bad[0].head);
	n_file = 30;
	refuse_npy("truncated");
	memset(file + 8, 0xff, 4);
	file[6] = 2;
	refuse_npy("truncated, or has 4294967295 bytes");
}

static void refuses_other_counts(void **state)
{
	(void)state;
	begin_npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 3), }\n");
	add_row(T0, 9, 5);
	add_row(T0 + 1, 9, 5);
	refuse_npy("the file ends in row 3 of 3");
	add_row(T0 + 2, 9, 5);
	read_npy();
	file[n_file++] = 0;
	refuse_npy("more bytes than the 3 rows");
	begin_npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (300000000000000, 3), }\n");
	add_row(T0, 9, 5);
	refuse_npy("the file ends in row 2 of 300000000000000");
}

static void refuses_impossible_rows(void **state)
{
	static const int64_t bad[] = { -1, INT64_MAX, INT64_MIN };

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		int64_t row[] = { T0, 9, 5 };

		row[i / 3] = bad[i % 3];
		begin_npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 3), }\n");
		add_row(row[0], row[1], row[2]);
		refuse_npy("row 1 of 1: an impossible time or size");
	}
	begin_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }\n");
	add_floats(1, (float)__builtin_nan(""), 0, 0);
	refuse_npy("row 1 of 1");
	begin_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }\n");
	add_floats(1, 1e38f, 0, 0);
	refuse_npy("row 1 of 1");
	begin_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }\n");
	add_floats(1, 1, 1, 7);
	refuse_npy("differences");
}

static void reads_events_by_stamps(void **state)
{
	(void)state;
	begin_npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 2, 3), }\n");
	for (int64_t i = 0; i < 5; i++)
		add_row(T0 + i, 9, i);
	add_row(0, 0, 0);
	read_npy();
	assert_int_equal(run.n_events, 3);
	assert_string_equal(names_in(1), "stamp 0 stamp 1");
	assert_string_equal(names_in(2), "stamp 0");
	assert_int_equal(begin_of(2)->rss_bytes, 4 * KIB);
	assert_true(has_note("1 stamps have no time"));
}

/* Over midnight, and with the MB that were meant. */
static void reads_the_older_plot(void **state)
{
	(void)state;
	begin_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n");
	add_floats(86399, 2, 1, 0);
	add_floats(86399.5f, 2, 2, 0);
	add_floats(1, 2, 3, 0);
	read_npy();
	assert_int_equal(run.n_events, 3);
	assert_int_equal(begin_of(2)->t_ns, 2000000000);
	assert_int_equal(begin_of(2)->rss_bytes, 3 * 1024000);
	assert_false(has_note("VmSize"));
}

/* Paths in a folder of this test's own. */
static char folder[PATH_MAX / 2];

static void write_file(const char *name, const void *data, size_t bytes)
{
	char path[PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, bytes, out), bytes);
	fclose(out);
}

static int try_folder_file(const char *name)
{
	char path[PATH_MAX];
	const char *paths[] = { path };
	struct seep_reader reader;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	memset(&err, 0, sizeof(err));
	rc = seep_import_open(&reader, paths, 1, NULL, &err);
	if (rc)
		return rc;
	seep_load_records(&run, &reader, &arena);
	seep_reader_close(&reader);
	return 0;
}

static void reads_names_beside(void **state)
{
	static const char names[] = "A000_H\nA000_T # numHit=7\nA001_H\n";

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/seep-npy-XXXXXX");
	assert_non_null(mkdtemp(folder));
	begin_npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 3), }\n");
	for (int64_t i = 0; i < 3; i++)
		add_row(T0 + i, 9, i);
	write_file("a.npy", file, n_file);
	write_file("a_names.txt", names, sizeof(names) - 1);
	write_file("a_labels.txt", "st[us]\nvm[kb]\nrs[kb]\n", 21);
	assert_int_equal(try_folder_file("a.npy"), 0);
	assert_int_equal(run.n_events, 2);
	assert_string_equal(names_in(0), "H T");
	assert_true(counter("numHit")->values[0] == 7);

	write_file("a_names.txt", names, 7);
	assert_int_equal(try_folder_file("a.npy"), -EBADMSG);
	assert_non_null(strstr(err.text, "fewer names than the array has rows (3)"));
	write_file("a_names.txt", "a\nb\nc\nd\n", 8);
	assert_int_equal(try_folder_file("a.npy"), -EBADMSG);
	assert_non_null(strstr(err.text, "more names"));
	write_file("a_labels.txt", "ta\ntb\n", 6);
	assert_int_equal(try_folder_file("a.npy"), -ENOTSUP);
	assert_non_null(strstr(err.text, "a_labels.txt:1: the column is 'ta'"));

	begin_npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2, 3), }\n");
	for (int64_t i = 0; i < 4; i++)
		add_row(T0 + i, 9, i);
	write_file("b.npy", file, n_file);
	write_file("b_names.txt", "HEAD\nTAIL\n", 10);
	assert_int_equal(try_folder_file("b.npy"), 0);
	assert_string_equal(names_in(1), "HEAD TAIL");
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "a.npy", "a_names.txt", "a_labels.txt", "b.npy",
					     "b_names.txt" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
	return import_file_end(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IMPORT_TEST(reads_any_legal_head),
		IMPORT_TEST(reads_the_other_byte_order),
		IMPORT_TEST(refuses_other_heads),
		IMPORT_TEST(refuses_other_counts),
		IMPORT_TEST(refuses_impossible_rows),
		IMPORT_TEST(reads_events_by_stamps),
		IMPORT_TEST(reads_the_older_plot),
		cmocka_unit_test_setup_teardown(reads_names_beside, import_file_begin,
						remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
