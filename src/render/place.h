/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a stack points at in the source, for programs that show files. */
#ifndef SEEP_RENDER_PLACE_H
#define SEEP_RENDER_PLACE_H

#include "base/arena.h"
#include "model/run.h"

/*
 * The path of the frame's file without "." and "..", relative to root (absolute, or NULL)
 * if it lies below.  NULL where the frame has no file.
 */
const char *seep_place_path(struct seep_arena *arena, const struct seep_frame *frame,
			    const char *root);

/*
 * The frame to point at: from the site's own one outwards the first in a file below
 * root; else the first with a file; else NULL.
 */
const struct seep_frame *seep_place_frame(struct seep_arena *arena, const struct seep_stack *stack,
					  const char *root);

/* A path as a URI: with file:// if it is absolute, and escaped. */
const char *seep_place_uri(struct seep_arena *arena, const char *path);

#endif
