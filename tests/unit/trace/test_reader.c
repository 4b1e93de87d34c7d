/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes to records: what is read and what is refused. */
#include "read_trace.h"
#include "trace/unpack.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_refused(const void *data, size_t bytes, int code, const char *text)
{
	struct seep_err err = { 0 };
	struct seep_reader reader;

	assert_int_equal(seep_reader_open_bytes(&reader, "FILE", data, bytes, &err), -code);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
	seep_reader_close(&reader);
}

static void reads_all_records(void **state)
{
	struct trace_make trace;
	struct seep_reader reader;

	(void)state;
	trace_make_sample(&trace);
	reader = open_good(trace.data, trace.bytes);
	assert_int_equal(reader.header.pid, 4131);
	assert_int_equal(count_records(&reader), trace.seq);
	assert_false(reader.cut);
	assert_int_equal(reader.damaged, 0);
	assert_int_equal(reader.unknown, 0);
	seep_reader_close(&reader);
	trace_make_end(&trace);
}

static void reads_unaligned_bytes(void **state)
{
	struct trace_make trace;
	struct seep_reader reader;
	unsigned char *moved;

	(void)state;
	trace_make_sample(&trace);
	moved = malloc(trace.bytes + 1);
	memcpy(moved + 1, trace.data, trace.bytes);
	reader = open_good(moved + 1, trace.bytes);
	assert_int_equal(count_records(&reader), trace.seq);
	seep_reader_close(&reader);
	free(moved);
	trace_make_end(&trace);
}

/* A file that the recorder has made larger in advance: zeros behind the last record. */
static void takes_zeros_as_the_end(void **state)
{
	struct trace_make trace;
	struct seep_reader reader;

	(void)state;
	trace_make_sample(&trace);
	trace_make_grow(&trace, 100003);
	reader = open_good(trace.data, trace.bytes);
	assert_int_equal(count_records(&reader), trace.seq);
	assert_false(reader.cut);
	assert_int_equal(reader.damaged, 0);
	seep_reader_close(&reader);
	trace_make_end(&trace);
}

static void skips_kinds_it_does_not_know(void **state)
{
	struct trace_make trace;
	struct seep_reader reader;
	uint64_t payload[3] = { 1, 2, 3 };

	(void)state;
	trace_make_sample(&trace);
	trace_make_add(&trace, 150, 0, payload, sizeof(payload), NULL, 0);
	trace_make_add(&trace, 0, 0, payload, sizeof(payload), NULL, 0);
	trace_make_add(&trace, 65535, 0, NULL, 0, NULL, 0);
	trace_make_note(&trace, 0, "behind them");
	reader = open_good(trace.data, trace.bytes);
	assert_int_equal(count_records(&reader), trace.seq - 3);
	assert_int_equal(reader.unknown, 3);
	assert_int_equal(reader.damaged, 0);
	seep_reader_close(&reader);
	trace_make_end(&trace);
}

static void says_what_a_file_looks_like(void **state)
{
	static const unsigned char zeros[64];
	unsigned char noise[64] = { 3, 1, 4, 1, 5, 9, 2, 6 };

	(void)state;
	assert_refused("", 0, EINVAL, "FILE: not a trace: the file is empty");
	assert_refused(NULL, 0, EINVAL, "empty");
	assert_refused("hello\n", 6, EINVAL, "text");
	assert_refused("\177ELF\2\1\1", 7, EINVAL, "ELF");
	assert_refused("\037\213\010\0", 4, EINVAL, "gzip");
	assert_refused("\050\265\057\375aaaa", 8, EINVAL, "zstd");
	assert_refused("SQLite format 3\0", 16, EINVAL, "SQLite");
	assert_refused("\223NUMPY\1\0", 8, EINVAL, "NumPy");
	assert_refused(zeros, sizeof(zeros), EINVAL, "zeros");
	assert_refused(noise, sizeof(noise), EINVAL, "binary data");
	assert_refused("SEEP", 4, EBADMSG, "ends inside its header (4 of 4096 bytes)");
}

static void refuses_a_wrong_header(void **state)
{
	struct trace_make trace;
	struct seep_trace_header good, *header;

	(void)state;
	trace_make_sample(&trace);
	header = trace_make_header(&trace);
	good = *header;
	header->pid++;
	assert_refused(trace.data, trace.bytes, EBADMSG, "checksum");
	*header = good;
	header->version = 2;
	trace_make_seal(&trace);
	assert_refused(trace.data, trace.bytes, ENOTSUP, "version 2");
	*header = good;
	header->byte_order = 0x04030201;
	assert_refused(trace.data, trace.bytes, ENOTSUP, "byte order");
	header->byte_order = 0x01020305;
	assert_refused(trace.data, trace.bytes, EBADMSG, "byte order 0x01020305");
	*header = good;
	header->header_bytes = 97;
	trace_make_seal(&trace);
	assert_refused(trace.data, trace.bytes, EBADMSG, "97 bytes");
	header->header_bytes = 32768;
	trace_make_seal(&trace);
	assert_refused(trace.data, trace.bytes, EBADMSG, "of 32768 bytes");
	trace_make_end(&trace);
}

