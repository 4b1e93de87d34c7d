/* SPDX-License-Identifier: MIT */
/*
 * A store of small records, made at the start, that moves them into packed segments: of
 * a group of 16 records, which is a page, 15 go into half a segment, and one stays as
 * the group's head.  The segment has as many bytes as the records had, so the live heap
 * is constant; but it is larger than the hole that a group leaves, and the hole is smaller
 * than a page.  So each group costs 3840 bytes of RSS that nothing can give back.
 */
#ifndef SEEP_TESTS_STORE_H
#define SEEP_TESTS_STORE_H

#include "work.h"

#define STORE_GROUPS 6000
#define STORE_RECORDS 16         /* of a group */
#define STORE_RECORD_BYTES 240   /* 256 with what malloc adds */
#define STORE_SEGMENT_BYTES (2 * (STORE_RECORDS - 1) * STORE_RECORD_BYTES)

static char *store_records[STORE_GROUPS][STORE_RECORDS];
static char *store_segments[STORE_GROUPS / 2];

static ZOO_SITE char *store_record(void)
{
	return zoo_touch(malloc(STORE_RECORD_BYTES), STORE_RECORD_BYTES);
}

static ZOO_SITE char *store_segment(void)
{
	return zoo_touch(malloc(STORE_SEGMENT_BYTES), STORE_SEGMENT_BYTES);
}

static inline void store_fill(void)
{
	long g, r;

	for (g = 0; g < STORE_GROUPS; g++)
		for (r = 0; r < STORE_RECORDS; r++)
			store_records[g][r] = store_record();
}

static inline void store_thin(long group)
{
	long r;

	for (r = 1; r < STORE_RECORDS; r++)
		free(store_records[group][r]);
}

/* Two groups go into one segment. */
static inline void store_compact(long pair)
{
	store_thin(2 * pair);
	store_thin(2 * pair + 1);
	store_segments[pair] = store_segment();
}

#endif
