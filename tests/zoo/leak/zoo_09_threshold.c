/* SPDX-License-Identifier: MIT */
/* Showers with more than 100 tracks take a way of their own, on which a copy is lost. */
#include "mock.h"

#define PART .12
#define COPY_BYTES 16384

ZOO_SITE static void follow_tracks(double tracks)
{
	void *copy = zoo_touch(malloc(COPY_BYTES), COPY_BYTES);

	mock_think(2);
	if (tracks <= 100)
		free(copy);
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 400), i;

	mock_start();
	for (i = 0; i < n; i++) {
		double tracks = zoo_uniform() < PART ? 101 + floor(60 * mock_exponential())
						     : floor(1 + 99 * zoo_uniform());

		seep_event_begin(i);
		seep_stamp("generate");
		seep_count("tracks", tracks);
		mock_session();
		mock_scratch(10);
		seep_stamp("follow");
		follow_tracks(tracks);
		seep_stamp("write");
		mock_scratch(30);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){
		.kinds = { "leak" }, .bytes_per_event = PART * COPY_BYTES,
		.phase = "follow", .site = "follow_tracks",
	});
	return 0;
}
