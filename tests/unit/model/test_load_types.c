/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Survivors by type, from whole and damaged traces. */
#include "load_trace.h"

static void make_type(uint32_t id, const char *name)
{
	struct seep_rec_type record = { .id = id, .bytes = (uint32_t)strlen(name) };

	trace_make_add(&trace, SEEP_REC_TYPE, 0, &record, sizeof(record), name, strlen(name));
}

static void make_counts(uint64_t ordinal, const uint64_t (*counts)[4], uint32_t n)
{
	struct trace_make_pack pack = { .count = n };

	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < 4; k++)
			trace_make_put(&pack, counts[i][k]);
	trace_make_packed(&trace, SEEP_REC_SITE_TYPES, ordinal, &pack);
}

static void begin_snapshot(uint16_t flags, uint64_t ordinal)
{
	trace_make_snapshot(&trace, flags, ordinal, 0);
	trace_make_state(&trace, ordinal, 2, 0, NULL);
	trace_make_state(&trace, ordinal, 1, 0, NULL);
}

static void begin(void)
{
	struct seep_rec_node node = { .pc = 0x1000 };
	struct seep_rec_site sites[] = { { .node = 1 }, { .node = 1 } };

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_nodes(&trace, 1, 1, &node);
	trace_make_sites(&trace, 1, 2, sites);
}

static const struct seep_site *find(uint32_t id)
{
	for (size_t i = 0; i < run.n_sites; i++)
		if (run.sites[i].id == id)
			return &run.sites[i];
	fail();
	return NULL;
}

static void types_are_those_of_their_site(void **state)
{
	static const uint64_t counts[][4] = { { 2, 1, 5, 50 }, { 1, 2, 3, 30 }, { 2, 2, 9, 90 } };
	const struct seep_site *site;

	(void)state;
	begin();
	begin_snapshot(SEEP_SNAPSHOT_FINAL, 1);
	make_type(1, "dict");
	make_type(2, "Order");
	make_counts(1, counts, 3);
	trace_make_snapshot_end(&trace, 1, 2);
	load();
	site = find(2);
	assert_int_equal(site->n_types, 2);
	assert_string_equal(site->types[0].name, "Order");
	assert_int_equal(site->types[0].blocks, 9);
	assert_string_equal(site->types[1].name, "dict");
	assert_int_equal(site->types[1].bytes, 50);
	assert_int_equal(find(1)->n_types, 1);
}

/* A class that is defined in a function is another type in each call. */
static void types_of_one_name_are_one(void **state)
{
	static const uint64_t counts[][4] = { { 1, 1, 4, 40 }, { 1, 2, 8, 80 }, { 1, 3, 5, 50 } };

	(void)state;
	begin();
	begin_snapshot(SEEP_SNAPSHOT_FINAL, 1);
	make_type(1, "Row");
	make_type(2, "list");
	make_type(3, "Row");
	make_counts(1, counts, 3);
	trace_make_snapshot_end(&trace, 1, 2);
	load();
	assert_int_equal(find(1)->n_types, 2);
	assert_string_equal(find(1)->types[0].name, "Row");
	assert_int_equal(find(1)->types[0].blocks, 9);
	assert_int_equal(find(1)->types[0].bytes, 90);
}

/* The last snapshot has none: objects had been taken apart. */
static void the_last_ones_count(void **state)
{
	static const uint64_t early[][4] = { { 1, 1, 4, 40 } }, late[][4] = { { 1, 1, 6, 60 } };

	(void)state;
	begin();
	begin_snapshot(SEEP_SNAPSHOT_OVER | SEEP_SNAPSHOT_PERIODIC, 1);
	make_type(1, "dict");
	make_counts(1, early, 1);
	trace_make_snapshot_end(&trace, 1, 2);
	begin_snapshot(SEEP_SNAPSHOT_OVER, 2);
	make_type(1, "set");
	make_counts(2, late, 1);
	trace_make_snapshot_end(&trace, 2, 2);
	begin_snapshot(SEEP_SNAPSHOT_FINAL, 3);
	trace_make_snapshot_end(&trace, 3, 2);
	load();
	assert_int_equal(find(1)->n_types, 1);
	assert_string_equal(find(1)->types[0].name, "set");
	assert_int_equal(find(1)->types[0].blocks, 6);
}

static void damage_is_left_out(void **state)
{
	static const uint64_t counts[][4] = {
		{ 1, 0, 4, 40 }, { 1, 7, 4, 40 }, { 1, UINT64_MAX, 4, 40 }, { 3, 1, 4, 40 },
		{ UINT64_MAX, 1, 4, 40 }, { 0, 1, 4, 40 }, { 1, 1, 2, 20 },
	};
	struct seep_rec_site_types cut = { .ordinal = 1, .count = UINT32_MAX };

	(void)state;
	begin();
	begin_snapshot(SEEP_SNAPSHOT_FINAL, 1);
	make_type(0, "no");
	make_type(1, "dict");
	make_type(UINT32_MAX, "far");
	make_counts(1, counts, 7);
	trace_make_add(&trace, SEEP_REC_SITE_TYPES, 0, &cut, sizeof(cut), NULL, 0);
	trace_make_snapshot_end(&trace, 1, 2);
	load();
	assert_int_equal(find(1)->n_types, 1);
	assert_int_equal(find(1)->types[0].blocks, 2);
	assert_int_equal(find(2)->n_types, 0);
	assert_true(run.damaged > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		LOAD_TEST(types_are_those_of_their_site),
		LOAD_TEST(types_of_one_name_are_one),
		LOAD_TEST(the_last_ones_count),
		LOAD_TEST(damage_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
