/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What seep calibrate found, as text and as JSON (schema "seep-calibrate/1"). */
#ifndef SEEP_RENDER_TEXT_CALIBRATE_TEXT_H
#define SEEP_RENDER_TEXT_CALIBRATE_TEXT_H

#include "analyse/gate/calibrate.h"
#include "render/view.h"

/* Prints the outcome with its numbers, then the evidence.  view has no verdict. */
void seep_calibrate_text_write(const struct seep_view *view,
			       const struct seep_calibrate *calibrate);

void seep_calibrate_text_json(FILE *out, const struct seep_run *run,
			      const struct seep_calibrate *calibrate);

#endif
