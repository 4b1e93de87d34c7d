/* SPDX-License-Identifier: MIT */
/*
 * swelling [realloc|replace|both]: one array that grows through all events, by realloc or by
 * hand; both is realloc, with a kept block of the same size from the same place per event, so
 * that the array is the smaller part of what grows.
 */
#include "seep.h"
#include "truth.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS 200
#define STEP ((size_t)1000)

static char *data, *kept[EVENTS];

/* The one place where anything is allocated. */
SITE static char *get(char *old, size_t bytes)
{
	char *block = realloc(old, bytes);

	memset(block, 1, bytes);
	KEEP_FRAME();
	return block;
}

/* The array, and what is kept beside it, are got by one call: nothing may unroll the loop. */
static void grow(const char *how, long event)
{
	int replaces = !strcmp(how, "replace"), n = strcmp(how, "both") ? 1 : 2;
	volatile int i;
	char *old = data;

	for (i = 0; i < n; i++) {
		char *block = get(i || replaces ? NULL : old,
				  i ? STEP : (size_t)(event + 1) * STEP);

		if (i)
			kept[event] = block;
		else
			data = block;
	}
	if (replaces)
		free(old);
}

int main(int argc, char **argv)
{
	long i;

	for (i = 0; i < EVENTS; i++) {
		seep_event_begin(i);
		grow(argc > 1 ? argv[1] : "realloc", i);
		seep_event_end();
	}
	return !data;
}
