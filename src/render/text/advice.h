/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks that grow: what it cost, and the reservation that would save it. */
#ifndef SEEP_RENDER_TEXT_ADVICE_H
#define SEEP_RENDER_TEXT_ADVICE_H

#include "analyse/site/realloc_growth.h"
#include "render/emitter.h"
#include "render/view.h"

/* The site of the verdict whose reservation saves most, by its index; n_sites: none is worth it. */
size_t seep_advice_pick(const struct seep_run *run, const struct seep_verdict *verdict, bool all);

/* A line of the report about that site, whose frames must have been resolved; or nothing. */
void seep_advice_line(const struct seep_view *view, bool all);

/* The lines on the page of one site; nothing if none of its blocks grew. */
void seep_advice_page(const struct seep_view *view, const struct seep_site *site);

/* The member "moves" of a site. */
void seep_advice_emit(struct seep_emitter *e, const struct seep_site *site,
		      struct seep_realloc_growth_scale scale);

#endif
