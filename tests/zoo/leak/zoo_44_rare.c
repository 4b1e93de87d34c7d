/* SPDX-License-Identifier: MIT */
/* In one event of twenty one block stays of a kind that every event makes and frees. */
#include "work.h"

#define TOKEN_BYTES 56
#define KEPT .05

static ZOO_SITE void *make_token(void)
{
	return zoo_touch(malloc(TOKEN_BYTES), TOKEN_BYTES);
}

static void authenticate(void)
{
	void *token = make_token();

	work_compute(50);
	if (zoo_uniform() >= KEPT)
		free(token);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = TOKEN_BYTES * KEPT,
				   .phase = "authenticate", .site = "make_token" };
	long i, n = zoo_start(argc, argv, 200);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("authenticate");
		authenticate();
		seep_stamp("handle");
		work_handle(i);
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
