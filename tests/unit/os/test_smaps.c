/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the address space is in memory, asked of this very process. */
#include "os/pages.h"
#include "os/smaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB ((size_t)1 << 20)

/* 8 MiB between two pages without access, so that no other area joins it. */
static char *map(int flags, int fd)
{
	char *whole = mmap(NULL, 10 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *start = whole + MIB;

	assert_ptr_not_equal(whole, MAP_FAILED);
	assert_ptr_equal(mmap(start, 8 * MIB, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0),
			 start);
	return start;
}

static void unmap(char *start)
{
	munmap(start - MIB, 10 * MIB);
}

struct search {
	uintptr_t address, last;
	struct seep_smaps_area found;
	int64_t sum;
	int out_of_order;
};

static void look(const struct seep_smaps_area *area, void *context)
{
	struct search *search = context;

	search->out_of_order += area->start < search->last || area->end <= area->start;
	search->last = area->end;
	search->sum += area->anonymous_bytes;
	if (area->start <= search->address && search->address < area->end)
		search->found = *area;
}

static struct seep_smaps_area find(const void *address, int64_t *sum)
{
	struct search search = { .address = (uintptr_t)address };

	assert_true(seep_smaps_visit(look, &search));
	assert_int_equal(search.out_of_order, 0);
	assert_true(search.found.end > 0);
	if (sum)
		*sum = search.sum;
	return search.found;
}

static void tells_what_was_touched(void **state)
{
	char *start = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct seep_smaps_area area;

	(void)state;
	madvise(start, 8 * MIB, MADV_NOHUGEPAGE);
	memset(start, 1, 3 * MIB);
	area = find(start + 5 * MIB, NULL);
	assert_int_equal(area.start, (uintptr_t)start);
	assert_int_equal(area.end, (uintptr_t)start + 8 * MIB);
	assert_true(area.is_plain);
	assert_false(area.is_locked);
	assert_int_equal(area.anonymous_bytes, 3 * MIB);
	unmap(start);
}

static void the_areas_add_up_to_the_process(void **state)
{
	char *start = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int64_t sum, before = seep_smaps_anonymous(), after;

	(void)state;
	memset(start, 1, 8 * MIB);
	find(start, &sum);
	after = seep_smaps_anonymous();
	assert_true(before > 0);
	assert_in_range(after - before, 8 * MIB, 9 * MIB);
	assert_in_range(after + (int64_t)MIB - sum, 0, 2 * MIB);
	unmap(start);
}

static void what_may_be_taken_is_gone(void **state)
{
	char *start = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int64_t before;

	(void)state;
	madvise(start, 8 * MIB, MADV_NOHUGEPAGE);
	memset(start, 1, 8 * MIB);
	before = seep_smaps_anonymous();
	if (madvise(start, 6 * MIB, MADV_FREE)) {
		unmap(start);
		skip();
	}
	/* Pages on their way to the kernel's lists may not be told of yet. */
	assert_in_range(find(start, NULL).anonymous_bytes, 2 * MIB, 3 * MIB);
	assert_in_range(before - seep_smaps_anonymous(), 5 * MIB, 7 * MIB);
	unmap(start);
}

static void shared_memory_and_files_are_not_plain(void **state)
{
	FILE *file = tmpfile();
	char *start = map(MAP_SHARED | MAP_ANONYMOUS, -1);

	(void)state;
	memset(start, 1, MIB);
	assert_false(find(start, NULL).is_plain);
	unmap(start);
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 8 * MIB), 0);
	start = map(MAP_PRIVATE, fileno(file));
	memset(start, 1, 2 * MIB); /* copies of its own */
	assert_false(find(start, NULL).is_plain);
	assert_int_equal(find(start, NULL).anonymous_bytes, 2 * MIB);
	unmap(start);
	fclose(file);
}

static void the_stack_is_not_plain(void **state)
{
	int here = 0;

	(void)state;
	assert_false(find(&here, NULL).is_plain);
}

/* By the system call: sanitizers let the function do nothing. */
static void what_is_locked_is_told(void **state)
{
	char *start = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);

	(void)state;
	if (syscall(SYS_mlock, start, 16384)) {
		unmap(start);
		skip();
	}
	assert_true(find(start, NULL).is_locked);
	assert_false(find(start + MIB, NULL).is_locked);
	unmap(start);
}

/* Page by page, by the window, and over several windows. */
static void pages_tell_the_same(void **state)
{
	char *start = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct seep_pages pages;

	(void)state;
	madvise(start, 8 * MIB, MADV_NOHUGEPAGE);
	start[0] = start[4096 * 3] = start[4096 * 63] = start[4096 * 70] = 1;
	assert_true(seep_pages_open(&pages));
	assert_true(seep_pages_look(&pages, (uintptr_t)start, 64) ==
		    (1ull | 1ull << 3 | 1ull << 63));
	assert_true(seep_pages_look(&pages, (uintptr_t)start + 4096, 3) == 1ull << 2);
	assert_int_equal(seep_pages_count(&pages, (uintptr_t)start, 64), 3);
	assert_int_equal(seep_pages_count_bytes(&pages, (uintptr_t)start,
						(uintptr_t)start + 8 * MIB), 4 * 4096);
	assert_int_equal(seep_pages_count_bytes(&pages, (uintptr_t)start + 100,
						(uintptr_t)start + 4096 * 3 + 1), 2 * 4096);
	assert_int_equal(seep_pages_count_bytes(&pages, (uintptr_t)start + 4096 * 3,
						(uintptr_t)start + 4096 * 70), 2 * 4096);
	seep_pages_close(&pages);
	unmap(start);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_what_was_touched),
		cmocka_unit_test(the_areas_add_up_to_the_process),
		cmocka_unit_test(what_may_be_taken_is_gone),
		cmocka_unit_test(shared_memory_and_files_are_not_plain),
		cmocka_unit_test(the_stack_is_not_plain),
		cmocka_unit_test(what_is_locked_is_told),
		cmocka_unit_test(pages_tell_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
