/* SPDX-License-Identifier: MIT */
/* Every new client is set up twice and one of the two is lost; after .6 of the run all came. */
#include "work.h"

#define CLIENT_BYTES 2400

static ZOO_SITE void *set_up_client(void)
{
	return zoo_touch(malloc(CLIENT_BYTES), CLIENT_BYTES);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "saturating" }, .bytes_per_event = NAN };
	long i, n = zoo_start(argc, argv, 400);
	void *client = NULL;

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("accept");
		if (5 * i < 3 * n) {
			set_up_client();
			free(client);
			client = set_up_client();
		}
		work_read(i);
		seep_stamp("handle");
		work_handle(i);
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
