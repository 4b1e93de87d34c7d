/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SARIF 2.1.0: a result for each site that brings the run over its budget, with its
 * place, stack and fingerprint; those that are suppressed are marked as such.
 */
#ifndef SEEP_RENDER_GATE_SARIF_H
#define SEEP_RENDER_GATE_SARIF_H

#include "render/gate/check.h"

#include <stdio.h>

void seep_sarif_write(FILE *out, const struct seep_check *check);

#endif
