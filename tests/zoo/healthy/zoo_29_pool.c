/* SPDX-License-Identifier: MIT */
/*
 * A pool of buffers that gives none back.  The load rises for .3 of the run and stays;
 * once there are as many as it takes, they are used again.
 */
#include "work.h"

#define BUFFER_BYTES 8000
#define BUFFERS 128

static struct work_block *pool;

static ZOO_SITE struct work_block *make_buffer(void)
{
	return zoo_touch(malloc(BUFFER_BYTES), BUFFER_BYTES);
}

static struct work_block *take(void)
{
	struct work_block *buffer = pool;

	if (!buffer)
		return make_buffer();
	pool = buffer->next;
	return buffer;
}

static void use(long n)
{
	struct work_block *taken[BUFFERS];
	long k;

	for (k = 0; k < n; k++)
		taken[k] = take();
	work_compute(100);
	for (k = 0; k < n; k++)
		work_push(&pool, taken[k]);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "saturating" }, .bytes_per_event = NAN };
	long i, n = zoo_start(argc, argv, 400);

	for (i = 0; i < n; i++) {
		double load = fmin(1, (double)i / (.3 * (double)n));

		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("encode");
		use(10 + (long)(100 * sqrt(load)) + work_below(8));
		seep_stamp("send");
		work_handle(i);
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
