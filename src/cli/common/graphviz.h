/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs dot, Graphviz's program that draws graphs. */
#ifndef SEEP_CLI_COMMON_GRAPHVIZ_H
#define SEEP_CLI_COMMON_GRAPHVIZ_H

#include "base/err.h"

#include <stdio.h>

/* Draws the graph as SVG.  Writes nothing to out if anything fails. */
int seep_graphviz_svg(FILE *graph, FILE *out, struct seep_err *err);

#endif
