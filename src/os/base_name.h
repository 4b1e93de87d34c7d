/* SPDX-License-Identifier: MIT */
/* The last part of a path.  Depends on nothing: code inside the traced process uses it, too. */
#ifndef SEEP_OS_BASE_NAME_H
#define SEEP_OS_BASE_NAME_H

#include <string.h>

/* "x.so" of "/usr/lib/x.so".  A path that ends in a slash is returned whole. */
static inline const char *seep_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
