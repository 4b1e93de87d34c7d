/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a stack outlives a rebuild: the functions in it from the site's own one to
 * main, without addresses, lines, what the compiler adds to names, the C library's frames
 * and how deep a recursion was.
 */
#ifndef SEEP_MODEL_KEY_H
#define SEEP_MODEL_KEY_H

#include "model/run.h"

/* Goes through the frames of a stack that was resolved; starts as { .stack = ... }. */
struct seep_key_walk {
	const struct seep_stack *stack;
	bool same_build;         /* addresses in an object that has no names mean the same */
	size_t passed;           /* frames from the own one on */
	const char *last;
	size_t last_length;
};

/* The next name and its length; false behind the last one. */
bool seep_key_next(struct seep_key_walk *walk, const char **name, size_t *length);

/* Whether the frame is one of the interpreter's own, in a stack that has frames of Python. */
bool seep_key_is_interpreter(const struct seep_stack *stack, const struct seep_frame *frame);

/* What one frame is called in a key; false if it is no part of one. */
bool seep_key_name(const struct seep_frame *frame, bool same_build, const char **name,
		   size_t *length);

/* Whether its function is only known by an address: "0x..." or "libfoo.so+0x...". */
bool seep_key_is_nameless(const struct seep_frame *frame);

/* Which of two stacks of the same functions is earlier in the source: -1, 0 or 1. */
int seep_key_compare_lines(const struct seep_stack *a, const struct seep_stack *b);

#endif
