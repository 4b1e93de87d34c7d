/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a test expects of a verdict; what it got instead is told.  Behind cmocka.h. */
#ifndef SEEP_TESTS_EXPECT_H
#define SEEP_TESTS_EXPECT_H

#include "analyse/verdict/verdict.h"

#include <string.h>

static inline void expect_kind(const struct seep_verdict *verdict, enum seep_kind kind)
{
	if (verdict->kind != kind)
		fail_msg("%s, not %s: %s", seep_verdict_kind_name(verdict->kind),
			 seep_verdict_kind_name(kind), verdict->sentence);
}

static inline void expect_in_sentence(const struct seep_verdict *verdict, const char *words)
{
	if (!strstr(verdict->sentence, words))
		fail_msg("\"%s\" is not in: %s", words, verdict->sentence);
}

#endif
