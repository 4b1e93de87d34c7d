/* SPDX-License-Identifier: MIT */
/*
 * Keeps a record of every event and frees them all before it ends: no tool that
 * looks at the end of the run sees anything.
 */
#include "truth.h"
#include "seep.h"

#include <stdlib.h>

#define EVENTS 300

struct record {
	struct record *next;
	char text[184];
};

static struct record *records;

SITE static void remember_event(int n)
{
	struct record *record = malloc(sizeof(*record));

	record->text[0] = (char)n;
	record->next = records;
	records = record;
	KEEP_FRAME();
}

SITE static void forget_all(void)
{
	while (records) {
		struct record *next = records->next;

		free(records);
		records = next;
	}
	KEEP_FRAME();
}

/* Takes a while, as an event does. */
static unsigned int work(unsigned int seed)
{
	int i;

	for (i = 0; i < 100000; i++)
		seed = seed * 1664525 + 1013904223;
	free(malloc(seed % 5000));
	return seed;
}

int main(void)
{
	volatile unsigned int seed = 1;
	int i;

	for (i = 0; i < EVENTS; i++) {
		seep_event_begin(i);
		remember_event(i);
		seed = work(seed);
		seep_event_end();
	}
	forget_all();
	printf("truth bytes_per_event %zu\n", sizeof(struct record));
	return 0;
}
