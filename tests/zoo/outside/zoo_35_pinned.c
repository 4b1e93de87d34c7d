/* SPDX-License-Identifier: MIT */
/*
 * Every query sorts 60 rows more than the last one and frees them all, but its result
 * lies above them: the C library cannot give back what is below.
 */
#include "work.h"

#define ROW_BYTES 1000
#define ROW_RSS 1008             /* with what malloc adds */
#define MORE_ROWS 60
#define RESULT_BYTES 1500

static struct work_block *rows;

static ZOO_SITE struct work_block *read_row(void)
{
	return zoo_touch(malloc(ROW_BYTES), ROW_BYTES);
}

static ZOO_SITE char *make_result(void)
{
	return zoo_touch(malloc(RESULT_BYTES), RESULT_BYTES);
}

/* Returns what the query found, which is the only block of it that stays. */
static char *query(long n)
{
	char *result;

	while (n--)
		work_push(&rows, read_row());
	result = make_result();
	work_free(&rows);
	return result;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "retention" },
				   .bytes_per_event = ROW_RSS * MORE_ROWS };
	long i, n = zoo_start(argc, argv, 200);
	char *result = NULL, *newer;

	work_settle();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("parse");
		work_read(i);
		seep_stamp("query");
		newer = query(500 + i * MORE_ROWS);
		free(result);
		result = newer;
		seep_stamp("answer");
		work_handle(i);
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
