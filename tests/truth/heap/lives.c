/* SPDX-License-Identifier: MIT */
/*
 * Lives that a clock tells more of than malloc does; none marks an event, but for the last.
 *
 *	lives idle      fills 8 MB in 0.3 s, then does nothing for a second
 *	lives nothing   does nothing at all for 0.6 s
 *	lives maps      maps 32 MB and writes to them, in a second
 *	lives break     the same by sbrk
 *	lives clean     fills 8 MB in 200000 blocks, works with them for 1.5 s, frees all of them
 *	lives trickle   fills 2 MB at once, then takes 100 bytes every 10 ms, for 2 s
 *	lives files     300 events, each of which opens a file and forgets it
 */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define PIECES 256
#define SMALL 200000

static void *kept[SMALL];

SITE static void *made(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	memset(block, 1, bytes);
	return block;
}

static void fill(size_t pieces, size_t bytes, useconds_t each)
{
	for (size_t i = 0; i < pieces; i++) {
		kept[i] = made(bytes);
		if (each)
			usleep(each);
	}
}

static void grow(bool by_break)
{
	for (int i = 0; i < PIECES; i++) {
		void *piece = by_break ? sbrk(MIB / 8)
				       : mmap(NULL, MIB / 8, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (piece == (void *)-1)
			exit(1);
		memset(piece, 1, MIB / 8);
		usleep(4000);
	}
}

static void clean(void)
{
	fill(SMALL, 40, 0);
	for (int i = 0; i < 1500; i++) {
		free(made(100));
		usleep(1000);
	}
	for (int i = 0; i < SMALL; i++)
		free(kept[i]);
}

static void trickle(void)
{
	fill(SMALL / 4, 40, 0);
	for (int i = 0; i < 200; i++) {
		free(made(100));
		usleep(10000);
	}
}

static void open_files(void)
{
	for (int event = 0; event < 300; event++) {
		seep_event_begin(event);
		if (open("/dev/null", O_RDONLY) < 0)
			exit(1);
		seep_event_end();
	}
}

int main(int argc, char **argv)
{
	const char *life = argc > 1 ? argv[1] : "";

	if (!strcmp(life, "idle")) {
		fill(PIECES, MIB / 32, 1000);
		sleep(1);
	} else if (!strcmp(life, "nothing")) {
		usleep(600000);
	} else if (!strcmp(life, "maps") || !strcmp(life, "break")) {
		grow(!strcmp(life, "break"));
	} else if (!strcmp(life, "clean")) {
		clean();
	} else if (!strcmp(life, "trickle")) {
		trickle();
	} else if (!strcmp(life, "files")) {
		open_files();
	} else {
		return 2;
	}
	return 0;
}
