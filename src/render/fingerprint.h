/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A name for a site that survives a rebuild.  It is made from the functions in the stack, not
 * from addresses, lines or compiler suffixes.  Sites that differ only in their lines are
 * numbered in line order.
 */
#ifndef SEEP_RENDER_FINGERPRINT_H
#define SEEP_RENDER_FINGERPRINT_H

#include "model/run.h"

#include <stddef.h>

struct seep_fingerprint {
	char text[48];           /* "0123456789abcdef:1" */
};

/* What a fingerprint is made from; the frames of the stack must be resolved. */
struct seep_fingerprint_of {
	const struct seep_stack *stack;
	const char *kind;        /* "heap", "mmap" ... */
	const char *phase;       /* or NULL */
};

/* Makes the fingerprints of n different sites. */
void seep_fingerprint_make(struct seep_fingerprint *prints,
			   const struct seep_fingerprint_of *sites, size_t n);

#endif
