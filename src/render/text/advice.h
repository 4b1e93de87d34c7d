/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks that grow by realloc: what it cost, and the reservation that would save it. */
#ifndef SEEP_RENDER_TEXT_ADVICE_H
#define SEEP_RENDER_TEXT_ADVICE_H

#include "analyse/site/realloc_growth.h"
#include "render/emitter.h"
#include "render/view.h"

/* The index in the verdict of the site whose reservation saves most; n_sites: none is worth it. */
size_t seep_advice_pick(const struct seep_run *run, const struct seep_verdict *verdict, bool all);

/* Prints the line of the report about that site, if any; its frames must be resolved. */
void seep_advice_line(const struct seep_view *view, bool all);

/* Prints the lines on the page of one site; nothing if none of its blocks grew. */
void seep_advice_page(const struct seep_view *view, const struct seep_site *site);

/* The member "moves" of a site. */
void seep_advice_emit(struct seep_emitter *e, const struct seep_site *site,
		      struct seep_realloc_growth_scale scale);

#endif
