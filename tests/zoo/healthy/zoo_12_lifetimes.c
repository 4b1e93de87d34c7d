/* SPDX-License-Identifier: MIT */
/* Requests that wait for an answer, five events in the mean; one of ten never gets one. */
#include "mock.h"

#define REQUESTS 20
#define REQUEST_BYTES 700
#define LOST .1

struct request {
	struct request *next;
	long due;
};

static struct request *waiting;

/* Those that are lost nobody knows of any more. */
ZOO_SITE static void send_request(long now)
{
	struct request *request = zoo_touch(malloc(REQUEST_BYTES), REQUEST_BYTES);

	if (zoo_uniform() < LOST)
		return;
	request->due = now + (long)(5 * mock_exponential());
	request->next = waiting;
	waiting = request;
}

static void receive_answers(long now)
{
	struct request **at = &waiting, *request;

	while ((request = *at)) {
		if (request->due > now) {
			at = &request->next;
			continue;
		}
		*at = request->next;
		free(request);
	}
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 400), i;
	int r;

	mock_start();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_count("rows", 100 + floor(50 * zoo_uniform()));
		mock_session();
		seep_stamp("send");
		for (r = 0; r < REQUESTS; r++)
			send_request(i);
		mock_scratch(15);
		seep_stamp("receive");
		receive_answers(i);
		mock_think(5);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){
		.kinds = { "leak" }, .bytes_per_event = LOST * REQUESTS * REQUEST_BYTES,
		.phase = "send", .site = "send_request",
	});
	return 0;
}
