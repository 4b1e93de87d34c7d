/* SPDX-License-Identifier: MIT */
/* One array of all that ever happened: 40 records more per event.  Freed at the end. */
#include "work.h"

#define RECORDS 40
#define RECORD_BYTES 32

static ZOO_SITE char *extend_history(char *history, size_t bytes)
{
	char *longer = realloc(history, bytes);

	return longer ? longer : history;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = RECORDS * RECORD_BYTES,
				   .phase = "record", .site = "extend_history" };
	long i, n = zoo_start(argc, argv, 400);
	size_t bytes = 0, more = RECORDS * RECORD_BYTES;
	char *history = NULL;

	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("handle");
		work_handle(i);
		seep_stamp("record");
		history = extend_history(history, bytes + more);
		zoo_touch(history + bytes, more);
		bytes += more;
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	free(history);
	zoo_tell(&truth);
	return 0;
}
