/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SARIF 2.1.0: one result for each site that brings the run over its budget, with place, stack
 * and fingerprint.  Suppressed sites are marked as suppressed.
 */
#ifndef SEEP_RENDER_GATE_SARIF_H
#define SEEP_RENDER_GATE_SARIF_H

#include "render/gate/check.h"

#include <stdio.h>

void seep_sarif_write(FILE *out, const struct seep_check *check);

#endif
