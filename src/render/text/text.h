/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as text: first the verdict, then the evidence, at the end the next command to type. */
#ifndef SEEP_RENDER_TEXT_TEXT_H
#define SEEP_RENDER_TEXT_TEXT_H

#include "render/view.h"

/*
 * The sites that the report lists, by their index in the verdict: those that grow, or those that
 * fill or drain if there is no clear verdict, or all; but none that is hidden (NULL: none is).
 */
const size_t *seep_text_pick(const struct seep_verdict *verdict, const bool *hidden, bool all,
			     struct seep_arena *arena, size_t *n);

/* Lists the sites and suspects alone. */
void seep_text_sites(const struct seep_view *view, bool all);

/* The verdict in one line. */
void seep_text_headline(const struct seep_view *view);

/* Prints the next command to type; all: it follows a list of all sites. */
void seep_text_next(const struct seep_view *view, bool all);

/* The program's command to type again, with a blank before it. */
const char *seep_text_command(const struct seep_view *view);

/*
 * Prints the command for a run whose events are the returns of a call, if there is one that
 * recurs all through this run.
 */
void seep_text_propose(const struct seep_view *view);

/* Whether that command shows an accused site. */
bool seep_text_has_accused(const struct seep_view *view);

/* The frames of the listed sites must be resolved. */
void seep_text_report(const struct seep_view *view, bool all);

/* The same without the command to type next. */
void seep_text_evidence(const struct seep_view *view, bool all);

/* How the verdict was reached, step by step. */
void seep_text_reasoning(const struct seep_view *view);

#endif
