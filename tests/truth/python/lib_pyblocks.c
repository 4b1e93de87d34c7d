/* SPDX-License-Identifier: MIT */
/*
 * Blocks from the allocators of the Python that loads this, in all sizes and ways: pyblocks.py.
 * The interpreter's lock is held in all functions.
 */
#include "truth.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void *PyMem_Malloc(size_t bytes), *PyObject_Malloc(size_t bytes);
void *PyMem_Calloc(size_t n, size_t bytes), *PyObject_Calloc(size_t n, size_t bytes);
void *PyMem_Realloc(void *block, size_t bytes), *PyObject_Realloc(void *block, size_t bytes);
void PyMem_Free(void *block), PyObject_Free(void *block);
void *PyMem_RawMalloc(size_t bytes);

void fill(int turns), drop_all(void), tell(void);

/* pymalloc's classes are 16 bytes wide and end at 512. */
static const size_t sizes[] = {0, 1, 8, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 100, 256, 511, 512,
			       513, 600, 1000, 4000, 5000, 70000, 200000};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define TURNS_MAX 400

enum way { MEM, MEM_ZEROED, MEM_RESIZED, OBJECT, OBJECT_ZEROED, OBJECT_RESIZED, RAW, WAYS };

static const char *const names[] = {"mem", "mem_zeroed", "mem_resized", "object", "object_zeroed",
				    "object_resized", "raw"};

static struct block {
	void *at;
	size_t bytes;
} blocks[WAYS][TURNS_MAX][SIZES];

static long long born[WAYS], died[WAYS];

#define MAKER(name, call)                    \
	SITE static void *name(size_t bytes) \
	{                                    \
		void *block = call;          \
		KEEP_FRAME();                \
		return block;                \
	}

MAKER(mem, PyMem_Malloc(bytes))
MAKER(mem_zeroed, PyMem_Calloc(1, bytes))
MAKER(mem_resized, PyMem_Realloc(NULL, bytes))
MAKER(object, PyObject_Malloc(bytes))
MAKER(object_zeroed, PyObject_Calloc(bytes, 1))
MAKER(object_resized, PyObject_Realloc(NULL, bytes))
MAKER(raw, PyMem_RawMalloc(bytes))

static void *(*const makers[])(size_t) = {mem, mem_zeroed, mem_resized, object, object_zeroed,
					   object_resized, raw};

static void drop(enum way way, struct block *block)
{
	if (way == RAW)
		return;
	(way < OBJECT ? PyMem_Free : PyObject_Free)(block->at);
	block->at = NULL;
	died[way]++;
}

/* What a block holds must survive. */
static void resize(enum way way, struct block *block, size_t bytes)
{
	size_t kept = bytes < block->bytes ? bytes : block->bytes, i;
	unsigned char *moved;

	memset(block->at, (int)way + 1, block->bytes);
	moved = (way < OBJECT ? PyMem_Realloc : PyObject_Realloc)(block->at, bytes);
	for (i = 0; i < kept; i++)
		if (moved[i] != way + 1)
			abort();
	block->at = moved;
	block->bytes = bytes;
}

/* In each turn a block of each size and way, then resizing some, and freeing every third. */
void fill(int turns)
{
	static int turn;
	int last = turn + turns;
	size_t i;
	int way;

	for (; turn < last && turn < TURNS_MAX; turn++)
		for (way = 0; way < WAYS; way++) {
			struct block *of = blocks[way][turn];

			for (i = 0; i < SIZES; i++) {
				of[i] = (struct block){makers[way](sizes[i]), sizes[i]};
				born[way]++;
			}
			for (i = 0; i < SIZES && (way == MEM_RESIZED || way == OBJECT_RESIZED); i++)
				resize((enum way)way, &of[i],
				       sizes[(i * 7 + (size_t)turn) % SIZES]);
			for (i = (size_t)turn % 3; i < SIZES; i += 3)
				drop((enum way)way, &of[i]);
		}
}

void drop_all(void)
{
	int way, i;
	size_t k;

	for (way = 0; way < WAYS; way++)
		for (i = 0; i < TURNS_MAX; i++)
			for (k = 0; k < SIZES; k++)
				if (blocks[way][i][k].at)
					drop((enum way)way, &blocks[way][i][k]);
}

/* Python asks malloc for a byte where nothing is wanted. */
static long long counted(enum way way, const struct block *block)
{
	bool is_raw = way == RAW || getenv("PYTHONMALLOC");

	if (!block->at)
		return 0;
	return block->bytes || !is_raw ? (long long)block->bytes : 1;
}

void tell(void)
{
	int way, i;
	size_t k;

	for (way = 0; way < WAYS; way++) {
		long long bytes = 0;

		for (i = 0; i < TURNS_MAX; i++)
			for (k = 0; k < SIZES; k++)
				bytes += counted((enum way)way, &blocks[way][i][k]);
		printf("truth site %s blocks %lld bytes %lld born %lld died %lld\n", names[way],
		       born[way] - died[way], bytes, born[way], died[way]);
	}
	fflush(stdout);
}
