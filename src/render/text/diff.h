/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What seep diff found, as text, as JSON and as a call graph. */
#ifndef SEEP_RENDER_TEXT_DIFF_H
#define SEEP_RENDER_TEXT_DIFF_H

#include "analyse/compare/calls.h"
#include "analyse/compare/compare.h"
#include "render/view.h"

struct seep_diff {
	const struct seep_view *before, *after; /* output goes to after->out */
	const struct seep_compare *compare;
	const struct seep_calls *calls; /* NULL: live blocks are unknown */
	bool all;                /* also list what did not change */
};

void seep_diff_text(const struct seep_diff *diff);

/* Prints the lines about peak memory and about blocks that grew by realloc. */
void seep_diff_footprint(const struct seep_diff *diff);

/* Schema "seep-diff/1"; fields may be added, never renamed. */
void seep_diff_json(const struct seep_diff *diff);

/* The differences by function and call as a Graphviz graph; calls must not be NULL. */
void seep_diff_dot(const struct seep_diff *diff);

#endif
