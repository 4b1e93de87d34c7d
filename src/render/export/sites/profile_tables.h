/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sites of a run as profile formats want them: stacks made of numbered locations and
 * frames, and functions that each have one name.
 *
 * A location is an address, with a frame for the function there and one for each call that
 * was inlined at it; a frame is a line of a function.  All names are safe texts.
 * Functions that do nothing but allocate are at the inner end of every stack and tell
 * nothing: they are left out there.  The stack of a site outside the heap begins with a frame
 * that says so, such as "[mmap]": by its addresses alone nobody could tell it from one of the heap.
 */
#ifndef SEEP_RENDER_EXPORT_SITES_PROFILE_TABLES_H
#define SEEP_RENDER_EXPORT_SITES_PROFILE_TABLES_H

#include "render/view.h"

struct seep_profile_function {
	const char *name;
	const char *file;        /* with its folder as far as that is known; "": unknown */
	const char *module;      /* file name of the object; "": unknown */
};

struct seep_profile_frame {
	uint32_t function;
	int line;                /* 0: unknown */
};

struct seep_profile_location {
	uint64_t address;        /* in the call, not behind it; 0: none */
	uint32_t module;         /* of the run; 0: none */
	bool named;              /* the file of the module was there to be asked */
	const uint32_t *frames;  /* innermost first; at least one */
	size_t n_frames;
};

/* One site. */
struct seep_profile_stack {
	const struct seep_site_result *result;
	const uint32_t *locations; /* innermost first; at least one */
	size_t n_locations;
	const uint32_t *frames;  /* those of all locations */
	size_t n_frames;
	double rate;             /* bytes per axis.per that it is found to grow by; else 0 */
};

struct seep_profile_tables {
	const struct seep_profile_function *functions;
	const struct seep_profile_frame *frames;
	const struct seep_profile_location *locations;
	const struct seep_profile_stack *stacks; /* in the order of the verdict */
	size_t n_functions, n_frames, n_locations, n_stacks;
	struct seep_view_axis axis;
};

/* Of a run whose stacks have their names; lives in the arena of the view. */
const struct seep_profile_tables *seep_profile_make(const struct seep_view *view);

/* A rate as a whole number, for formats that have no others. */
int64_t seep_profile_whole_rate(const struct seep_profile_stack *stack);

/* The command of the run as one safe line. */
const char *seep_profile_command(const struct seep_view *view);

/* "LEAK: ...": the verdict as one safe line. */
const char *seep_profile_verdict(const struct seep_view *view);

/* A copy of the text in which each of these letters is another. */
const char *seep_profile_replace(struct seep_arena *arena, const char *text, const char *letters,
				 char by);

#endif
