/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks made to mislead a walk that remembers the last one: random towers of
 * functions whose frames have one size or any (so that the same code stands at
 * the same stack pointer over other callers), left by return or longjmp, in
 * coroutines and in threads.  With signals, in handlers, too: on either stack,
 * raised at will, or by a timer at any instruction of code that never allocates.
 *
 * usage: frames [ROUNDS [SEED [signals]]]
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")
#ifdef __x86_64__
#define CALLEE_SAVED "rbp", "rbx",
#else
#define CALLEE_SAVED
#endif
#define TWIN_BYTES ((size_t)96)
#define THREADS 3
#define COROUTINES 4
#define COROUTINE_BYTES ((size_t)256 << 10)

struct dice {
	uint64_t state;
	jmp_buf *way_out;
	int depth;
	int handlers;            /* in how many signal handlers we are */
};

static __thread struct dice *current;
static bool signals;

static void build(struct dice *dice);

static uint64_t roll(struct dice *dice, uint64_t below)
{
	dice->state ^= dice->state << 13;
	dice->state ^= dice->state >> 7;
	dice->state ^= dice->state << 17;
	return (dice->state >> 11) % below;
}

/* Makes the compiler believe that the memory is needed. */
static void use(void *memory)
{
	__asm__ volatile("" : : "r"(memory) : "memory");
}

NOINLINE static void allocate(struct dice *dice)
{
	free(malloc(roll(dice, 100) + 1));
	KEEP_FRAME();
}

/* ... with the caller's frame pointer put away, as any register may be. */
NOINLINE static void allocate_saving(struct dice *dice)
{
	__asm__ volatile("" ::: CALLEE_SAVED "memory");
	allocate(dice);
	KEEP_FRAME();
}

/* Any number of words: what is above may have the stack pointer of another stack. */
NOINLINE static void with_any_frame(struct dice *dice)
{
	size_t bytes = 16 * (size_t)roll(dice, 4);
	use(alloca(bytes + 1));
	build(dice);
	KEEP_FRAME();
}

NOINLINE static void with_frame_of_40(struct dice *dice)
{
	char room[40];

	use(room);
	build(dice);
	KEEP_FRAME();
}

NOINLINE static void with_frame_of_56(struct dice *dice)
{
	char room[56];

	use(room);
	build(dice);
	allocate(dice);
	KEEP_FRAME();
}

NOINLINE static void with_large_frame(struct dice *dice)
{
	char room[9000];

	use(room);
	build(dice);
	KEEP_FRAME();
}

/* A realigned frame: its CFA is saved in memory, not a number away from a register. */
NOINLINE static void with_aligned_frame(struct dice *dice)
{
	char room[64] __attribute__((aligned(64)));

	use(room);
	build(dice);
	KEEP_FRAME();
}

NOINLINE static void with_realigned_any(struct dice *dice)
{
	char room[64] __attribute__((aligned(64)));

	use(room);
	use(alloca(16 * (size_t)roll(dice, 4) + 1));
	build(dice);
	KEEP_FRAME();
}

/* Code that uses every register, the frame pointer among them, for its own ends. */
NOINLINE static void with_full_registers(struct dice *dice)
{
	uint64_t a = roll(dice, 9), b = roll(dice, 9), c = roll(dice, 9), d = roll(dice, 9);
	uint64_t e = a * b, f = c * d;

	build(dice);
	dice->state += a ^ b << 1 ^ c << 2 ^ d << 3 ^ e << 4 ^ f << 5;
	dice->state |= 1;
	allocate(dice);
	KEEP_FRAME();
}

/*
 * Twins: left(0) -> inner(96) and right(96) -> inner(0) end at the same stack
 * pointer, and what left's call had put on the stack is still there, untouched,
 * when right calls.  Nothing but the frame pointer tells the two apart.
 */
NOINLINE static void with_inner(struct dice *dice, size_t bytes)
{
	use(alloca(bytes));
	if (roll(dice, 2))
		allocate(dice);
	else
		allocate_saving(dice);
	KEEP_FRAME();
}

NOINLINE static void with_left(struct dice *dice, size_t bytes)
{
	use(alloca(bytes));
	with_inner(dice, TWIN_BYTES - bytes);
	__asm__ volatile("# left" ::: "memory");
}

NOINLINE static void with_right(struct dice *dice, size_t bytes)
{
	use(alloca(bytes));
	with_inner(dice, TWIN_BYTES - bytes);
	__asm__ volatile("# right" ::: "memory");
}

NOINLINE static void with_twins(struct dice *dice)
{
	int i;

	for (i = 0; i < 4; i++) {
		size_t bytes = roll(dice, 2) ? TWIN_BYTES : 0;

		if (roll(dice, 2))
			with_left(dice, bytes);
		else
			with_right(dice, bytes);
	}
	build(dice);
	KEEP_FRAME();
}

/*
 * Other twins: both calls of the inner function end at the same aligned stack pointer, and what
 * the first had put on the stack is still there.  Nothing differs but the word in which the inner
 * function keeps where its frame starts.
 */
NOINLINE static void with_realigned_inner(struct dice *dice, size_t bytes)
{
	char room[64] __attribute__((aligned(64)));

	use(room);
	use(alloca(bytes));
	allocate(dice);
	KEEP_FRAME();
}

NOINLINE static void with_realigned_twins(struct dice *dice)
{
	use(alloca(16 * (size_t)roll(dice, 4) + 1));
	with_realigned_inner(dice, 16);
	__asm__ volatile("# first" ::: "memory");
	use(alloca(16));
	with_realigned_inner(dice, 16);
	__asm__ volatile("# second" ::: "memory");
}

static int compare_then_build(const void *a, const void *b)
{
	allocate(current);
	return *(const int *)a - *(const int *)b;
}

