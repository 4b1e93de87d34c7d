/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JUnit XML, as CI systems read it, strict ones included: one suite, one case for the
 * whole and one for each site that grows.  What cannot be told, and what is suppressed,
 * is skipped.
 */
#ifndef SEEP_RENDER_GATE_JUNIT_H
#define SEEP_RENDER_GATE_JUNIT_H

#include "render/gate/check.h"

#include <stdio.h>

void seep_junit_write(FILE *out, const struct seep_check *check);

/* The text inside XML, content or attribute; what no XML can hold is written as \xNN or \uNNNN. */
void seep_junit_escape(FILE *out, const char *text, struct seep_arena *arena);

#endif
