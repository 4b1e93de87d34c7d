/* SPDX-License-Identifier: MIT */
/* A cache of disk blocks: it is full after two fifths of the run; then any of them goes. */
#include "mock.h"

#define PER_EVENT 4
#define BLOCK_BYTES 4096

static void **cached;
static size_t n_cached, n_most;

ZOO_SITE static void read_block(void)
{
	void *block = zoo_touch(malloc(BLOCK_BYTES), BLOCK_BYTES);
	size_t at = n_cached;

	if (n_cached == n_most) {
		at = (size_t)(zoo_uniform() * (double)n_most);
		free(cached[at]);
	} else {
		n_cached++;
	}
	cached[at] = block;
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 400), i;
	int b;

	n_most = (size_t)(.4 * PER_EVENT * (double)n) + 1;
	cached = calloc(n_most, sizeof(*cached));
	mock_start();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		for (b = 0; b < PER_EVENT; b++)
			read_block();
		seep_stamp("search");
		mock_session();
		mock_scratch(30);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){ .kinds = { "saturating", "cache" },
				      .bytes_per_event = NAN });
	return 0;
}
