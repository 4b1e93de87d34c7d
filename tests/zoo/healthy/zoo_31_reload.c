/* SPDX-License-Identifier: MIT */
/* After .37 of the run the configuration is read again, and the new one is 16 MB larger. */
#include "work.h"

#define RULE_BYTES 4096

static struct work_block *rules;

static ZOO_SITE struct work_block *parse_rule(void)
{
	return zoo_touch(malloc(RULE_BYTES), RULE_BYTES);
}

static void read_rules(long n)
{
	work_free(&rules);
	while (n--)
		work_push(&rules, parse_rule());
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "step" }, .bytes_per_event = NAN };
	long i, n = zoo_start(argc, argv, 300);

	read_rules(256);
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("check");
		if (i == n * 37 / 100)
			read_rules(256 + 4096);
		seep_stamp("match");
		work_read(i);
		work_handle(i);
		seep_stamp("log");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
