/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JUnit XML that all CI systems accept, strict ones included: one suite, with one case for the
 * whole run and one for each site that grows.  An undecided outcome and suppressed sites are
 * marked as skipped.
 */
#ifndef SEEP_RENDER_GATE_JUNIT_H
#define SEEP_RENDER_GATE_JUNIT_H

#include "render/gate/check.h"

#include <stdio.h>

void seep_junit_write(FILE *out, const struct seep_check *check);

/*
 * Writes text for XML content or attributes.  Characters that XML cannot hold become \xNN or
 * \uNNNN.
 */
void seep_junit_escape(FILE *out, const char *text, struct seep_arena *arena);

#endif
