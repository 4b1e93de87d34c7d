/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Some lines of source code around a place, as the caller has found them. */
#ifndef SEEP_RENDER_EXCERPT_H
#define SEEP_RENDER_EXCERPT_H

#include <stdbool.h>
#include <stddef.h>

struct seep_excerpt {
	const char *path;        /* of the source file */
	bool newer;              /* it was changed after the run began */
	int line;                /* the place */
	int first;               /* number of the first line of the excerpt */
	const char **lines;
	size_t n;
};

#endif