/* Frames of the C library between ours. */
NOINLINE static void with_qsort(struct dice *dice)
{
	int numbers[] = {3, 1, 2};

	qsort(numbers, 3, sizeof(numbers[0]), compare_then_build);
	build(dice);
	KEEP_FRAME();
}

NOINLINE static void with_signal(struct dice *dice)
{
	if (signals && dice->handlers < 2 && roll(dice, 4) == 0)
		raise(dice->handlers ? SIGUSR2 : SIGUSR1);
	else
		build(dice);
	KEEP_FRAME();
}

NOINLINE static void with_longjmp(struct dice *dice)
{
	if (dice->way_out && !dice->handlers && roll(dice, 4) == 0)
		longjmp(*dice->way_out, 1);
	build(dice);
	KEEP_FRAME();
}

static void build(struct dice *dice)
{
	static void (*const parts[])(struct dice *) = {
		with_any_frame, with_any_frame, with_any_frame, with_any_frame,
		with_realigned_any, with_realigned_any, with_aligned_frame, with_large_frame,
		with_frame_of_40, with_frame_of_56, with_full_registers, with_twins,
		with_realigned_twins, with_qsort, with_signal, with_longjmp, allocate,
	};
	uint64_t n = roll(dice, 3) + 1;

	allocate(dice);
	if (++dice->depth < 40)
		for (; n; n--)
			if (roll(dice, 100) < 62)
				parts[roll(dice, sizeof(parts) / sizeof(parts[0]))](dice);
	dice->depth--;
}

/* SIGUSR1 has the other stack.  raise() is no moment of surprise, so malloc is allowed. */
static void handle(int number)
{
	struct dice *dice = current;

	(void)number;
	dice->handlers++;
	build(dice);
	dice->handlers--;
}

static void take_signals(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK | SA_NODEFER};

	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_NODEFER;
	sigaction(SIGUSR2, &action, NULL);
}

static void play(struct dice *dice, long rounds)
{
	jmp_buf way_out;
	volatile long left = rounds;

	while (left-- > 0) {
		if (!setjmp(way_out)) {
			dice->way_out = &way_out;
			build(dice);
		}
		dice->depth = dice->handlers = 0;
		dice->way_out = NULL;
	}
}

/* --- Coroutines: each has a stack in the middle of the heap, and they take turns. */

static __thread ucontext_t home, contexts[COROUTINES];
static __thread struct dice *coroutine_dice;

static void live_in_turns(void)
{
	struct dice own = *coroutine_dice;
	int me = (int)roll(&own, COROUTINES), i;

	own.state += (uint64_t)me * 77 + 1;
	for (i = 0; i < 20; i++) {
		current = &own;
		play(&own, 2);
		swapcontext(&contexts[own.state % COROUTINES], &home);
	}
}

static void start_coroutine(struct dice *dice, void *stack)
{
	ucontext_t context;

	coroutine_dice = dice;
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = COROUTINE_BYTES;
	context.uc_link = &home;
	makecontext(&context, live_in_turns, 0);
	swapcontext(&home, &context);
}

/* Each runs once up to its first turn and is then left where it stands. */
static void play_coroutines(struct dice *dice, void *stacks)
{
	int i;

	for (i = 0; i < COROUTINES; i++)
		start_coroutine(dice, (char *)stacks + (size_t)i * COROUTINE_BYTES);
	current = dice;
}

/* --- A timer: the interrupted frame stands at any instruction, the first one included. */

static volatile sig_atomic_t n_surprises;

static void surprise(int number)
{
	(void)number;
	allocate(current);
	n_surprises++;
}

NOINLINE static uint64_t small(uint64_t x)
{
	KEEP_FRAME();
	return x * 2654435761u;
}

NOINLINE static uint64_t compute(uint64_t x, int depth)
{
	char room[24];
	uint64_t y = small(x);

	use(room);
	if (depth)
		y ^= compute(y, depth - 1) + small(y);
	KEEP_FRAME();
	return y ^ x;
}

static void play_surprises(struct dice *dice, int wanted)
{
	struct sigaction action = {.sa_handler = surprise, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	uint64_t sum = dice->state;

	current = dice;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (n_surprises < wanted)
		sum ^= compute(sum, 10);
	setitimer(ITIMER_REAL, &never, NULL);
	dice->state = sum | 1;
}

struct job {
	struct dice dice;
	long rounds;
};

static void *work(void *argument)
{
	struct job *job = argument;
	size_t alternate_bytes = (size_t)512 << 10;
	stack_t alternate = {.ss_sp = malloc(alternate_bytes), .ss_size = alternate_bytes};
	stack_t none = {.ss_flags = SS_DISABLE};
	void *stacks = malloc(COROUTINES * COROUTINE_BYTES);
	long i;

	if (!alternate.ss_sp || !stacks)
		abort();
	sigaltstack(&alternate, NULL);
	current = &job->dice;
	for (i = 0; i < job->rounds; i++) {
		play(&job->dice, 10);
		play_coroutines(&job->dice, stacks);
	}
	sigaltstack(&none, NULL);
	free(stacks);
	free(alternate.ss_sp);
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct job jobs[THREADS + 1];
	pthread_t threads[THREADS];
	int i;

	signals = argc > 3 && !strcmp(argv[3], "signals");
	take_signals();
	memset(jobs, 0, sizeof(jobs));
	for (i = 0; i <= THREADS; i++) {
		jobs[i].dice.state = (seed * 4 + (uint64_t)i) * 0x9e3779b97f4a7c15u | 1;
		jobs[i].rounds = rounds;
	}
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &jobs[i]))
			abort();
	work(&jobs[THREADS]);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (signals)
		play_surprises(&jobs[0].dice, 3000);
	puts("done");
	return 0;
}
