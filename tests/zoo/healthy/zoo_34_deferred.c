/* SPDX-License-Identifier: MIT */
/*
 * What readers may still look at is freed five events later; and of a picture there are
 * two, one shown and one drawn.
 */
#include "work.h"

#define GRACE 5                  /* events */
#define VERSIONS 20              /* per event */

static struct work_block *retired[GRACE];
static char *shown, *drawn;

static ZOO_SITE struct work_block *make_version(size_t bytes)
{
	return zoo_touch(malloc(sizeof(struct work_block) + bytes), bytes);
}

static ZOO_SITE char *draw_picture(size_t bytes)
{
	return zoo_touch(malloc(bytes), bytes);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "flat" }, .bytes_per_event = NAN };
	long i, k, n = zoo_start(argc, argv, 300);

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("update");
		work_read(i);
		work_free(&retired[i % GRACE]);
		for (k = 0; k < VERSIONS; k++)
			work_push(&retired[i % GRACE], make_version(200 + (size_t)work_below(300)));
		seep_stamp("draw");
		work_handle(i);
		free(shown);
		shown = drawn;
		drawn = draw_picture(60000 + (size_t)work_below(8000));
		seep_stamp("show");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
