/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites that are not accused, but keep something; as text and as JSON. */
#ifndef SEEP_RENDER_TEXT_SUSPECTS_H
#define SEEP_RENDER_TEXT_SUSPECTS_H

#include "analyse/words/suspect.h"
#include "render/emitter.h"
#include "render/view.h"

#define SEEP_SUSPECTS_SHOWN 3    /* in a text, unless all are wanted */
#define SEEP_SUSPECTS_JSON 50

/* "kept in only 7 events; about 2300 more would settle it" */
const char *seep_suspects_why(const struct seep_view *view, const struct seep_suspect *suspect);

/* "56 B x 7"; only the size if nobody counted the blocks. */
const char *seep_suspects_kept(const struct seep_view *view, const struct seep_suspect *suspect);

/* One line each. */
void seep_suspects_lines(const struct seep_view *view, const struct seep_suspect *list, size_t n);

/* The lines of the report, and how many more there are; their frames must have been resolved. */
void seep_suspects_print(const struct seep_view *view, bool all);

/* The members suspects_total and suspects of the verdict. */
void seep_suspects_emit(struct seep_emitter *e, const struct seep_view *view);

#endif
