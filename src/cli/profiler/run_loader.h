/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks the dynamic loader what it would do with a library.  Only the loader knows all the places
 * where it looks.
 */
#ifndef SEEP_CLI_PROFILER_RUN_LOADER_H
#define SEEP_CLI_PROFILER_RUN_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the library with this name; path has room for PATH_MAX bytes. */
bool seep_loader_find(const char *name, char *path);

/*
 * Loads the library into a program that does nothing, with this variable in its environment.
 * text becomes the first line of what the loader or the library print as an error, or "".
 */
void seep_loader_try(const char *library, const char *variable, const char *value, char *text,
		     size_t room);

#endif
