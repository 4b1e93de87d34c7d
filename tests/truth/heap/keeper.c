/* SPDX-License-Identifier: MIT */
/*
 * keeper EVENTS BYTES: in each event one block of BYTES is kept and one is freed.  The
 * truth is on stdout, or in the file that KEEPER_TRUTH names with the pid added.
 */
#include "seep.h"
#include "truth.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void **kept;

SITE static void keep(long event, size_t bytes)
{
	kept[event] = malloc(bytes);
	if (kept[event])
		memset(kept[event], 1, bytes);
	KEEP_FRAME();
}

SITE static void use(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	free(block);
}

int main(int argc, char **argv)
{
	long events = argc > 1 ? atol(argv[1]) : 100, i;
	size_t bytes = argc > 2 ? (size_t)atol(argv[2]) : 128;
	const char *file = getenv("KEEPER_TRUTH");
	char path[4096];

	if (file) {
		snprintf(path, sizeof(path), "%s.%ld", file, (long)getpid());
		if (!freopen(path, "w", stdout))
			return 1;
	}
	kept = calloc((size_t)events, sizeof(*kept));
	for (i = 0; kept && i < events; i++) {
		seep_event_begin(i);
		keep(i, bytes);
		use(bytes);
		seep_event_end();
	}
	truth_site("keep", events, events * (long)bytes);
	return kept ? 7 : 1;
}
