/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source position of a stack, for programs that show files. */
#ifndef SEEP_RENDER_PLACE_H
#define SEEP_RENDER_PLACE_H

#include "base/arena.h"
#include "model/run.h"

/*
 * The path of the frame's file without "." and "..", relative to root (absolute, or NULL) if it
 * is below root.  NULL if the frame has no file.
 */
const char *seep_place_path(struct seep_arena *arena, const struct seep_frame *frame,
			    const char *root);

/*
 * The frame to point at: going outwards from the site's own frame, the first one in a file below
 * root; otherwise the first one with a file; otherwise NULL.
 */
const struct seep_frame *seep_place_frame(struct seep_arena *arena, const struct seep_stack *stack,
					  const char *root);

/* The path as an escaped URI, with file:// if it is absolute. */
const char *seep_place_uri(struct seep_arena *arena, const char *path);

#endif
