/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A name for a site that outlives a rebuild: made of the functions in its stack, not of
 * addresses, lines, or what the compiler adds to names.  Sites that only differ by
 * their lines are numbered in the order of these.
 */
#ifndef SEEP_RENDER_FINGERPRINT_H
#define SEEP_RENDER_FINGERPRINT_H

#include "model/run.h"

#include <stddef.h>

struct seep_fingerprint {
	char text[48];           /* "0123456789abcdef:1" */
};

/* What it is made of; the frames of the stack must have been resolved. */
struct seep_fingerprint_of {
	const struct seep_stack *stack;
	const char *kind;        /* "heap", "mmap" ... */
	const char *phase;       /* or NULL */
};

/* Of n sites that are different from each other. */
void seep_fingerprint_make(struct seep_fingerprint *prints,
			   const struct seep_fingerprint_of *sites, size_t n);

#endif