/* A header that a later version has made longer is skipped as long as it is. */
static void accepts_a_longer_header(void **state)
{
	struct trace_make trace;
	struct seep_reader reader;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_grow(&trace, 4096);
	trace_make_header(&trace)->header_bytes = 8192;
	trace_make_seal(&trace);
	trace_make_note(&trace, 0, "here");
	reader = open_good(trace.data, trace.bytes);
	assert_int_equal(count_records(&reader), 1);
	seep_reader_close(&reader);
	trace_make_end(&trace);
}

static void write_file(const char *path, const void *data, size_t bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

static void opens_files(void **state)
{
	char folder[] = "/tmp/seep-reader-XXXXXX", path[64], other[64];
	struct seep_reader reader;
	struct trace_make trace;
	struct seep_err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/trace", folder);
	snprintf(other, sizeof(other), "%s/link", folder);
	trace_make_sample(&trace);
	write_file(path, trace.data, trace.bytes);
	assert_int_equal(symlink("trace", other), 0);
	assert_int_equal(seep_reader_open(&reader, other, &err), 0);
	assert_int_equal(truncate(path, 0), 0); /* what was read stays */
	assert_int_equal(count_records(&reader), trace.seq);
	seep_reader_close(&reader);
	assert_int_equal(seep_reader_open(&reader, path, &err), -EINVAL);
	unlink(other);
	unlink(path);
	rmdir(folder);
	trace_make_end(&trace);
}

static void assert_path_refused(const char *path, int code, const char *text)
{
	struct seep_reader reader;
	struct seep_err err = { 0 };

	assert_int_equal(seep_reader_open(&reader, path, &err), -code);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
}

static void refuses_what_is_no_file(void **state)
{
	char folder[] = "/tmp/seep-reader-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/pipe", folder);
	assert_path_refused(path, ENOENT, "No such file");
	assert_path_refused(folder, EINVAL, "it is a directory");
	assert_path_refused("/dev/zero", EINVAL, "it is a device");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_path_refused(path, EINVAL, "it is a pipe");
	unlink(path);
	write_file(path, "", 0);
	assert_int_equal(truncate(path, (off_t)17 << 30), 0);
	assert_path_refused(path, EINVAL, "it looks like zeros");
	write_file(path, SEEP_TRACE_MAGIC, strlen(SEEP_TRACE_MAGIC));
	assert_int_equal(truncate(path, (off_t)17 << 30), 0);
	assert_path_refused(path, EFBIG, "too large");
	unlink(path);
	rmdir(folder);
}

static void unpacks_numbers(void **state)
{
	static const uint64_t numbers[] = { 0, 1, 127, 128, 16383, 16384, UINT64_MAX, 5 };
	static const unsigned char too_large[] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };
	static const unsigned char too_long[] = { 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
						  0 };
	struct trace_make_pack pack = { .n = 0 };
	struct seep_unpack unpack;
	size_t i;

	(void)state;
	for (i = 0; i < 8; i++)
		trace_make_put(&pack, numbers[i]);
	unpack = seep_unpack_begin(pack.bytes, pack.n);
	for (i = 0; i < 8; i++)
		assert_true(seep_unpack_next(&unpack) == numbers[i]);
	assert_false(unpack.bad);
	assert_int_equal(seep_unpack_next(&unpack), 0);
	assert_true(unpack.bad);
	unpack = seep_unpack_begin(too_large, sizeof(too_large));
	assert_int_equal(seep_unpack_next(&unpack), 0);
	assert_true(unpack.bad);
	unpack = seep_unpack_begin(too_long, sizeof(too_long));
	seep_unpack_next(&unpack);
	assert_true(unpack.bad);
	unpack = seep_unpack_begin("\x80", 1);
	seep_unpack_next(&unpack);
	assert_true(unpack.bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_records),
		cmocka_unit_test(reads_unaligned_bytes),
		cmocka_unit_test(takes_zeros_as_the_end),
		cmocka_unit_test(skips_kinds_it_does_not_know),
		cmocka_unit_test(says_what_a_file_looks_like),
		cmocka_unit_test(refuses_a_wrong_header),
		cmocka_unit_test(accepts_a_longer_header),
		cmocka_unit_test(opens_files),
		cmocka_unit_test(refuses_what_is_no_file),
		cmocka_unit_test(unpacks_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
