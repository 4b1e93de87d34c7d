/* SPDX-License-Identifier: MIT */
/*
 * Everything at once, for as long as wanted: threads that come and go, the whole
 * malloc family with sizes from 1 byte to 200 kB, blocks that are resized and
 * freed by threads that did not allocate them.
 *
 *	stress [SECONDS [THREADS [SEED]]]
 *
 * A block in flight is one word, so that threads hand blocks over by a single
 * atomic exchange and there is no lock to put them in order:
 *
 *	address / 16 (44 bits) | site (4) | which of the sizes (12)
 *
 * Every thread counts what it does per site; main adds the counts up when it has
 * joined the thread, and at the end prints the truth about what it left alive: all that there
 * was, since seep takes what is freed behind the last event in the trace for a clean-up.
 * The first and the last byte of a block tell whether it is still what it was.
 */
#include "truth.h"
#include "seep.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZES 4096u
#define LARGEST 200000u
#define SLOTS 20000u
#define SITES 7u
#define THREADS_MAX 64

enum { NO_BLOCK = 0 };

struct book {
	long long born, born_bytes, died, died_bytes;
};

struct worker {
	pthread_t thread;
	uint64_t dice;
	struct book books[SITES];
};

static uint32_t sizes[SIZES];
static _Atomic uint64_t slots[SLOTS];
static struct book total[SITES];

static uint64_t roll(uint64_t *dice, uint64_t below)
{
	*dice ^= *dice << 13;
	*dice ^= *dice >> 7;
	*dice ^= *dice << 17;
	return (*dice >> 11) % below;
}

/* --- The sites */

SITE static void *site_malloc(size_t bytes, size_t alignment)
{
	void *block = malloc(bytes);

	(void)alignment;
	KEEP_FRAME();
	return block;
}

SITE static void *site_calloc(size_t bytes, size_t alignment)
{
	unsigned char *block = calloc(bytes, 1);

	(void)alignment;
	if (block[0] || block[bytes / 2] || block[bytes - 1])
		abort();
	KEEP_FRAME();
	return block;
}

SITE static void *site_realloc(size_t bytes, size_t alignment)
{
	void *block = realloc(NULL, bytes);

	(void)alignment;
	KEEP_FRAME();
	return block;
}

SITE static void *site_reallocarray(size_t bytes, size_t alignment)
{
	void *block = reallocarray(NULL, bytes, 1);

	(void)alignment;
	KEEP_FRAME();
	return block;
}

