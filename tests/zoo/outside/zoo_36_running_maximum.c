/* SPDX-License-Identifier: MIT */
/*
 * A vector of steps grows by doubling and is freed in each event.  The heap keeps what the
 * longest one so far has taken: a large buffer that was freed at the start has
 * taught the allocator to.  The showers get longer as the run goes on.
 */
#include "mock.h"

#define STEP_BYTES 64
#define GEOMETRY_BYTES (30ul << 20)

struct vector {
	char *items;
	size_t n, room;
};

ZOO_SITE static void make_room(struct vector *vector)
{
	size_t room = vector->room ? 2 * vector->room : 16;
	char *items = malloc(room * STEP_BYTES);

	if (!items)
		abort();
	if (vector->n)
		memcpy(items, vector->items, vector->n * STEP_BYTES);
	free(vector->items);
	vector->items = items;
	vector->room = room;
}

static void add_step(struct vector *vector)
{
	if (vector->n == vector->room)
		make_room(vector);
	memset(vector->items + vector->n++ * STEP_BYTES, 0x5a, STEP_BYTES);
}

/* After a block of this size was freed, the C library maps none by itself that is smaller. */
ZOO_SITE static void read_geometry(void)
{
	void *text = zoo_touch(malloc(GEOMETRY_BYTES), GEOMETRY_BYTES);

	mock_think(10);
	free(text);
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 200), i;

	read_geometry();
	mock_start();
	for (i = 0; i < n; i++) {
		double longer = 1 + 3 * (double)i / (double)n;
		size_t steps = (size_t)(15000 * longer * exp(.25 * mock_normal()));
		struct vector vector = { NULL, 0, 0 };

		seep_event_begin(i);
		seep_count("tracks", floor(100 + 30 * mock_normal()));
		seep_count("steps", (double)steps);
		seep_stamp("simulate");
		while (vector.n < steps)
			add_step(&vector);
		mock_session();
		seep_stamp("sum_up");
		mock_scratch(20);
		free(vector.items);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){ .kinds = { "retention" }, .bytes_per_event = NAN,
				      .drivers = { "steps" } });
	return 0;
}
