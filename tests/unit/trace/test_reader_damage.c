/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes to records: cuts and damage are told, and never do harm. */
#include "read_trace.h"

#include <time.h>

#define FLIPS 20000

/* The offsets of the records, with the end of the last one behind them. */
static size_t list_records(const struct trace_make *trace, size_t *offsets)
{
	size_t at = SEEP_TRACE_HEADER_BYTES, n = 0;

	while (at < trace->bytes) {
		uint32_t size;

		memcpy(&size, trace->data + at, sizeof(size));
		offsets[n++] = at;
		at += size;
	}
	offsets[n] = at;
	return n;
}

static void survives_a_cut_at_every_byte(void **state)
{
	struct trace_make trace;
	size_t offsets[256], whole = 0, n, bytes;

	(void)state;
	trace_make_sample(&trace);
	n = list_records(&trace, offsets);
	assert_true(n < 255);
	for (bytes = 0; bytes < SEEP_TRACE_HEADER_BYTES; bytes++) {
		struct seep_err err = { 0 };
		struct seep_reader reader;

		assert_true(seep_reader_open_bytes(&reader, "cut", trace.data, bytes, &err) < 0);
	}
	for (; bytes <= trace.bytes; bytes++) {
		/* A copy of the exact size lets the sanitiser see a read past the end. */
		unsigned char *copy = malloc(bytes);
		struct seep_reader reader;

		memcpy(copy, trace.data, bytes);
		reader = open_good(copy, bytes);
		while (offsets[whole + 1] <= bytes && whole < n)
			whole++;
		assert_int_equal(count_records(&reader), whole);
		assert_int_equal(reader.cut, bytes != offsets[whole]);
		assert_int_equal(reader.damaged, 0);
		seep_reader_close(&reader);
		free(copy);
	}
	trace_make_end(&trace);
}

/* The process was killed while it wrote: payload, but no size. */
static void takes_an_unfinished_record_as_a_cut(void **state)
{
	struct trace_make trace;
	struct seep_reader reader;
	size_t at;

	(void)state;
	trace_make_sample(&trace);
	at = trace.bytes;
	trace_make_note(&trace, 0, "the last words");
	memset(trace.data + at, 0, 4);
	trace_make_grow(&trace, 4096);
	reader = open_good(trace.data, trace.bytes);
	assert_int_equal(count_records(&reader), trace.seq - 1);
	assert_true(reader.cut);
	assert_int_equal(reader.damaged, 0);
	seep_reader_close(&reader);
	trace_make_end(&trace);
}

static void goes_on_behind_damage(void **state)
{
	struct trace_make trace;
	size_t offsets[256], n, i;

	(void)state;
	trace_make_sample(&trace);
	n = list_records(&trace, offsets);
	for (i = 0; i + 1 < n; i++) {
		static const uint32_t sizes[] = { 0, 8, 12, 24, 65536, 65544, 0xffffffff };
		size_t k;

		for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			struct seep_reader reader;
			uint32_t good;

			memcpy(&good, trace.data + offsets[i], 4);
			if (good == sizes[k])
				continue;
			memcpy(trace.data + offsets[i], &sizes[k], 4);
			reader = open_good(trace.data, trace.bytes);
			assert_int_equal(count_records(&reader), n - 1);
			assert_int_equal(reader.damaged, 1);
			assert_int_equal(reader.first_damage, offsets[i]);
			assert_false(reader.cut);
			seep_reader_close(&reader);
			memcpy(trace.data + offsets[i], &good, 4);
		}
	}
	trace_make_end(&trace);
}

static void counts_a_wrong_checksum_of_the_last_record(void **state)
{
	struct trace_make trace;
	struct seep_reader reader;

	(void)state;
	trace_make_sample(&trace);
	trace.data[trace.bytes - 1] ^= 1;
	reader = open_good(trace.data, trace.bytes);
	assert_int_equal(count_records(&reader), trace.seq - 1);
	assert_int_equal(reader.damaged, 1);
	assert_false(reader.cut);
	seep_reader_close(&reader);
	trace_make_end(&trace);
}

