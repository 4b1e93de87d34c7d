/* SPDX-License-Identifier: MIT */
/* As zoo_22, but with half of the run: nobody can know yet that it will end. */
#define TAU 2
#define KINDS { "undecided", "saturating" }
#include "zoo_22_saturating.c"
