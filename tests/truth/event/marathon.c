/* SPDX-License-Identifier: MIT */
/*
 * marathon EVENTS: very many short events, each with four stamps and two counters.
 *
 * A node of 64 bytes is kept per hit, and every eighth event, in another phase, 96 bytes.
 * "work" has nothing to do with it.  In every 64th event much is allocated in one phase
 * and freed in the next: sampled in step with it, this would look like a growth there.
 */
#include "seep.h"
#include "truth.h"

#include <stdlib.h>

#define NODE 64
#define ENTRY 96
#define BURST 64

static void *nodes, *entries;

SITE static void keep_node(void)
{
	void **node = malloc(NODE);

	if (!node)
		abort();
	*node = nodes;
	nodes = node;
	KEEP_FRAME();
}

SITE static void keep_entry(void)
{
	void **entry = malloc(ENTRY);

	if (!entry)
		abort();
	*entry = entries;
	entries = entry;
	KEEP_FRAME();
}

static uint64_t random_number(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

int main(int argc, char **argv)
{
	long events = argc > 1 ? atol(argv[1]) : 1000, i, all_hits = 0, all_entries = 0;

	for (i = 0; i < events; i++) {
		long hits = (long)(random_number() % 4), hit;
		void *burst = NULL;

		seep_event_begin(i);
		seep_stamp("read");
		if (i % BURST == 0)
			burst = malloc(1 << 20);
		seep_stamp("simulate");
		for (hit = 0; hit < hits; hit++)
			keep_node();
		seep_stamp("store");
		if (i % 8 == 0) {
			keep_entry();
			all_entries++;
		}
		seep_stamp("clean");
		free(burst);
		seep_count("hits", (double)hits);
		seep_count("work", (double)(random_number() % 100));
		seep_event_end();
		all_hits += hits;
	}
	truth_site("keep_node", all_hits, all_hits * NODE);
	truth_site("keep_entry", all_entries, all_entries * ENTRY);
	printf("truth bytes_per_event %.6f\n",
	       (double)(all_hits * NODE + all_entries * ENTRY) / (double)events);
	printf("truth share simulate %.6f\n",
	       (double)(all_hits * NODE) / (double)(all_hits * NODE + all_entries * ENTRY));
	return 0;
}
