/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/key.h"

#include <string.h>

/* The length of a function's name without suffixes that the compiler added. */
static size_t measure_name(const char *name)
{
	static const char *const suffixes[] = {
		".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.", ".llvm.", " [clone ",
	};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *found = strstr(name, suffixes[i]);

		if (found && found > name && (size_t)(found - name) < length)
			length = (size_t)(found - name);
	}
	return length;
}

/* The functions that start threads and programs differ between C libraries. */
static bool is_foundation(const struct seep_frame *frame)
{
	return frame->module && (!strncmp(frame->module, "libc.so", 7) ||
				 !strncmp(frame->module, "ld-linux", 8) ||
				 !strncmp(frame->module, "libpthread.so", 13));
}

bool seep_key_is_nameless(const struct seep_frame *frame)
{
	size_t n = frame->module ? strlen(frame->module) : 0;

	return !strncmp(frame->function, "0x", 2) ||
	       (n && !strncmp(frame->function, frame->module, n) &&
		!strncmp(frame->function + n, "+0x", 3));
}

/* A function without a name is identified by its module only. */
static const char *name_of(const struct seep_frame *frame, bool same_build)
{
	if (same_build || !seep_key_is_nameless(frame))
		return frame->function;
	return frame->module ? frame->module : "";
}

bool seep_key_is_interpreter(const struct seep_stack *stack, const struct seep_frame *frame)
{
	const char *own = stack->frames[stack->own_frame].language;

	return own && !strcmp(own, "python") && frame->module &&
	       (!strncmp(frame->module, "python3", 7) || !strncmp(frame->module, "libpython3", 10));
}

bool seep_key_name(const struct seep_frame *frame, bool same_build, const char **name,
		   size_t *length)
{
	if (is_foundation(frame))
		return false;
	*name = name_of(frame, same_build);
	*length = measure_name(*name);
	return true;
}

bool seep_key_next(struct seep_key_walk *walk, const char **name, size_t *length)
{
	const struct seep_stack *stack = walk->stack;

	if (walk->last && !strcmp(walk->last, "main"))
		return false;
	while (stack->own_frame + walk->passed < stack->n_frames) {
		const struct seep_frame *frame = &stack->frames[stack->own_frame + walk->passed++];

		if (seep_key_is_interpreter(stack, frame) ||
		    !seep_key_name(frame, walk->same_build, name, length))
			continue;
		if (*length == walk->last_length && !strncmp(*name, walk->last ? walk->last : "",
							     *length))
			continue; /* recursion */
		walk->last = *name;
		walk->last_length = *length;
		return true;
	}
	return false;
}

int seep_key_compare_lines(const struct seep_stack *a, const struct seep_stack *b)
{
	for (size_t i = 0; i < a->n_frames && i < b->n_frames; i++)
		if (a->frames[i].line != b->frames[i].line)
			return a->frames[i].line < b->frames[i].line ? -1 : 1;
	return (a->n_frames > b->n_frames) - (a->n_frames < b->n_frames);
}
