/* SPDX-License-Identifier: MIT */
/* Of 200 blocks an event one per cent are never freed, the others within three events. */
#include "work.h"

#define VERTEX_BYTES 96
#define VERTICES 200
#define FORGOTTEN .01

static struct work_block *vertices[4]; /* by the event in which they are freed */

static ZOO_SITE struct work_block *make_vertex(void)
{
	return zoo_touch(malloc(VERTEX_BYTES), VERTEX_BYTES);
}

static void build_mesh(long event)
{
	long k;

	for (k = 0; k < VERTICES; k++) {
		struct work_block *vertex = make_vertex();

		if (zoo_uniform() >= FORGOTTEN)
			work_push(&vertices[(event + work_below(4)) % 4], vertex);
	}
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" },
				   .bytes_per_event = VERTICES * FORGOTTEN * VERTEX_BYTES,
				   .phase = "mesh", .site = "make_vertex" };
	long i, n = zoo_start(argc, argv, 300);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("input");
		work_read(i);
		seep_stamp("mesh");
		build_mesh(i);
		seep_stamp("render");
		work_handle(i);
		seep_stamp("show");
		work_write(i);
		work_free(&vertices[i % 4]);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
