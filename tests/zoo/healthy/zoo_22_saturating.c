/* SPDX-License-Identifier: MIT */
/* Tables are made where they are first needed: 8 MB (1 - exp(-t / tau)), tau an eighth. */
#include "work.h"

#define TABLE_BYTES 4088
#define TABLES 2000

/* Variants of this program have other ones. */
#ifndef TAU
#define TAU 8
#define KINDS { "saturating" }
#endif

static struct work_block *tables;

static ZOO_SITE void make_table(void)
{
	work_push(&tables, zoo_touch(malloc(TABLE_BYTES), TABLE_BYTES));
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = KINDS, .bytes_per_event = NAN };
	long i, made = 0, n = zoo_start(argc, argv, 400);

	work_map_scratch(2 << 20);
	work_settle();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("parse");
		work_read(i);
		work_use_scratch(1e6 + 1e5 * work_normal());
		seep_stamp("look_up");
		for (; made < work_due(i + 1, (double)n / TAU, TABLES); made++)
			make_table();
		seep_stamp("answer");
		work_handle(i);
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
