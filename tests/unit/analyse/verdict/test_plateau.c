/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plateau and a leak that somebody could not tell apart, by percents of the memory of a small
 * board.  tests/data/README.md says where the series come from.
 */
#include "analyse/judge.h"

#include "fake_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MIB 1048576.0
#define RAM (484 * MIB)

/* The files are psrecord's: seconds, CPU, resident and virtual MiB. */
static void judge(struct seep_verdict *verdict, struct fake *fake, const char *name)
{
	char path[4096], line[256];
	double seconds, cpu, real, virtual;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("SEEP_SOURCE"), name);
	file = fopen(path, "r");
	assert_non_null(file);
	fake_init(fake, false);
	fake->run.event_source = SEEP_EVENTS_TIME;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lf %lf %lf %lf", &seconds, &cpu, &real, &virtual) != 4)
			continue;
		fake_begin(fake, 0, (int64_t)(real * MIB));
		fake->run.stamps[fake->run.n_stamps - 1].t_ns = (int64_t)(seconds * 1e9);
	}
	fclose(file);
	assert_true(fake->run.n_events > 100);
	seep_judge(verdict, &fake->run, NULL, &fake->arena);
}

static void the_recorder_is_full(void **state)
{
	struct seep_verdict verdict;
	struct fake fake;

	(void)state;
	judge(&verdict, &fake, "shepherd_recorder.txt");
	assert_int_equal(verdict.kind, SEEP_KIND_SATURATING);
	assert_true(verdict.rise_bytes > .015 * RAM);
	assert_true(verdict.rise_bytes < .03 * RAM);
	fake_release(&fake);
}

static void the_emulator_grows(void **state)
{
	double truth = .10 * RAM / 2330;
	struct seep_verdict verdict;
	struct fake fake;
	double per_s;

	(void)state;
	judge(&verdict, &fake, "shepherd_emulator.txt");
	assert_int_equal(verdict.kind, SEEP_KIND_GROWTH);
	per_s = verdict.bytes_per_s / verdict.bytes_per_event.value;
	assert_true(verdict.bytes_per_event.low * per_s < truth);
	assert_true(verdict.bytes_per_event.high * per_s > truth);
	/* and narrow enough to tell, but for a factor of two, when the memory ends */
	assert_true(verdict.bytes_per_event.low * per_s > truth / 2);
	assert_true(verdict.bytes_per_event.high * per_s < truth * 2);
	fake_release(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recorder_is_full),
		cmocka_unit_test(the_emulator_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
