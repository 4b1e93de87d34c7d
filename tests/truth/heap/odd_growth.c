/* SPDX-License-Identifier: MIT */
/*
 * Growth that is easily told wrong:
 *
 *	odd_growth teeth      fills up and is emptied, 50 events each, down to nothing
 *	odd_growth untouched  keeps 1 GB per event that nobody looks at
 *	odd_growth larger     keeps a block per event, each one larger than that before it
 *	odd_growth array      keeps one block, larger by 1000 bytes in each event
 *
 * in 300 events, or in as many as are told behind it (teeth only).
 */
#include "seep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 300
#define TOOTH 50

static char *kept[EVENTS];

static void *get(void *old, size_t bytes, size_t used)
{
	char *block = realloc(old, bytes);

	if (!block)
		exit(1);
	memset(block, 1, used);
	return block;
}

static void do_teeth(int i)
{
	kept[i % TOOTH] = get(NULL, 20000, 20000);
	for (int j = 0; j < TOOTH && i % TOOTH == TOOTH - 1; j++)
		free(kept[j]);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int n = argc > 2 && !strcmp(how, "teeth") ? atoi(argv[2]) : EVENTS;

	for (int i = 0; i < n; i++) {
		size_t bytes = 1000 * ((size_t)i + 1);

		seep_event_begin(i);
		if (!strcmp(how, "teeth"))
			do_teeth(i);
		else if (!strcmp(how, "untouched"))
			kept[i] = get(NULL, 1000000000, 1);
		else if (!strcmp(how, "larger"))
			kept[i] = get(NULL, bytes / 100, bytes / 100);
		else if (!strcmp(how, "array"))
			kept[0] = get(kept[0], bytes, bytes);
		seep_event_end();
	}
	return 0;
}
