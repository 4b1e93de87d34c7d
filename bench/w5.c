/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * w5: w1 without any locality.  Every allocation comes from main by a random path,
 * so that no stack resembles the one before.  No program does this; it shows what
 * is left when caches of stacks do not help.
 */
#define BURST_MAX 1
#include "w1.c"
