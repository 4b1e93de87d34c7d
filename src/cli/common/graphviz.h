/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program dot of Graphviz, which makes a picture of a graph. */
#ifndef SEEP_CLI_COMMON_GRAPHVIZ_H
#define SEEP_CLI_COMMON_GRAPHVIZ_H

#include "base/err.h"

#include <stdio.h>

/* Draws the graph in the file, as SVG; nothing goes to out unless all went well. */
int seep_graphviz_svg(FILE *graph, FILE *out, struct seep_err *err);

#endif
