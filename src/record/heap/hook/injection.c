/* SPDX-License-Identifier: MIT */
/*
 * What happens at the start of each event (injection.h has the plan of levels):
 *
 *	first LOOKED_AT events    look(): RSS and live bytes, to measure the noise
 *	then                      begin(): choose L, unless the user gave it
 *	from then on              plan_event(): 0, L or 2L bytes; seep_calibration_leak() takes them
 *	budget spent, or no memory    stop(): nothing is taken any more
 *
 * Planning needs the recording and has the guard set; leaking must have neither, so that the
 * hooks treat it like the program's own calls.
 */
#include "record/heap/hook/injection.h"

#include "os/signals.h"
#include "os/statm.h"
#include "record/event_clock.h"
#include "record/guard.h"
#include "record/heap/book/account.h"
#include "record/heap/hook/hooks.h"
#include "record/heap/stack/walk.h"
#include "record/heap/thread.h"
#include "record/recording.h"
#include "record/stamp.h"

#include <errno.h>
#include <string.h>

#define LOOKED_AT 10u                     /* events that are only measured, at first */
#define UNSETTLED 2u                      /* of these, the first do not count */
#define STEPS (LOOKED_AT - UNSETTLED - 1)
#define BLOCK_EVENTS 10u
#define BLOCKS 6u                         /* per row */
#define ROWS 4u                           /* before the blocks get twice as long */
#define ROWS_PAID 2u                      /* that the budget must last for, if L is chosen here */
#define NOISES 10u                        /* L, in units of the noise */
#define LEVEL_LEAST ((uint64_t)64 << 10)
#define LEVEL_USUAL ((uint64_t)1 << 20)   /* large enough not to come from free blocks */

/*
 * Sizes of pieces, less what an allocator needs for its header, so that they do not take another
 * page.  Small pieces lie side by side, large ones get their own mapping.
 */
#define PIECE_SMALL (((uint64_t)64 << 10) - 16)
#define PIECE_LARGE (((uint64_t)1 << 20) - 16)

static struct {
	uint64_t level_given;    /* L; 0: to be chosen */
	uint64_t block_given;    /* events per block at first */
	uint64_t budget, spent;
	uint64_t level, block;   /* L and events per block now */
	uint64_t at;             /* events into the block */
	uint32_t place, row;     /* the block's place in its row, and the row */
	uint32_t base;           /* base of the event clock when counting began */
	uint32_t n_seen;         /* events measured */
	int64_t rss[LOOKED_AT], live[LOOKED_AT];
	bool begun;
	bool over;               /* the budget is spent, or there is no memory */
} plan;

bool seep_injection_on;
static bool busy;

void seep_injection_start(uint64_t level, uint64_t block, uint64_t budget)
{
	plan.level_given = level;
	plan.block_given = block ? block : BLOCK_EVENTS;
	plan.budget = budget;
	/* An event that begins in a signal handler must not allocate inside the allocator. */
	seep_real.guard = SEEP_GUARD_REAL;
	__atomic_store_n(&seep_injection_on, true, __ATOMIC_RELAXED);
}

void seep_injection_forked(void)
{
	__atomic_store_n(&seep_injection_on, false, __ATOMIC_RELAXED);
	__atomic_store_n(&busy, false, __ATOMIC_RELAXED);
}

bool seep_injection_is_busy(void)
{
	return __atomic_load_n(&busy, __ATOMIC_RELAXED);
}

static void sort(int64_t *values, uint32_t n)
{
	uint32_t i, j;

	for (i = 1; i < n; i++)
		for (j = i; j && values[j - 1] > values[j]; j--) {
			int64_t larger = values[j - 1];

			values[j - 1] = values[j];
			values[j] = larger;
		}
}

/* The mean distance of steps from the median, without the largest, which may be warm-up. */
static uint64_t find_noise(const int64_t *levels)
{
	int64_t steps[STEPS], middle, sum = 0;
	uint32_t i;

	for (i = 0; i < STEPS; i++)
		steps[i] = levels[UNSETTLED + i + 1] - levels[UNSETTLED + i];
	sort(steps, STEPS);
	middle = steps[STEPS / 2];
	for (i = 0; i < STEPS; i++)
		steps[i] = steps[i] < middle ? middle - steps[i] : steps[i] - middle;
	sort(steps, STEPS);
	for (i = 0; i + 1 < STEPS; i++)
		sum += steps[i];
	return (uint64_t)sum * 5 / 4 / (STEPS - 1); /* 5/4: about a standard deviation */
}

