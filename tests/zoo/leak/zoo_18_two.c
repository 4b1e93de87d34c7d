/* SPDX-License-Identifier: MIT */
/* Two leaks in two phases: three quarters in one, one quarter in the other. */
#include "mock.h"

#define BYTES 1000

ZOO_SITE static void parse_header(void)
{
	zoo_touch(malloc(3 * BYTES), 3 * BYTES);
}

ZOO_SITE static void write_log(void)
{
	zoo_touch(malloc(BYTES), BYTES);
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 300), i;

	mock_start();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_count("bytes_in", floor(5000 * mock_exponential()));
		seep_stamp("parse");
		parse_header();
		mock_scratch(12);
		seep_stamp("answer");
		mock_session();
		mock_scratch(40);
		seep_stamp("log");
		write_log();
		mock_think(3);
		seep_event_end();
	}
	zoo_tell(&(struct zoo_truth){
		.kinds = { "leak" }, .bytes_per_event = 4 * BYTES,
		.phase = "parse", .site = "parse_header",
	});
	return 0;
}
