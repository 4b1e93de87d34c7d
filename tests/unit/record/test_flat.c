/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole stacks and their sites (flat.h), on a stack that is an array: what is found again, what
 * is not, and what never gets an entry.
 */
#include "record/heap/stack/flat.h"
#include "record/heap/stack/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define WORDS 2048u
#define FRAME_WORDS 4u
#define DEPTH 10u
#define COMMON ((uint64_t)1 << 63)
#define BY_SP (COMMON | (uint64_t)SEEP_CFI_SP << 60 | FRAME_WORDS * sizeof(uintptr_t))
#define END ((uint64_t)SEEP_CFI_END << 60)
#define PHASE 3u

static uintptr_t stack[WORDS];
static struct seep_thread *thread;
static struct seep_tally tallies[4096];

/* Room for the hook's own words below the innermost frame. */
static uintptr_t *hook_frame(uint32_t depth)
{
	return &stack[WORDS - 8 - depth * FRAME_WORDS - 2];
}

/* A stack of so many frames, in memory and as the walk leaves it; pcs differ by the seed. */
static const uintptr_t *capture(uint32_t depth, uintptr_t seed)
{
	uint32_t i;

	memset(stack, 0, sizeof(stack));
	for (i = 1; i <= depth; i++) {
		struct seep_known_frame *known = &thread->known[i];

		*known = (struct seep_known_frame){.rule = i == 1 ? END : BY_SP};
		known->frame.sp = (uintptr_t)&stack[WORDS - 8 - i * FRAME_WORDS];
		known->frame.pc = 0x400000 + 16 * i;
		if (i == depth - 1)
			known->frame.pc += seed % 8;
		if (i == 2)
			known->frame.pc += seed / 8;
		((uintptr_t *)known->frame.sp)[-1] = known->frame.pc;
	}
	thread->n_last = thread->n_known = depth + 1;
	thread->last_end = 0;
	return hook_frame(depth);
}

static void add(const uintptr_t *frame, uint32_t site)
{
	seep_flat_add(thread, frame, PHASE, site, &tallies[site % 4096]);
}

static uint32_t find(const uintptr_t *frame, uint32_t phase)
{
	const struct seep_flat *flat = seep_flat_find(&thread->flats, frame, phase);

	if (!flat)
		return 0;
	assert_ptr_equal(flat->tally, &tallies[(flat->site & ~SEEP_SITE_DULL) % 4096]);
	return flat->site;
}

