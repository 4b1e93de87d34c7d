/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sites of a run in the form that profile formats need: stacks of numbered locations and
 * frames, and functions with one name each.
 *
 * A location is an address, with a frame for its function and one for each call inlined there; a
 * frame is a line of a function.  All names are safe texts.  Functions that only allocate, at
 * the inner end of every stack, are left out.  The stack of a site outside the heap begins with
 * a frame such as "[mmap]", because its addresses look like those of the heap.
 */
#ifndef SEEP_RENDER_EXPORT_SITES_PROFILE_TABLES_H
#define SEEP_RENDER_EXPORT_SITES_PROFILE_TABLES_H

#include "render/view.h"

struct seep_profile_function {
	const char *name;
	const char *file;        /* with its folder if known; "": unknown */
	const char *module;      /* file name of the object; "": unknown */
};

struct seep_profile_frame {
	uint32_t function;
	int line;                /* 0: unknown */
};

struct seep_profile_location {
	uint64_t address;        /* in the call, not after it; 0: none */
	uint32_t module;         /* of the run; 0: none */
	bool named;              /* the file of the module was available */
	const uint32_t *frames;  /* innermost first; at least one */
	size_t n_frames;
};

/* One site. */
struct seep_profile_stack {
	const struct seep_site_result *result;
	const uint32_t *locations; /* innermost first; at least one */
	size_t n_locations;
	const uint32_t *frames;  /* the frames of all locations */
	size_t n_frames;
	double rate;             /* growth in bytes per axis.per; 0: does not grow */
};

struct seep_profile_tables {
	const struct seep_profile_function *functions;
	const struct seep_profile_frame *frames;
	const struct seep_profile_location *locations;
	const struct seep_profile_stack *stacks; /* in the order of the verdict */
	size_t n_functions, n_frames, n_locations, n_stacks;
	struct seep_view_axis axis;
};

/* Call this when the stacks have names.  The result is in the arena of the view. */
const struct seep_profile_tables *seep_profile_make(const struct seep_view *view);

/* The rate as a whole number, for formats without fractions. */
int64_t seep_profile_whole_rate(const struct seep_profile_stack *stack);

/* The command of the run as one safe line. */
const char *seep_profile_command(const struct seep_view *view);

/* "LEAK: ...": the verdict as one safe line. */
const char *seep_profile_verdict(const struct seep_view *view);

/* A copy of the text with each of these characters replaced by another. */
const char *seep_profile_replace(struct seep_arena *arena, const char *text, const char *letters,
				 char by);

#endif
