/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites that keep something but are not accused, as text and as JSON. */
#ifndef SEEP_RENDER_TEXT_SUSPECTS_H
#define SEEP_RENDER_TEXT_SUSPECTS_H

#include "analyse/words/suspect.h"
#include "render/emitter.h"
#include "render/view.h"

#define SEEP_SUSPECTS_SHOWN 3    /* in the report, unless all are wanted */
#define SEEP_SUSPECTS_JSON 50

/* "kept in only 7 events; about 2300 more would settle it" */
const char *seep_suspects_why(const struct seep_view *view, const struct seep_suspect *suspect);

/* "56 B x 7"; only the size if the blocks were not counted. */
const char *seep_suspects_kept(const struct seep_view *view, const struct seep_suspect *suspect);

/* Prints one line for each. */
void seep_suspects_lines(const struct seep_view *view, const struct seep_suspect *list, size_t n);

/* Prints the lines of the report, and how many more there are; the frames must be resolved. */
void seep_suspects_print(const struct seep_view *view, bool all);

/* The members suspects_total and suspects of the verdict. */
void seep_suspects_emit(struct seep_emitter *e, const struct seep_view *view);

#endif
