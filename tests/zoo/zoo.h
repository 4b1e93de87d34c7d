/* SPDX-License-Identifier: MIT */
/*
 * What the programs of the zoo have in common.  Each is small, allocates under the real
 * allocator in one of the ways memory grows (or does not), marks its events with
 * seep.h, and prints what is true of it as the last line of its output:
 *
 *	zoo {"kinds": ["leak"], "bytes_per_event": 100, "phase": "work", "site": "keep_one",
 *	     "drivers": ["hits"]}
 *
 * Any of the kinds (of the report JSON) is right, any of the drivers is; what there is
 * none of is null, or an empty list.  phase is the stamp that begins it, site the
 * function that calls malloc (and must not be inlined).
 *
 * Run as PROGRAM [EVENTS [SEED]]; both have defaults that suit the scenario.
 */
#ifndef SEEP_TESTS_ZOO_H
#define SEEP_TESTS_ZOO_H

#include <seep.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define ZOO_SITE __attribute__((noinline))
#else
#define ZOO_SITE __attribute__((noinline, noclone))
#endif

struct zoo_truth {
	const char *kinds[4];
	double bytes_per_event;  /* NAN: none */
	const char *phase, *site;
	const char *drivers[4];
};

static uint64_t zoo_state = 0x9e3779b97f4a7c15u;
static long zoo_events;

/* In (0, 1); the same numbers on every machine. */
static inline double zoo_uniform(void)
{
	zoo_state ^= zoo_state >> 12;
	zoo_state ^= zoo_state << 25;
	zoo_state ^= zoo_state >> 27;
	return ((double)((zoo_state * 0x2545f4914f6cdd1du) >> 11) + .5) / 9007199254740992.0;
}

static inline long zoo_start(int argc, char **argv, long events)
{
	zoo_events = argc > 1 ? atol(argv[1]) : events;
	if (argc > 2)
		zoo_state ^= (uint64_t)atoll(argv[2]) * 0xd1b54a32d192ed03u;
	return zoo_events;
}

static inline void zoo_print_list(const char *const *items, size_t max)
{
	size_t i;

	putchar('[');
	for (i = 0; i < max && items[i]; i++)
		printf("%s\"%s\"", i ? ", " : "", items[i]);
	putchar(']');
}

static inline void zoo_print_name(const char *key, const char *name)
{
	if (name)
		printf(", \"%s\": \"%s\"", key, name);
	else
		printf(", \"%s\": null", key);
}

static inline void zoo_tell(const struct zoo_truth *truth)
{
	printf("zoo {\"kinds\": ");
	zoo_print_list(truth->kinds, 4);
	if (isnan(truth->bytes_per_event))
		printf(", \"bytes_per_event\": null");
	else
		printf(", \"bytes_per_event\": %.3f", truth->bytes_per_event);
	zoo_print_name("phase", truth->phase);
	zoo_print_name("site", truth->site);
	printf(", \"drivers\": ");
	zoo_print_list(truth->drivers, 4);
	puts("}");
}

/* So that the compiler keeps the block, and its pages are touched. */
static inline void *zoo_touch(void *block, size_t bytes)
{
	if (block)
		memset(block, 0x5a, bytes);
	__asm__ volatile("" : : "r"(block) : "memory");
	return block;
}

#endif
