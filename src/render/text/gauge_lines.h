/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gauges, descriptors and threads in the report. */
#ifndef SEEP_RENDER_TEXT_GAUGE_LINES_H
#define SEEP_RENDER_TEXT_GAUGE_LINES_H

#include "render/emitter.h"
#include "render/view.h"

/* Prints one line each: gauges always, descriptors and threads if they rise or with all. */
void seep_gauge_lines_print(const struct seep_view *view, bool all);

/*
 * "descriptors rise by 1.00/event" for the headline, with everything that rises; NULL: nothing
 * does.
 */
const char *seep_gauge_lines_tell(const struct seep_view *view);

/* The member "gauges" of the report. */
void seep_gauge_lines_emit(struct seep_emitter *e, const struct seep_verdict *verdict);

#endif
