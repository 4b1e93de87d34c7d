/* SPDX-License-Identifier: MIT */
/* One request in twenty fails, and then its 64 kB of log are not given back. */
#include "work.h"

#define LOG_BYTES 65536
#define FAILURES .05

static ZOO_SITE char *open_log(void)
{
	return zoo_touch(malloc(LOG_BYTES), LOG_BYTES);
}

/* The way out that forgets. */
static int handle_request(void)
{
	char *log = open_log();

	work_compute(100);
	if (zoo_uniform() < FAILURES)
		return -1;
	free(log);
	return 0;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = LOG_BYTES * FAILURES,
				   .phase = "handle", .site = "open_log" };
	long i, failed = 0, n = zoo_start(argc, argv, 400);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("handle");
		work_handle(i);
		failed += handle_request() < 0;
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	printf("%ld failed\n", failed);
	zoo_tell(&truth);
	return 0;
}
