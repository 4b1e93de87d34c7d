/* SPDX-License-Identifier: MIT */
/* A cache that never drops anything, of 600 possible keys; an event asks for twelve. */
#include "work.h"

#define KEYS 600
#define QUESTIONS 12

static char *values[KEYS];

static ZOO_SITE char *compute_value(long key)
{
	size_t bytes = 300 + (size_t)(key * 7919 % 1000);

	return zoo_touch(malloc(bytes), bytes);
}

static void ask(long key)
{
	if (!values[key])
		values[key] = compute_value(key);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "cache", "saturating" }, .bytes_per_event = NAN };
	long i, k, n = zoo_start(argc, argv, 400);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("ask");
		for (k = 0; k < QUESTIONS; k++)
			ask(work_below(KEYS));
		seep_count("questions", QUESTIONS);
		seep_stamp("write");
		work_handle(i);
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
