/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests over made-up runs have in common; cmocka.h comes before it. */
#ifndef SEEP_TESTS_FAKE_TEST_H
#define SEEP_TESTS_FAKE_TEST_H

#include "fake_run.h"

#include <math.h>

static struct fake fake;

static inline int set_up(void **state)
{
	(void)state;
	fake_init(&fake, true);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	fake_release(&fake);
	return 0;
}

static inline void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.12g is not %.12g within %g", value, expected, tolerance);
}

#endif
