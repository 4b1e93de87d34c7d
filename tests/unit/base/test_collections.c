/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/table, base/sort and base/map. */
#include "base/hash_map.h"
#include "base/sort.h"
#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct seep_arena arena;

static int begin(void **state)
{
	(void)state;
	seep_arena_init(&arena);
	return 0;
}

static int end(void **state)
{
	(void)state;
	seep_arena_release(&arena);
	return 0;
}

static void table_grows_with_zeros(void **state)
{
	struct seep_table table = SEEP_TABLE(&arena, uint32_t);
	uint32_t *items;
	size_t i;

	(void)state;
	*(uint32_t *)seep_table_at(&table, 3) = 33;
	*(uint32_t *)seep_table_at(&table, 1000) = 1;
	*(uint32_t *)seep_table_add(&table) = 2;
	assert_int_equal(table.n, 1002);
	items = table.items;
	for (i = 0; i < 1000; i++)
		assert_int_equal(items[i], i == 3 ? 33 : 0);
	assert_int_equal(items[1001], 2);
	seep_table_at(&table, 0);
	assert_int_equal(table.n, 1002);
	seep_table_clear(&table);
	assert_int_equal(table.n, 0);
	assert_int_equal(*(uint32_t *)seep_table_at(&table, 1000), 0);
	assert_ptr_equal(table.items, items);
}

struct pair {
	int key;
	int order;
	char rest[5];
};

static int by_key(const void *a, const void *b)
{
	return ((const struct pair *)a)->key - ((const struct pair *)b)->key;
}

static void sort_is_stable_for_every_size(void **state)
{
	uint32_t seed = 1;
	int n, i;

	(void)state;
	for (n = 0; n < 300; n++) {
		struct pair *pairs = seep_arena_array(&arena, (size_t)n, sizeof(*pairs));

		for (i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			pairs[i] = (struct pair){ .key = (int)(seed >> 28), .order = i };
		}
		seep_sort_stable(pairs, (size_t)n, sizeof(*pairs), by_key, &arena);
		for (i = 1; i < n; i++) {
			assert_true(pairs[i - 1].key <= pairs[i].key);
			if (pairs[i - 1].key == pairs[i].key)
				assert_true(pairs[i - 1].order < pairs[i].order);
		}
	}
	seep_sort_stable(NULL, 0, sizeof(struct pair), by_key, &arena);
}

static void map_keeps_every_key(void **state)
{
	static const uint64_t odd[] = { 0, 1, UINT64_MAX, 1ull << 63, 1ull << 32 };
	static int values[20000];
	struct seep_hash_map map;
	size_t i;

	(void)state;
	seep_hash_map_init(&map, &arena);
	assert_null(seep_hash_map_get(&map, 0));
	for (i = 0; i < 5; i++)
		seep_hash_map_put(&map, odd[i], &values[i]);
	for (i = 5; i < 20000; i++)
		seep_hash_map_put(&map, i * 4096, &values[i]);
	for (i = 0; i < 5; i++)
		assert_ptr_equal(seep_hash_map_get(&map, odd[i]), &values[i]);
	for (i = 5; i < 20000; i++)
		assert_ptr_equal(seep_hash_map_get(&map, i * 4096), &values[i]);
	assert_null(seep_hash_map_get(&map, 4097));
	assert_int_equal(map.n, 20000);
	seep_hash_map_put(&map, 0, &values[9]);
	assert_ptr_equal(seep_hash_map_get(&map, 0), &values[9]);
	assert_int_equal(map.n, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(table_grows_with_zeros, begin, end),
		cmocka_unit_test_setup_teardown(sort_is_stable_for_every_size, begin, end),
		cmocka_unit_test_setup_teardown(map_keeps_every_key, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