/* Every kind with too small a payload, then with a tail that claims more than there is. */
static void refuses_records_of_the_wrong_shape(void **state)
{
	static const unsigned char ones[96] = { [0 ... 95] = 0xff };
	struct trace_make trace;
	struct seep_reader reader;
	uint16_t kind;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (kind = SEEP_REC_RUN; kind <= SEEP_REC_EXIT; kind++)
		trace_make_add(&trace, kind, 0, NULL, 0, NULL, 0);
	reader = open_good(trace.data, trace.bytes);
	assert_int_equal(count_records(&reader), 0);
	assert_int_equal(reader.damaged, SEEP_REC_EXIT);
	seep_reader_close(&reader);
	trace_make_end(&trace);

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (kind = SEEP_REC_RUN; kind <= SEEP_REC_EXIT; kind++)
		trace_make_add(&trace, kind, 0, ones, sizeof(ones), NULL, 0);
	reader = open_good(trace.data, trace.bytes);
	/* STAMP, COUNT, GAUGE, SNAPSHOT, SNAPSHOT_END and EXIT have no tail to be wrong. */
	assert_int_equal(count_records(&reader), 6);
	assert_int_equal(reader.damaged, SEEP_REC_EXIT - 6);
	seep_reader_close(&reader);
	trace_make_end(&trace);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* One bit at a time: at most the record it is in may be lost, and the file is never refused. */
static void survives_flipped_bits(void **state)
{
	struct trace_make trace;
	uint64_t seed = 42;
	size_t i;

	(void)state;
	trace_make_sample(&trace);
	for (i = 0; i < FLIPS; i++) {
		size_t body = trace.bytes - SEEP_TRACE_HEADER_BYTES;
		size_t at = SEEP_TRACE_HEADER_BYTES + next_random(&seed) % body;
		unsigned char bit = (unsigned char)(1u << next_random(&seed) % 8);
		struct seep_reader reader;

		trace.data[at] ^= bit;
		reader = open_good(trace.data, trace.bytes);
		assert_int_equal(count_records(&reader), trace.seq - 1);
		assert_int_equal(reader.damaged + reader.cut, 1);
		seep_reader_close(&reader);
		trace.data[at] ^= bit;
	}
	trace_make_end(&trace);
}

/* Of this process alone: others may take the machine. */
static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Heads of 64 KiB records with wrong checksums wherever one can be, and good records between. */
static void stays_linear_on_hostile_files(void **state)
{
	struct seep_trace_record head = { .size = 65536, .check = 1, .kind = 1 };
	struct trace_make trace;
	struct seep_reader reader;
	double start;
	size_t i, n = (16u << 20) / 32;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_ATTACHED);
	trace_make_grow(&trace, n * 32);
	for (i = 0; i < n; i++) {
		unsigned char *at = trace.data + SEEP_TRACE_HEADER_BYTES + i * 32;
		struct seep_trace_record good = { .size = 16, .kind = 99 };

		good.check = seep_trace_check(&good.kind, 8);
		memcpy(at, &head, sizeof(head));
		memcpy(at + 16, i % 2 ? &good : &head, sizeof(head));
	}
	reader = open_good(trace.data, trace.bytes);
	start = now_s();
	count_records(&reader);
	assert_true(reader.cut);
	assert_true(reader.damaged > 0);
	assert_true(now_s() - start < 5);
	seep_reader_close(&reader);
	trace_make_end(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(survives_a_cut_at_every_byte),
		cmocka_unit_test(takes_an_unfinished_record_as_a_cut),
		cmocka_unit_test(goes_on_behind_damage),
		cmocka_unit_test(counts_a_wrong_checksum_of_the_last_record),
		cmocka_unit_test(refuses_records_of_the_wrong_shape),
		cmocka_unit_test(survives_flipped_bits),
		cmocka_unit_test(stays_linear_on_hostile_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
