/* SPDX-License-Identifier: MIT */
/*
 * Garbage is collected now and then, after a number of events that varies; and 10 KB in each
 * event have a reference too many and stay.
 */
#include "mock.h"

#define OBJECTS 120
#define OBJECT_BYTES 480
#define HELD 10
#define HELD_BYTES 1024

struct object {
	struct object *next;
};

static struct object *garbage;

ZOO_SITE static void make_object(void)
{
	struct object *object = zoo_touch(malloc(OBJECT_BYTES), OBJECT_BYTES);

	object->next = garbage;
	garbage = object;
}

ZOO_SITE static void hold_reference(void)
{
	zoo_touch(malloc(HELD_BYTES), HELD_BYTES);
}

static void collect(void)
{
	while (garbage) {
		struct object *object = garbage;

		garbage = object->next;
		free(object);
	}
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 400), i, next = 20;
	int o;

	mock_start();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("handle");
		for (o = 0; o < OBJECTS; o++)
			make_object();
		mock_scratch(20);
		seep_stamp("reply");
		for (o = 0; o < HELD; o++)
			hold_reference();
		mock_session();
		seep_stamp("idle");
		if (i >= next) {
			collect();
			next = i + 15 + (long)(30 * zoo_uniform());
		}
		mock_think(3);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){
		.kinds = { "leak" }, .bytes_per_event = HELD * HELD_BYTES,
		.phase = "reply", .site = "hold_reference",
	});
	return 0;
}