static void choose_level(void)
{
	uint64_t rss = find_noise(plan.rss), live = find_noise(plan.live);
	uint64_t most = plan.budget / (ROWS_PAID * BLOCKS * plan.block);
	uint64_t level = NOISES * (rss > live ? rss : live);

	level = level > LEVEL_USUAL ? level : LEVEL_USUAL;
	level = level < most ? level : most;
	level = level - level % LEVEL_LEAST;
	plan.level = level > LEVEL_LEAST ? level : LEVEL_LEAST;
}

static void begin(void)
{
	plan.begun = true;
	plan.at = plan.place = plan.row = 0;
	plan.block = plan.block_given;
	plan.level = plan.level_given;
	if (!plan.level)
		choose_level();
}

static void look(void)
{
	int64_t vm, blocks;

	seep_statm_read(&vm, &plan.rss[plan.n_seen]);
	seep_thread_totals(&plan.live[plan.n_seen], &blocks);
	plan.n_seen++;
}

static void end_block(void)
{
	plan.at = 0;
	plan.place = (plan.place + 1) % BLOCKS;
	if (plan.place)
		return;
	plan.row++;
	if (plan.row % ROWS == 0)
		plan.block *= 2;
}

static void stop(const char *why)
{
	plan.over = true;
	seep_recording_note(why, SEEP_NOTE_INFO);
}

/* How many bytes the current event leaks. */
static uint64_t plan_event(void)
{
	static const unsigned char levels[BLOCKS] = {0, 1, 2, 2, 1, 0};
	uint64_t times, bytes;

	/* When the program's own events replace time slices, everything starts again. */
	if (plan.base != seep_event_clock.base) {
		plan.base = seep_event_clock.base;
		plan.n_seen = 0;
		plan.begun = false;
	}
	if (plan.n_seen < LOOKED_AT)
		look();
	else if (!plan.begun)
		begin();
	if (!plan.begun || plan.over)
		return 0;
	times = levels[plan.place];
	bytes = plan.level * (__builtin_parity(plan.row) ? 2 - times : times);
	if (++plan.at == plan.block)
		end_block();
	if (bytes <= plan.budget - plan.spent)
		return bytes;
	stop("the calibration has used a quarter of the available memory: from here on it takes "
	     "no more");
	return 0;
}

/* Does what the program's malloc does; with sampling, not every block is booked. */
static void *allocate(uint64_t bytes)
{
	return seep_hooks_pass_by(bytes) ? seep_real.malloc(bytes) : seep_hooks_malloc(bytes);
}

/* Not inlined: users find the injected leak by this name in its stacks (see the man page). */
__attribute__((noinline, used)) uint64_t seep_calibration_leak(uint64_t bytes);
uint64_t seep_calibration_leak(uint64_t bytes)
{
	uint64_t done = 0;

	while (done < bytes) {
		uint64_t left = bytes - done, piece = PIECE_LARGE;
		void *block;

		if (left < PIECE_LARGE)
			piece = left < PIECE_SMALL ? left : PIECE_SMALL;
		block = allocate(piece);
		if (!block)
			break;
		memset(block, 0x5a, piece);
		__asm__ volatile("" ::"r"(block) : "memory");
		done += piece;
	}
	return done;
}

/* The guard is set.  False if there is no trace to write to. */
static bool decide(uint64_t *bytes)
{
	if (!seep_recording_begin())
		return false;
	*bytes = plan_event();
	seep_recording_end();
	return true;
}

static void account_for(uint64_t asked, uint64_t done)
{
	if (plan.begun)
		seep_stamp_count("seep.injected", (double)done);
	plan.spent += done;
	if (done == asked)
		return;
	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
	if (seep_recording_begin()) {
		stop("the calibration could not get more memory: from here on it takes none");
		seep_recording_end();
	}
	seep_guard = SEEP_GUARD_OUT;
	seep_signals_release();
}

/* A signal handler may have interrupted code that holds the allocator's locks, such as fork. */
static bool is_in_handler(const void *frame_address)
{
	struct seep_thread *thread = seep_thread_get();

	return !thread || seep_walk_sees_signal(thread, frame_address);
}

void seep_injection_event(void)
{
	int saved = errno;
	uint64_t bytes = 0;
	bool decided;

	seep_signals_hold();
	if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
		seep_signals_release();
		return;
	}
	seep_guard = SEEP_GUARD_OWN;
	decided = !is_in_handler(__builtin_frame_address(0)) && decide(&bytes);
	seep_guard = SEEP_GUARD_OUT;
	if (decided)
		account_for(bytes, seep_calibration_leak(bytes));
	__atomic_store_n(&busy, false, __ATOMIC_RELEASE);
	seep_signals_release();
	errno = saved;
}
