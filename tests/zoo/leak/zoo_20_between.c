/* SPDX-License-Identifier: MIT */
/* The event itself is clean; what resets the program for the next one is not. */
#include "work.h"

#define STATE_BYTES 20000

static char *state;

/* Makes a new one and means to free the old one. */
static ZOO_SITE void reset_state(void)
{
	state = zoo_touch(malloc(STATE_BYTES), STATE_BYTES);
}

static ZOO_SITE char *make_draft(void)
{
	return zoo_touch(malloc(STATE_BYTES), STATE_BYTES);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = STATE_BYTES,
				   .phase = "tail", .site = "reset_state" };
	long i, n = zoo_start(argc, argv, 200);
	char *draft;

	reset_state();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("head");
		work_read(i);
		draft = make_draft();
		seep_stamp("middle");
		work_handle(i);
		work_write(i);
		free(draft);
		seep_stamp("tail");
		seep_event_end();
		reset_state();
	}
	zoo_tell(&truth);
	return 0;
}
