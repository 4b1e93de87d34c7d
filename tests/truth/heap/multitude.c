/* SPDX-License-Identifier: MIT */
/* Keeps two million small blocks: to track them all takes more than they hold themselves. */
#include "truth.h"
#include "seep.h"

#include <stdlib.h>

#define EVENTS 100
#define BLOCKS 20000

struct link {
	struct link *next;
	char text[];
};

static struct link *first;
static long long bytes;

SITE static void keep_link(size_t size)
{
	struct link *link = malloc(size);

	if (!link)
		abort();
	link->next = first;
	first = link;
	bytes += (long long)size;
	KEEP_FRAME();
}

/* Blocks from before the tracker's memory ran out go as well as those from after. */
SITE static void drop_half(void)
{
	struct link *link;

	for (link = first; link && link->next; link = link->next) {
		struct link *gone = link->next;

		link->next = gone->next;
		free(gone);
	}
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	long long blocks = 0, left = 0;
	const struct link *link;
	int event, i;

	(void)argv;
	for (event = 0; event < EVENTS; event++) {
		seep_event_begin(event);
		for (i = 0; i < BLOCKS; i++, blocks++)
			keep_link(16 + (size_t)i % 32);
		seep_event_end();
	}
	if (argc > 1)
		drop_half();
	for (link = first; link; link = link->next)
		left++;
	/* two neighbours differ by one byte: half of them hold half, but for half a byte each */
	truth_site("keep_link", left, left == blocks ? bytes : bytes / 2 + left / 2);
	return 0;
}
