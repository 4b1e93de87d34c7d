/* SPDX-License-Identifier: MIT */
/*
 * What a program of the zoo does besides its scenario, so that it looks like one: lines
 * that live for a phase, nodes and sessions for some events, replies that grow, big
 * buffers now and then, some computing, and RSS that moves without the heap.
 *
 *	work_read(i)     lines come in                       (counter "lines")
 *	work_handle(i)   nodes and sessions are made; computes
 *	work_write(i)    a reply grows and goes; lines and what has had its time are freed
 *
 * About 60 blocks an event, and a live heap that wanders by some kB around a constant.
 */
#ifndef SEEP_TESTS_WORK_H
#define SEEP_TESTS_WORK_H

#include "zoo.h"

#include <sys/mman.h>
#include <time.h>

#define WORK_SITE static __attribute__((noinline, unused))
#define WORK_WHEEL 16            /* no block of the background lives for more events */
#define WORK_PAGE 4096

struct work_block {
	struct work_block *next;
	char text[];
};

static struct work_block *work_lines;
static struct work_block *work_wheel[WORK_WHEEL]; /* by the event in which they die */

static struct {
	char *base;
	size_t most, touched;    /* bytes */
} work_scratch;

/* --- numbers */

/* One of 0 .. n - 1. */
static inline long work_below(long n)
{
	return (long)(zoo_uniform() * (double)n);
}

static inline double work_normal(void)
{
	double radius = sqrt(-2 * log(zoo_uniform()));

	return radius * cos(2 * 3.14159265358979323846 * zoo_uniform());
}

static inline long work_poisson(double mean)
{
	double product = 1, end = exp(-mean);
	long n = -1;

	if (mean > 50)
		return (long)fmax(0, floor(mean + sqrt(mean) * work_normal() + .5));
	do {
		product *= zoo_uniform();
		n++;
	} while (product > end);
	return n;
}

/* How many of `all` are there before event i, if they come as all (1 - exp(-i / tau)). */
static inline long work_due(long i, double tau, long all)
{
	return (long)((double)all * -expm1(-(double)i / tau) + .5);
}

static inline int64_t work_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void work_sleep_us(double us)
{
	struct timespec pause = { .tv_nsec = (long)(us * 1000) };

	nanosleep(&pause, NULL);
}

/* About so many microseconds of arithmetic. */
static inline void work_compute(long us)
{
	uint64_t x = 88172645463325252u;
	long i;

	for (i = 0; i < us * 400; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	__asm__ volatile("" : : "r"(x));
}

/* --- blocks that come and go */

static inline void work_push(struct work_block **list, struct work_block *block)
{
	block->next = *list;
	*list = block;
}

static inline void work_free(struct work_block **list)
{
	while (*list) {
		struct work_block *block = *list;

		*list = block->next;
		free(block);
	}
}

WORK_SITE struct work_block *work_line(size_t bytes)
{
	return zoo_touch(malloc(sizeof(struct work_block) + bytes), bytes);
}

WORK_SITE struct work_block *work_node(size_t bytes)
{
	return zoo_touch(calloc(1, sizeof(struct work_block) + bytes), bytes);
}

WORK_SITE struct work_block *work_session(size_t bytes)
{
	return zoo_touch(malloc(sizeof(struct work_block) + bytes), bytes);
}

/* A buffer that doubles until the reply is in it. */
WORK_SITE void work_reply(size_t bytes)
{
	size_t capacity = 256;
	char *text = malloc(capacity);

	while (capacity < bytes) {
		capacity *= 2;
		text = realloc(text, capacity);
	}
	zoo_touch(text, bytes);
	free(text);
}

WORK_SITE void work_image(size_t bytes)
{
	free(zoo_touch(malloc(bytes), bytes));
}

static inline void work_read(long event)
{
	long i, n = 20 + work_below(41);

	(void)event;
	for (i = 0; i < n; i++)
		work_push(&work_lines, work_line(20 + (size_t)work_below(100)));
	seep_count("lines", (double)n);
}

/* It lives for so many events more. */
static inline void work_keep(struct work_block *block, long event, long events)
{
	work_push(&work_wheel[(event + events) % WORK_WHEEL], block);
}

static inline void work_handle(long event)
{
	long i, life, n = 5 + work_below(11);

	for (i = 0; i < n; i++) {
		life = work_below(6);
		work_keep(work_node(40 + (size_t)work_below(120)), event, life);
	}
	if (zoo_uniform() < .2) {
		life = 3 + work_below(10);
		work_keep(work_session(1000 + (size_t)work_below(3000)), event, life);
	}
	work_compute(150 + work_below(200));
}

static inline void work_write(long event)
{
	work_reply(500 + (size_t)work_below(12000));
	if (zoo_uniform() < .03)
		work_image(30000 + (size_t)work_below(60000));
	work_free(&work_lines);
	work_free(&work_wheel[event % WORK_WHEEL]);
}

/* Until the allocator has what all this needs: where RSS is the measure, it is at rest then. */
static inline void work_settle(void)
{
	long i;

	for (i = 0; i < 10 * WORK_WHEEL; i++) {
		work_read(i);
		work_handle(i);
		work_write(i);
	}
}

/* --- RSS that is no heap: a constant mapping of which more or less is in memory */

WORK_SITE void work_map_scratch(size_t bytes)
{
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	madvise(base, bytes, MADV_NOHUGEPAGE);
	work_scratch.base = base;
	work_scratch.most = bytes;
}

/* So many bytes of the scratch area are resident from now on. */
static inline void work_use_scratch(double bytes)
{
	double most = (double)work_scratch.most;
	size_t at = work_scratch.touched;
	size_t end = (size_t)fmax(0, fmin(bytes, most)) / WORK_PAGE * WORK_PAGE;

	if (end < at)
		madvise(work_scratch.base + end, at - end, MADV_DONTNEED);
#ifdef MADV_POPULATE_WRITE
	if (end > at) /* if the kernel can: much faster than a fault for each */
		madvise(work_scratch.base + at, end - at, MADV_POPULATE_WRITE);
#endif
	for (; at < end; at += WORK_PAGE)
		*(volatile char *)(work_scratch.base + at) = 1;
	work_scratch.touched = end;
}

#endif
