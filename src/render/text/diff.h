/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What seep diff found, as text, for machines, and as a call graph. */
#ifndef SEEP_RENDER_TEXT_DIFF_H
#define SEEP_RENDER_TEXT_DIFF_H

#include "analyse/compare/calls.h"
#include "analyse/compare/compare.h"
#include "render/view.h"

struct seep_diff {
	const struct seep_view *before, *after; /* what is printed goes to the latter */
	const struct seep_compare *compare;
	const struct seep_calls *calls; /* NULL: nothing is known about what is alive */
	bool all;                /* also what did not change */
};

void seep_diff_text(const struct seep_diff *diff);

/* The lines of the text about the most that both runs had, and blocks that grew. */
void seep_diff_footprint(const struct seep_diff *diff);

/* Schema "seep-diff/1"; fields may be added, never renamed. */
void seep_diff_json(const struct seep_diff *diff);

/* The differences by function and call in the language of Graphviz; calls must be known. */
void seep_diff_dot(const struct seep_diff *diff);

#endif
