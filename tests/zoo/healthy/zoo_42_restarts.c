/* SPDX-License-Identifier: MIT */
/*
 * A program that starts again within itself: its tables are freed, others are made, and the
 * events are counted from 0.  In each of the four runs it loses 5 KB in an event, for good.
 */
#include "mock.h"

#define RUNS 4
#define TABLES 100
#define LOST 5
#define LOST_BYTES 1024

static void *tables[TABLES];

ZOO_SITE static void make_tables(size_t bytes)
{
	int i;

	for (i = 0; i < TABLES; i++)
		tables[i] = zoo_touch(malloc(bytes), bytes);
}

static void free_tables(void)
{
	int i;

	for (i = 0; i < TABLES; i++)
		free(tables[i]);
}

ZOO_SITE static void lose_messages(void)
{
	int i;

	for (i = 0; i < LOST; i++)
		zoo_touch(malloc(LOST_BYTES), LOST_BYTES);
}

static void run(long events, size_t bytes)
{
	long i;

	make_tables(bytes);
	for (i = 0; i < events; i++) {
		seep_event_begin(i);
		seep_stamp("receive");
		mock_session();
		mock_scratch(20);
		seep_stamp("dispatch");
		lose_messages();
		mock_scratch(30);
		seep_event_end();
	}
	free_tables();
}

int main(int argc, char **argv)
{
	static const size_t bytes[RUNS] = { 30000, 8000, 60000, 18000 };
	long n = zoo_start(argc, argv, 400);
	int r;

	mock_start();
	for (r = 0; r < RUNS; r++)
		run(n / RUNS, bytes[r]);
	zoo_tell(&(struct zoo_truth){
		.kinds = { "leak" }, .bytes_per_event = LOST * LOST_BYTES,
		.phase = "dispatch", .site = "lose_messages",
	});
	return 0;
}
