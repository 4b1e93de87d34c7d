/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report as JSON, schema "seep-report/1".  Fields may be added, never renamed.  Every field
 * is always present, and null if unknown.
 */
#ifndef SEEP_RENDER_JSON_JSON_H
#define SEEP_RENDER_JSON_JSON_H

#include "analyse/verdict/verdict.h"
#include "model/run.h"
#include "render/emitter.h"
#include "render/view.h"

#include <stdio.h>

/* Writes the first n_sites sites; their frames, and those of suspects, must be resolved. */
void seep_json_report(const struct seep_view *view, size_t n_sites);

/* One site as in the report, by its rank, counted from 1; schema "seep-site/1". */
void seep_json_site(FILE *out, const struct seep_run *run, const struct seep_verdict *verdict,
		    size_t rank);

/* The members "run" and "notes" of an object. */
void seep_json_run(struct seep_emitter *e, const struct seep_run *run);
void seep_json_notes(struct seep_emitter *e, const struct seep_run *run);

/* The member "stack" of an object: its frames. */
void seep_json_stack(struct seep_emitter *e, const struct seep_stack *stack);

#endif
