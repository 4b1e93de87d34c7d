/* SPDX-License-Identifier: MIT */
/* Every event maps a frame of 64 kB and writes it; nobody unmaps it. */
#include "work.h"

#define FRAME_BYTES 65536

static ZOO_SITE void *map_frame(void)
{
	void *frame = mmap(NULL, FRAME_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (frame == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	return zoo_touch(frame, FRAME_BYTES);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "non-heap" }, .bytes_per_event = FRAME_BYTES,
				   .phase = "grab", .site = "map_frame" };
	long i, n = zoo_start(argc, argv, 300);

	work_settle();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("grab");
		map_frame();
		seep_stamp("encode");
		work_read(i);
		work_handle(i);
		seep_stamp("send");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
