/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/place.h"

#include <stdio.h>
#include <string.h>

/* Removes "." and ".." from the text of the path; the files need not exist. */
static char *normalise(struct seep_arena *arena, const char *path)
{
	char *out = seep_arena_alloc(arena, strlen(path) + 2);
	size_t root = *path == '/', used = 0;

	if (root)
		out[used++] = '/';
	while (*path) {
		size_t n = strcspn(path, "/");
		const char *slash;

		if (n == 2 && !strncmp(path, "..", 2) && used > root) {
			out[used] = 0;
			slash = strrchr(out + root, '/');
			used = slash ? (size_t)(slash - out) : root;
		} else if (n && !(n == 1 && *path == '.') && !(n == 2 && root && path[0] == '.' &&
							       path[1] == '.')) {
			if (used > root)
				out[used++] = '/';
			memcpy(out + used, path, n);
			used += n;
		}
		path += n;
		path += strspn(path, "/");
	}
	out[used] = 0;
	return out;
}

/* The part of the path below root; NULL if it is not below root. */
static const char *below(const char *path, const char *root)
{
	size_t n = root ? strlen(root) : 0;

	while (n && root[n - 1] == '/')
		n--;
	if (!root || strncmp(path, root, n) || path[n] != '/')
		return NULL;
	return path + n + 1;
}

/* The path as far as it is known; relative if the debug information has only that. */
static const char *find_path(struct seep_arena *arena, const struct seep_frame *frame)
{
	if (!frame || !frame->file || !*frame->file)
		return NULL;
	if (*frame->file == '/' || !frame->directory)
		return normalise(arena, frame->file);
	return normalise(arena, seep_arena_printf(arena, "%s/%s", frame->directory, frame->file));
}

const char *seep_place_path(struct seep_arena *arena, const struct seep_frame *frame,
			    const char *root)
{
	const char *path = find_path(arena, frame);
	const char *inside = path ? below(path, root) : NULL;

	return inside && *inside ? inside : path;
}

const struct seep_frame *seep_place_frame(struct seep_arena *arena, const struct seep_stack *stack,
					  const char *root)
{
	const struct seep_frame *first = NULL;

	for (size_t i = stack->own_frame; i < stack->n_frames; i++) {
		const char *path = find_path(arena, &stack->frames[i]);

		if (path && below(path, root))
			return &stack->frames[i];
		if (path && !first)
			first = &stack->frames[i];
	}
	return first;
}

const char *seep_place_uri(struct seep_arena *arena, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/+@=,!$&'()*;";
	char *uri = seep_arena_alloc(arena, 3 * strlen(path) + sizeof("file://"));
	size_t out = 0;

	if (*path == '/') {
		memcpy(uri, "file://", 7);
		out = 7;
	}
	for (; *path; path++) {
		if (strchr(plain, *path))
			uri[out++] = *path;
		else
			out += (size_t)snprintf(uri + out, 4, "%%%02X", (unsigned char)*path);
	}
	uri[out] = 0;
	return uri;
}
