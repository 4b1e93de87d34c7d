/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one call of seep.h costs, and next to it what it cannot cost less than: a
 * pread of a statm that is kept open.  Prints one line of JSON with nanoseconds per
 * call, the median of many batches; the kinds of calls take turns, so that all see
 * the same weather.  Run it alone and under `seep run`: "active" tells which it was.
 */
#include <seep.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BATCHES 41
#define EVENT_BATCHES 9 /* fewer and longer, so that an anchor has its real share in each */

static int statm;

static void read_statm(long i)
{
	char text[128];

	(void)i;
	if (pread(statm, text, sizeof(text), 0) <= 0)
		abort();
}

static void stamp(long i)
{
	(void)i;
	seep_stamp("stamp");
}

static void count(long i)
{
	seep_count("count", (double)i);
}

/* Two marks; in a loop this tight they share a reading of RSS per 0.1 ms. */
static void mark_event(long i)
{
	seep_event_begin(i);
	seep_event_end();
}

#define LATE 200000 /* events, after which hardly any is written */

static void late_stamp(long i)
{
	stamp(i);
}

static void late_count(long i)
{
	count(i);
}

static void late_mark_event(long i)
{
	mark_event(i);
}

static void nothing(long i)
{
	__asm__ volatile("" : : "r"(i) : "memory");
}

/*
 * Calls per turn of the loop, turns per batch with seep and without.  All the events
 * together are few enough to be written; those of the second list come after very many.
 */
#define KINDS(X)                              \
	X(nothing, 1, 20000, 1000000)         \
	X(read_statm, 1, 1000, 1000)          \
	X(stamp, 1, 1000, 1000000)            \
	X(count, 1, 5000, 1000000)            \
	X(mark_event, 2, 440, 1000000)

#define LATE_KINDS(X)                         \
	X(late_stamp, 1, 5000, 1000000)       \
	X(late_count, 1, 5000, 1000000)       \
	X(late_mark_event, 2, 5000, 1000000)

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Each kind has a loop of its own, so that the call is inlined as in a program. */
#define LOOP(name, calls, with, without)                                           \
	__attribute__((noinline)) static double time_##name(void)                  \
	{                                                                          \
		long turns = seep_active() ? (with) : (without), i;                \
		double start = now_ns();                                           \
                                                                                   \
		for (i = 0; i < turns; i++) {                                      \
			name(i);                                                   \
			__asm__ volatile("" ::: "memory");                         \
		}                                                                  \
		return (now_ns() - start) / (double)turns / (calls);               \
	}

KINDS(LOOP)
LATE_KINDS(LOOP)

#define ENTRY(name, calls, with, without) { #name, time_##name },

static const struct kind {
	const char *name;
	double (*time)(void);
} kinds[] = { KINDS(ENTRY) LATE_KINDS(ENTRY) };

#define N_KINDS (sizeof(kinds) / sizeof(*kinds))
#define N_LATE 3

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double ns[N_KINDS][BATCHES];

/* All the marked events together must be few enough to be written. */
static size_t batches_of(size_t kind)
{
	return kinds[kind].time == time_mark_event ? EVENT_BATCHES : BATCHES;
}

static void time_kinds(size_t first, size_t end)
{
	size_t kind, batch;

	for (batch = 0; batch < BATCHES; batch++)
		for (kind = first; kind < end; kind++)
			if (batch < batches_of(kind))
				ns[kind][batch] = kinds[kind].time();
}

int main(void)
{
	size_t kind;
	long i;

	statm = open("/proc/self/statm", O_RDONLY);
	if (statm < 0)
		return 1;
	time_kinds(0, N_KINDS - N_LATE);
	for (i = 0; i < LATE; i++)
		mark_event(i);
	time_kinds(N_KINDS - N_LATE, N_KINDS);
	printf("{\"active\": %s", seep_active() ? "true" : "false");
	for (kind = 0; kind < N_KINDS; kind++) {
		qsort(ns[kind], batches_of(kind), sizeof(double), compare);
		printf(", \"%s\": %.3f", kinds[kind].name, ns[kind][batches_of(kind) / 2]);
	}
	printf("}\n");
	return fflush(stdout) ? 1 : 0;
}
