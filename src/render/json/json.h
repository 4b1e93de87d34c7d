/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report for machines, schema "seep-report/1".  Fields may be added, never
 * renamed; every field is always there and null where it is not known.
 */
#ifndef SEEP_RENDER_JSON_JSON_H
#define SEEP_RENDER_JSON_JSON_H

#include "analyse/verdict/verdict.h"
#include "model/run.h"
#include "render/emitter.h"
#include "render/view.h"

#include <stdio.h>

/* Writes the first n_sites sites; their frames, and those of suspects, must have been resolved. */
void seep_json_report(const struct seep_view *view, size_t n_sites);

/* One site as in the report, by its rank from 1 on; schema "seep-site/1". */
void seep_json_site(FILE *out, const struct seep_run *run, const struct seep_verdict *verdict,
		    size_t rank);

/* The member "stack" of an object: its frames. */
void seep_json_stack(struct seep_emitter *e, const struct seep_stack *stack);

#endif
