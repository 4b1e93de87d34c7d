/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow, in all the ways there are, by a program that counts them itself:
 *
 *	truth moves FUNCTION chains N growths N ...
 *
 * is about the blocks that the function of that name has allocated.  compare_moves.py holds
 * seep's report against it.
 */
#include "seep.h"
#include "truth.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 10
#define ARRAYS 10

struct array {
	char *data;
	uintptr_t at;            /* where data is, or was before realloc */
	size_t bytes;
	int grown;
};

struct counts {
	long long chains, growths, moves, replaced, copied_bytes, first_bytes, grown_bytes;
	long long largest_bytes, live_chains, live_bytes;
};

/* copied: what had to be copied if the address is another one. */
static void count_growth(struct counts *counts, struct array *array, char *data, size_t bytes,
			 size_t copied)
{
	int moved = array->at != (uintptr_t)data;

	if (array->at && bytes > array->bytes) {
		counts->chains += !array->grown;
		counts->first_bytes += array->grown ? 0 : (long long)array->bytes;
		counts->growths++;
		counts->moves += moved;
		counts->copied_bytes += moved ? (long long)copied : 0;
		counts->grown_bytes += (long long)(bytes - array->bytes);
		if ((long long)bytes > counts->largest_bytes)
			counts->largest_bytes = (long long)bytes;
		array->grown = 1;
	}
	array->data = data;
	array->at = (uintptr_t)data;
	array->bytes = bytes;
	memset(data, 1, bytes);
}

static void count_live(struct counts *counts, const struct array *array)
{
	counts->live_chains += array->grown;
	counts->live_bytes += array->grown ? (long long)array->bytes : 0;
}

static void drop(struct array *array)
{
	free(array->data);
	memset(array, 0, sizeof(*array));
}

static void tell(const char *function, const struct counts *counts)
{
	printf("truth moves %s chains %lld growths %lld moves %lld replaced %lld "
	       "copied_bytes %lld first_bytes %lld grown_bytes %lld largest_bytes %lld "
	       "live_chains %lld live_bytes %lld\n", function, counts->chains, counts->growths,
	       counts->moves, counts->replaced, counts->copied_bytes, counts->first_bytes,
	       counts->grown_bytes, counts->largest_bytes, counts->live_chains,
	       counts->live_bytes);
}

/* --- realloc, arrays in turn, so that they are in each other's way; from 5 bytes on */

SITE static void resize(struct counts *counts, struct array *array, size_t bytes)
{
	char *data = realloc(array->data, bytes);

	if (data)
		count_growth(counts, array, data, bytes, array->bytes);
	KEEP_FRAME();
}

static void resize_in_turn(struct counts *counts, int keep)
{
	struct array arrays[ARRAYS] = { 0 };
	size_t bytes;
	int i;

	for (bytes = 5; bytes < 60000; bytes *= 3)
		for (i = 0; i < ARRAYS; i++)
			if (bytes < (size_t)1000 << i)
				resize(counts, &arrays[i], bytes);
	resize(counts, &arrays[0], 7);       /* a chain that shrinks goes on */
	resize(counts, &arrays[0], (size_t)1 << 60); /* ... and one that cannot have it all */
	resize(counts, &arrays[0], 70);
	for (i = 0; i < ARRAYS; i++) {
		if (i < keep)
			count_live(counts, &arrays[i]);
		else
			drop(&arrays[i]);
	}
}

/* --- the same by hand: a larger block, a copy, and the old one goes; two in turn */

SITE static void replace(struct counts *counts, struct array *array, size_t bytes)
{
	char *data = malloc(bytes), *old = array->data;
	size_t old_bytes = array->bytes;

	if (old) {
		memcpy(data, old, old_bytes);
		counts->replaced++;
	}
	count_growth(counts, array, data, bytes, old_bytes);
	free(old);
	KEEP_FRAME();
}

static void replace_in_turn(struct counts *counts, int keep)
{
	struct array arrays[2] = { { 0 } };
	volatile size_t i; /* so that there is one call, and one site */
	size_t items;

	for (items = 1; items <= 4096; items *= 2)
		for (i = 0; i < 2; i++)
			if (!i || items <= 512)
				replace(counts, &arrays[i], items * 24);
	drop(&arrays[1]);
	if (keep)
		count_live(counts, &arrays[0]);
	else
		drop(&arrays[0]);
}

/* --- one more item each time */

SITE static void append(struct counts *counts, struct array *array)
{
	char *data = malloc(array->bytes + 40), *old = array->data;
	size_t old_bytes = array->bytes;

	if (old) {
		memcpy(data, old, old_bytes);
		counts->replaced++;
	}
	count_growth(counts, array, data, old_bytes + 40, old_bytes);
	free(old);
	KEEP_FRAME();
}

/* --- pages of their own are not copied */

SITE static void resize_pages(struct counts *counts, struct array *array, size_t bytes)
{
	char *data = realloc(array->data, bytes);

	count_growth(counts, array, data, bytes, 0);
	KEEP_FRAME();
}

/* --- begun by one thread, gone on with by another */

static struct {
	struct counts counts;
	struct array array;
} handed;

SITE static void resize_handed(size_t bytes)
{
	char *data = realloc(handed.array.data, bytes);

	count_growth(&handed.counts, &handed.array, data, bytes, handed.array.bytes);
	KEEP_FRAME();
}

static void *go_on(void *unused)
{
	resize_handed(500);
	resize_handed(50000);
	return unused;
}

/* --- what only looks like it: equal sizes, smaller ones, a larger one that stays */

SITE static void *come_and_go(void *old, size_t bytes)
{
	void *block = malloc(bytes);

	free(old);
	KEEP_FRAME();
	return block;
}

static void run_event(struct counts counts[4], long event)
{
	struct array steps = { 0 }, pages = { 0 };
	void *block = NULL;
	int last = event == EVENTS - 1, i;

	resize_in_turn(&counts[0], last ? 3 : 0);
	replace_in_turn(&counts[1], last);
	for (i = 0; i < 50; i++)
		append(&counts[2], &steps);
	drop(&steps);
	for (i = 1; i <= 8; i++)
		resize_pages(&counts[3], &pages, (size_t)i << 20);
	drop(&pages);
	for (i = 0; i < 50; i++)
		block = come_and_go(block, (size_t)(1000 - i));
	free(block);
}

int main(void)
{
	static const struct counts none;
	struct counts counts[4] = { { 0 } };
	pthread_t thread;
	long i;

	mallopt(M_MMAP_THRESHOLD, 512 << 10); /* and it stays there */
	for (i = 0; i < EVENTS; i++) {
		seep_event_begin(i);
		run_event(counts, i);
		seep_event_end();
	}
	resize_handed(50);
	resize_handed(70);
	if (!pthread_create(&thread, NULL, go_on, NULL))
		pthread_join(thread, NULL);
	count_live(&handed.counts, &handed.array);
	tell("resize", &counts[0]);
	tell("replace", &counts[1]);
	tell("append", &counts[2]);
	tell("resize_pages", &counts[3]);
	tell("resize_handed", &handed.counts);
	tell("come_and_go", &none);
	return 0;
}
