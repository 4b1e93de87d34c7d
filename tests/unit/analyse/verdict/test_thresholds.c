/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/threshold/thresholds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct threshold {
	const char *name;
	double value;
	const char *unit, *meaning, *measured;
};

#define LIST(name, value, unit, meaning, measured) { #name, value, unit, meaning, measured },

static const struct threshold thresholds[] = {
	SEEP_THRESHOLDS(LIST, LIST)
};

#define N (sizeof(thresholds) / sizeof(*thresholds))

static void each_is_described(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N; i++) {
		const struct threshold *t = &thresholds[i];

		if (!isfinite(t->value) || !(fabs(t->value) > 0) || !*t->unit || !*t->meaning ||
		    !*t->measured)
			fail_msg("%s has no value, unit, meaning or place", t->name);
	}
}

/* Two names for the same question would be changed one at a time. */
static void no_meaning_has_two_names(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < N; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(thresholds[i].meaning, thresholds[j].meaning) &&
			    !strcmp(thresholds[i].unit, thresholds[j].unit))
				fail_msg("%s and %s", thresholds[i].name, thresholds[j].name);
}

static void tests_that_measured_are_there(void **state)
{
	const char *source = getenv("SEEP_SOURCE");
	size_t i;

	(void)state;
	if (!source)
		skip();
	for (i = 0; i < N; i++)
		if (!strncmp(thresholds[i].measured, "tests/", 6) &&
		    (chdir(source) || access(thresholds[i].measured, R_OK)))
			fail_msg("%s: %s", thresholds[i].name, thresholds[i].measured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_described),
		cmocka_unit_test(no_meaning_has_two_names),
		cmocka_unit_test(tests_that_measured_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
