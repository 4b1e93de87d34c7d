/* SPDX-License-Identifier: MIT */
/*
 * vandal HOW FILE: works, damages the file (its own trace, if it is tracked) and works on.
 * HOW: empty, half, remove, replace, nothing.
 */
#include "truth.h"
#include "seep.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EVENTS 2000
#define HALF 9000

static void *blocks[EVENTS];

SITE static void *remember(int i)
{
	void *block = malloc(300);

	blocks[i] = block;
	KEEP_FRAME();
	return block;
}

static int replace(const char *path)
{
	int fd = open("other", O_WRONLY | O_CREAT, 0600);

	return fd < 0 || write(fd, "something else\n", 15) != 15 || close(fd) ||
	       rename("other", path);
}

static int damage(const char *how, const char *path)
{
	if (!strcmp(how, "empty"))
		return truncate(path, 0);
	if (!strcmp(how, "half"))
		return truncate(path, HALF);
	if (!strcmp(how, "remove"))
		return unlink(path);
	return !strcmp(how, "replace") && replace(path);
}

int main(int argc, char **argv)
{
	int i;

	if (argc != 3)
		return 2;
	for (i = 0; i < EVENTS; i++) {
		void *map;

		if (i == EVENTS / 2 && damage(argv[1], argv[2]))
			return 3;
		seep_event_begin(i);
		remember(i);
		map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		seep_stamp("mapped");
		munmap(map, 4096);
		seep_count("rounds", 1);
		seep_event_end();
		usleep(100);
	}
	truth_site("remember", EVENTS, EVENTS * 300);
	return 7;
}
