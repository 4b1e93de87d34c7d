/* SPDX-License-Identifier: MIT */
/* As zoo_22, but it takes a quarter of the run for each factor of e: harder to see. */
#define TAU 4
#define KINDS { "saturating" }
#include "zoo_22_saturating.c"