SITE static void *site_memalign(size_t bytes, size_t alignment)
{
	void *block = memalign(alignment, bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *site_posix_memalign(size_t bytes, size_t alignment)
{
	void *block = NULL;

	if (posix_memalign(&block, alignment, bytes))
		abort();
	KEEP_FRAME();
	return block;
}

SITE static void *site_aligned_alloc(size_t bytes, size_t alignment)
{
	void *block = aligned_alloc(alignment, bytes);

	KEEP_FRAME();
	return block;
}

static const struct {
	const char *name;
	void *(*allocate)(size_t bytes, size_t alignment);
} sites[SITES] = {
	{"site_malloc", site_malloc},
	{"site_calloc", site_calloc},
	{"site_realloc", site_realloc},
	{"site_reallocarray", site_reallocarray},
	{"site_memalign", site_memalign},
	{"site_posix_memalign", site_posix_memalign},
	{"site_aligned_alloc", site_aligned_alloc},
};

/* Each depth is a stack, and so a site of the tracker, of its own. */
SITE static void *climb(unsigned int depth, unsigned int site, size_t bytes, size_t alignment)
{
	void *block = depth ? climb(depth - 1, site, bytes, alignment)
			    : sites[site].allocate(bytes, alignment);

	KEEP_FRAME();
	return block;
}

/* --- Blocks in one word */

static void *block_of(uint64_t word)
{
	return (void *)(uintptr_t)((word >> 16) << 4);
}

static unsigned int site_of(uint64_t word)
{
	return (unsigned int)(word >> 12 & 15);
}

static size_t bytes_of(uint64_t word)
{
	return sizes[word % SIZES];
}

static unsigned char mark_of(uint64_t word)
{
	return (unsigned char)(word >> 12 ^ word >> 20 ^ word >> 28);
}

static uint64_t wrap(void *block, unsigned int site, uint32_t size)
{
	uint64_t word = (uint64_t)(uintptr_t)block >> 4 << 16 | (uint64_t)site << 12 | size;
	unsigned char *bytes = block;

	if (!block || (uintptr_t)block % 16)
		abort();
	bytes[0] = bytes[sizes[size] - 1] = mark_of(word);
	return word;
}

static void verify(uint64_t word)
{
	const unsigned char *bytes = block_of(word);

	if (bytes[0] != mark_of(word) || bytes[bytes_of(word) - 1] != mark_of(word))
		abort();
}

/* --- What may happen to a block, each with its entry in the books */

static uint64_t give_birth(struct worker *me)
{
	unsigned int site = (unsigned int)roll(&me->dice, SITES);
	uint32_t size = (uint32_t)roll(&me->dice, SIZES);
	size_t alignment = (size_t)16 << roll(&me->dice, roll(&me->dice, 8) ? 3 : 9);

	me->books[site].born++;
	me->books[site].born_bytes += sizes[size];
	return wrap(climb((unsigned int)roll(&me->dice, 12), site, sizes[size], alignment), site,
		    size);
}

static void bury(struct worker *me, uint64_t word)
{
	if (word == NO_BLOCK)
		return;
	verify(word);
	me->books[site_of(word)].died++;
	me->books[site_of(word)].died_bytes += (long long)bytes_of(word);
	if (roll(&me->dice, 50))
		free(block_of(word));
	else if (realloc(block_of(word), 0)) /* frees it, too */
		abort();
}

/* The block is still the one that was born where it was born. */
static uint64_t resize(struct worker *me, uint64_t word)
{
	struct book *book = &me->books[site_of(word)];
	uint32_t size = (uint32_t)roll(&me->dice, SIZES);
	unsigned char first = mark_of(word), *moved;
	long long more = (long long)sizes[size] - (long long)bytes_of(word);

	verify(word);
	moved = realloc(block_of(word), sizes[size]);
	if (!moved || moved[0] != first)
		abort();
	if (more > 0)
		book->born_bytes += more;
	else
		book->died_bytes -= more;
	return wrap(moved, site_of(word), size);
}

static uint64_t swap(struct worker *me, uint64_t word)
{
	return atomic_exchange_explicit(&slots[roll(&me->dice, SLOTS)], word,
					memory_order_acq_rel);
}

static void *work(void *argument)
{
	struct worker *me = argument;
	uint64_t steps = 2000 + roll(&me->dice, 30000), word;

	while (steps--) {
		switch (roll(&me->dice, 8)) {
		case 0: /* takes one away */
			bury(me, swap(me, NO_BLOCK));
			break;
		case 1:
		case 2:
			word = swap(me, NO_BLOCK);
			if (word != NO_BLOCK)
				bury(me, swap(me, resize(me, word)));
			break;
		case 3: /* a short life */
			bury(me, give_birth(me));
			break;
		default:
			bury(me, swap(me, give_birth(me)));
		}
	}
	return NULL;
}

/* --- main */

static void start(struct worker *worker, uint64_t seed)
{
	memset(worker->books, 0, sizeof(worker->books));
	worker->dice = seed * 0x9e3779b97f4a7c15u | 1;
	if (pthread_create(&worker->thread, NULL, work, worker))
		abort();
}

static void add_up(const struct worker *worker)
{
	unsigned int i;

	for (i = 0; i < SITES; i++) {
		total[i].born += worker->books[i].born;
		total[i].born_bytes += worker->books[i].born_bytes;
		total[i].died += worker->books[i].died;
		total[i].died_bytes += worker->books[i].died_bytes;
	}
}

/* As many small ones as large ones, down to every single size below 100. */
static void choose_sizes(uint64_t *dice)
{
	uint32_t i;

	for (i = 0; i < SIZES; i++) {
		uint64_t largest = (uint64_t)2 << roll(dice, 17);

		sizes[i] = (uint32_t)roll(dice, largest < LARGEST ? largest : LARGEST) + 1;
		if (i < 100)
			sizes[i] = i + 1;
	}
	sizes[100] = LARGEST;
}

static void play(long seconds, int n_threads, uint64_t seed)
{
	static struct worker workers[THREADS_MAX];
	time_t end = time(NULL) + seconds;
	uint64_t started = seed * 1000003u;
	int64_t event = 0;
	int i;

	for (i = 0; i < n_threads; i++)
		start(&workers[i], ++started);
	for (i = 0; time(NULL) < end; i = (i + 1) % n_threads) {
		seep_event_begin(event++);
		pthread_join(workers[i].thread, NULL);
		add_up(&workers[i]);
		start(&workers[i], ++started);
		seep_event_end();
	}
	for (i = 0; i < n_threads; i++) {
		pthread_join(workers[i].thread, NULL);
		add_up(&workers[i]);
	}
	/* What is left is that of an event: else it looks like a clean-up behind the last. */
	seep_event_begin(event);
	seep_event_end();
}

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 2;
	int n_threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 3;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1, dice = seed * 77 + 1;
	unsigned int i;

	if (n_threads < 1 || n_threads > THREADS_MAX)
		return 2;
	choose_sizes(&dice);
	play(seconds, n_threads, seed);
	for (i = 0; i < SITES; i++)
		printf("truth site %s blocks %lld bytes %lld born %lld died %lld\n", sites[i].name,
		       total[i].born - total[i].died, total[i].born_bytes - total[i].died_bytes,
		       total[i].born, total[i].died);
	return 0;
}
