/* SPDX-License-Identifier: MIT */
/* As zoo_25a, but with room for more: it is full after .4 of the run. */
#define FULL .4
#define KINDS { "cache", "flat", "saturating" }
#include "zoo_25a_lru.c"
