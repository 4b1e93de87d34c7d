/* SPDX-License-Identifier: MIT */
/*
 * 20 KB are lost in each event.  Besides, the scratch memory of an event is 60 KB more than that
 * of the last one; it is freed, but for a small block on top of it, so that its pages stay.
 */
#include "mock.h"

#define LOST 5
#define LOST_BYTES 4096
#define PIECES_MORE 120
#define PIECE_BYTES 496

ZOO_SITE static void lose_buffers(void)
{
	int i;

	for (i = 0; i < LOST; i++)
		zoo_touch(malloc(LOST_BYTES), LOST_BYTES);
}

ZOO_SITE static void *make_result(void)
{
	return zoo_touch(malloc(2000), 2000);
}

ZOO_SITE static void combine(size_t n, void **result)
{
	void **pieces = malloc(n * sizeof(*pieces)), *old = *result;
	size_t i;

	if (!pieces)
		abort();
	for (i = 0; i < n; i++)
		pieces[i] = zoo_touch(malloc(PIECE_BYTES), PIECE_BYTES);
	*result = make_result();
	for (i = 0; i < n; i++)
		free(pieces[i]);
	free(pieces);
	free(old);
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 150), i;
	void *result = NULL;

	mock_start();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("combine");
		combine((size_t)(i + 1) * PIECES_MORE, &result);
		seep_stamp("send");
		lose_buffers();
		mock_session();
		mock_scratch(20);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){
		.kinds = { "leak" }, .bytes_per_event = LOST * LOST_BYTES,
		.phase = "send", .site = "lose_buffers",
	});
	return 0;
}
