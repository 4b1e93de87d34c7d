/* SPDX-License-Identifier: MIT */
/*
 * locked WHEN [BYTES]: locks its memory, by mlockall; WHEN is now, future, both or fault.
 * BYTES: as a user without privileges, with that RLIMIT_MEMLOCK.  Prints what works on stdout,
 * and how much memory it has got on stderr, in kB.
 */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define BLOCKS 3000
#define NOBODY 65534

static void *blocks[BLOCKS];

SITE static void *remember(int i)
{
	blocks[i] = malloc((size_t)1000 + (size_t)i % 50);
	KEEP_FRAME();
	return blocks[i];
}

static long resident_kb(void)
{
	long size = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2)
		return 0;
	fclose(f);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static int flags_of(const char *when)
{
	if (!strcmp(when, "now"))
		return MCL_CURRENT;
	if (!strcmp(when, "future"))
		return MCL_FUTURE;
	return MCL_CURRENT | MCL_FUTURE | (strcmp(when, "fault") ? 0 : MCL_ONFAULT);
}

int main(int argc, char **argv)
{
	int i, failed = 0;
	char *map;

	if (argc > 2) {
		struct rlimit limit = {strtoul(argv[2], NULL, 10), strtoul(argv[2], NULL, 10)};

		if (setrlimit(RLIMIT_MEMLOCK, &limit) || setuid(NOBODY))
			return 2;
	}
	printf("mlockall: %s\n", mlockall(flags_of(argv[1])) ? strerror(errno) : "done");
	for (i = 0; i < BLOCKS; i++) {
		seep_event_begin(i);
		failed += !remember(i);
		seep_event_end();
	}
	map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("failed: %d, map: %s\n", failed, map == MAP_FAILED ? strerror(errno) : "done");
	fprintf(stderr, "%ld\n", resident_kb());
	truth_site("remember", BLOCKS, (long long)BLOCKS * 1000 + 24 * BLOCKS + BLOCKS / 2);
	return 0;
}
