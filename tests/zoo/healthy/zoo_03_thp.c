/* SPDX-License-Identifier: MIT */
/* A viewer of large images: tiles of 2 MB are mapped when they are seen and unmapped again. */
#define _GNU_SOURCE
#include "mock.h"

#include <sys/mman.h>

#define TILES 5
#define TILE_BYTES (2ul << 20)

static void *tiles[TILES];

ZOO_SITE static void show_or_hide(size_t at)
{
	if (tiles[at]) {
		munmap(tiles[at], TILE_BYTES);
		tiles[at] = NULL;
		return;
	}
	tiles[at] = mmap(NULL, TILE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (tiles[at] == MAP_FAILED)
		abort();
	madvise(tiles[at], TILE_BYTES, MADV_HUGEPAGE);
	zoo_touch(tiles[at], TILE_BYTES);
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 300), i;
	size_t at;

	mock_start();
	for (at = 0; at < TILES; at += 2)
		show_or_hide(at);
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		mock_session();
		seep_stamp("scroll");
		seep_count("pixels", 1e6 * zoo_uniform());
		if (zoo_uniform() < .4)
			show_or_hide((size_t)(zoo_uniform() * TILES));
		seep_stamp("draw");
		mock_scratch(20);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){ .kinds = { "flat" }, .bytes_per_event = NAN });
	return 0;
}
