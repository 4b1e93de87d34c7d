/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotations for GitHub workflows: lines on stdout that the runner reads as commands. */
#ifndef SEEP_RENDER_GATE_GITHUB_H
#define SEEP_RENDER_GATE_GITHUB_H

#include "render/gate/check.h"

#include <stdio.h>

void seep_github_write(FILE *out, const struct seep_check *check);

/* Writes the text, escaped by GitHub's rules; in a property ":" and "," are escaped, too. */
void seep_github_escape(FILE *out, const char *text, bool property, struct seep_arena *arena);

#endif
