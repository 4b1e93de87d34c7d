/* SPDX-License-Identifier: MIT */
/* The name of every client is kept, 100 bytes an event, below RSS noise of 10 MB. */
#include "work.h"

#define NAME_BYTES 100

static ZOO_SITE char *copy_name(long client)
{
	char *name = zoo_touch(malloc(NAME_BYTES), NAME_BYTES);

	snprintf(name, NAME_BYTES, "client-%ld", client);
	return name;
}

static size_t handle_client(long client)
{
	const char *name = copy_name(client);

	return strlen(name); /* and nobody has it any more */
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = NAME_BYTES,
				   .phase = "handle", .site = "copy_name" };
	long i, n = zoo_start(argc, argv, 300);
	size_t letters = 0;

	work_map_scratch(80 << 20);
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		work_use_scratch(40e6 + 10e6 * work_normal());
		seep_stamp("handle");
		work_handle(i);
		letters += handle_client(i);
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	printf("%zu letters\n", letters);
	zoo_tell(&truth);
	return 0;
}