static int set_up(void **state)
{
	(void)state;
	thread = mmap(NULL, sizeof(*thread), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(thread, MAP_FAILED);
	thread->epoch = 7;
	thread->stack.low = (uintptr_t)stack;
	thread->stack.high = (uintptr_t)&stack[WORDS];
	thread->stack_is_sure = true;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return munmap(thread, sizeof(*thread));
}

static void finds_the_same_stack(void **state)
{
	const uintptr_t *frame = capture(DEPTH, 0);

	(void)state;
	assert_int_equal(find(frame, PHASE), 0);
	add(frame, 5);
	assert_int_equal(find(frame, PHASE), 5);
	assert_int_equal(thread->flats.epoch, 7);
	assert_int_equal(find(frame, PHASE + 1), 0);
	assert_int_equal(find(capture(DEPTH + 1, 0), PHASE), 0);
}

/* Each return address matters, by any of its 64 bits; what lies between does not. */
static void any_word_that_a_walk_reads_matters(void **state)
{
	uintptr_t *frame = hook_frame(DEPTH), *word;
	uint32_t i;

	(void)state;
	add(capture(DEPTH, 0), 5);
	for (i = 1; i <= DEPTH; i++) {
		word = (uintptr_t *)thread->known[i].frame.sp - 1;
		*word ^= (uintptr_t)1 << (6 * i);
		assert_int_equal(find(frame, PHASE), 0);
		*word ^= (uintptr_t)1 << (6 * i);
		word[-1] ^= 1;
		assert_int_equal(find(frame, PHASE), 5);
	}
}

static void saved_frame_pointers_matter_where_they_are_used(void **state)
{
	uintptr_t *frame = hook_frame(DEPTH), *slot = &frame[6];
	struct seep_known_frame *inner = &thread->known[DEPTH];

	(void)state;
	capture(DEPTH, 0);
	*slot = 0x1234;
	inner->bp_slot = (uintptr_t)slot;
	inner[-1].frame.bp = 0x1234;
	add(frame, 5);
	*slot ^= 1;
	assert_int_equal(find(frame, PHASE), 5);

	seep_flat_clear(thread);
	*slot = 0x1234;
	inner[-1].bp_live = true;
	add(frame, 6);
	frame[SEEP_CPU_CALLER_BP] = 99; /* saved in the inner frame, so not used from here */
	assert_int_equal(find(frame, PHASE), 6);
	*slot ^= 1;
	assert_int_equal(find(frame, PHASE), 0);

	seep_flat_clear(thread);
	inner->bp_live = true;
	inner->frame.bp = 99;
	add(frame, 7);
	*slot = 0x1234;
	assert_int_equal(find(frame, PHASE), 7);
	frame[SEEP_CPU_CALLER_BP] = 98;
	assert_int_equal(find(frame, PHASE), 0);
}

/* The root may be found by a return address of 0, which then is one of the words. */
static void the_end_of_a_stack_matters(void **state)
{
	uintptr_t *end;

	(void)state;
	capture(DEPTH, 0);
	thread->known[1].rule = BY_SP;
	add(hook_frame(DEPTH), 5);
	end = (uintptr_t *)thread->known[1].frame.sp + FRAME_WORDS - 1;
	assert_int_equal(find(hook_frame(DEPTH), PHASE), 5);
	*end = 0x400000;
	assert_int_equal(find(hook_frame(DEPTH), PHASE), 0);
}

/* Interpreters: hundreds of sites with the same caller at the same depth. */
static void tells_stacks_apart_that_start_alike(void **state)
{
	uint32_t i, round, found = 0;

	(void)state;
	for (round = 0; round < 8; round++)
		for (i = 1; i <= 200; i++) {
			const uintptr_t *frame = capture(DEPTH, i);
			uint32_t site = find(frame, PHASE);

			if (site) {
				assert_int_equal(site, i);
				found += round == 7;
			} else {
				add(frame, i);
			}
		}
	assert_in_range(found, 180, 200);
}

static void unusual_stacks_have_no_entry(void **state)
{
	const uintptr_t *frame = capture(DEPTH, 0);

	(void)state;
	thread->n_known = 1; /* a signal frame, or cut */
	add(frame, 5);
	assert_int_equal(find(frame, PHASE), 0);
	capture(DEPTH, 0);
	thread->last_end = SEEP_PC_LOST;
	add(frame, 5);
	assert_int_equal(find(frame, PHASE), 0);
	capture(DEPTH, 0);
	thread->known[4].rule = (uint64_t)SEEP_CFI_BP_DEREF << 60;
	add(frame, 5);
	assert_int_equal(find(frame, PHASE), 0);
	capture(DEPTH, 0);
	thread->stack_is_sure = false;
	add(frame, 5);
	assert_int_equal(find(frame, PHASE), 0);
	thread->stack_is_sure = true;
	add(capture(100, 0), 5);
	assert_int_equal(find(hook_frame(100), PHASE), 0);
	add(capture(60, 0), 5);
	assert_int_equal(find(hook_frame(60), PHASE), 5);
}

static void starts_again_when_the_room_is_used_up(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 1; i < 4000; i++) {
		const uintptr_t *frame = capture(2 + i % 50, i);

		add(frame, i);
		assert_int_equal(find(frame, PHASE), i);
	}
}

static void pauses_where_most_stacks_are_new(void **state)
{
	uint32_t i, tries = 0;

	(void)state;
	for (i = 0; i < 100000; i++)
		tries += seep_flat_is_worth_it(thread);
	assert_in_range(tries, 512, 20000);
	assert_int_equal(thread->flats.epoch, 0);
	/* Hits keep it going. */
	memset(&thread->flats, 0, sizeof(thread->flats));
	for (i = 0; i < 100000; i++) {
		thread->flats.hits = 8;
		assert_true(seep_flat_is_worth_it(thread));
	}
}

static void a_dull_site_is_dull_in_its_entries(void **state)
{
	(void)state;
	add(capture(DEPTH, 0), 5);
	add(capture(DEPTH + 1, 0), 6);
	add(capture(DEPTH + 2, 0), 5);
	seep_flat_note_dull(thread, 5);
	assert_int_equal(find(capture(DEPTH, 0), PHASE), 5 | SEEP_SITE_DULL);
	assert_int_equal(find(capture(DEPTH + 1, 0), PHASE), 6);
	assert_int_equal(find(capture(DEPTH + 2, 0), PHASE), 5 | SEEP_SITE_DULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(finds_the_same_stack),
		TEST(any_word_that_a_walk_reads_matters),
		TEST(saved_frame_pointers_matter_where_they_are_used),
		TEST(the_end_of_a_stack_matters),
		TEST(tells_stacks_apart_that_start_alike),
		TEST(unusual_stacks_have_no_entry),
		TEST(starts_again_when_the_room_is_used_up),
		TEST(pauses_where_most_stacks_are_new),
		TEST(a_dull_site_is_dull_in_its_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
