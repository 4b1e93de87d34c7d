/* SPDX-License-Identifier: MIT */
/*
 * The rest of a program of the zoo: work that takes some time, and blocks
 * that come and go without being what the program is about.
 */
#ifndef SEEP_TESTS_ZOO_MOCK_H
#define SEEP_TESTS_ZOO_MOCK_H

#include "zoo.h"

#define MOCK_SESSIONS 32

static volatile double mock_result;
static void *mock_sessions[MOCK_SESSIONS];

/* Some tenths of a millisecond. */
static inline void mock_think(int tenths)
{
	double sum = 0;
	int i;

	for (i = 1; i < tenths * 20000; i++)
		sum += 1 / (double)i;
	mock_result = sum;
}

/* What a phase needs while it runs. */
ZOO_SITE static void mock_scratch(int blocks)
{
	void *all[64];
	int i;

	for (i = 0; i < blocks && i < 64; i++) {
		size_t bytes = 32 + (size_t)(zoo_uniform() * 2000);

		all[i] = zoo_touch(malloc(bytes), bytes);
	}
	mock_think(2);
	while (i-- > 0)
		free(all[i]);
}

/* One of the sessions ends, and another one takes its place. */
ZOO_SITE static void mock_session(void)
{
	size_t at = (size_t)(zoo_uniform() * MOCK_SESSIONS);
	size_t bytes = 200 + (size_t)(zoo_uniform() * 1000);

	free(mock_sessions[at]);
	mock_sessions[at] = zoo_touch(malloc(bytes), bytes);
}

static inline void mock_start(void)
{
	int i;

	for (i = 0; i < 4 * MOCK_SESSIONS; i++)
		mock_session();
}

/* In (0, infinity), 1 in the mean. */
static inline double mock_exponential(void)
{
	return -log(zoo_uniform());
}

/* About normal, cut at three times the spread. */
static inline double mock_normal(void)
{
	double sum = 0;
	int i;

	for (i = 0; i < 12; i++)
		sum += zoo_uniform();
	return fmax(-3, fmin(3, sum - 6));
}

#endif
