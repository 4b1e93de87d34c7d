/* SPDX-License-Identifier: MIT */
/* many_stamps [BYTES]: more stamps than a small disk takes; BYTES: RLIMIT_FSIZE set in mid run. */
#include "truth.h"
#include "seep.h"

#include <stdlib.h>
#include <sys/resource.h>

#define EVENTS 20000

static void *blocks[EVENTS];

SITE static void *remember(int i)
{
	void *block = malloc(70);

	blocks[i] = block;
	KEEP_FRAME();
	return block;
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	int i;

	getrlimit(RLIMIT_FSIZE, &limit);
	for (i = 0; i < EVENTS; i++) {
		if (i == 10 && argc > 1) {
			limit.rlim_cur = strtoul(argv[1], NULL, 10);
			setrlimit(RLIMIT_FSIZE, &limit);
		}
		KEEPS_ERRNO(seep_event_begin(i));
		KEEPS_ERRNO(seep_stamp("here"));
		KEEPS_ERRNO(remember(i));
		KEEPS_ERRNO(seep_event_end());
	}
	truth_site("remember", EVENTS, EVENTS * 70);
	return blocks[0] == NULL || truth_errno_changes;
}
