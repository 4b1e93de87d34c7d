/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dynamic loader, asked what it would do with a library: it alone knows all the
 * places where it looks.
 */
#ifndef SEEP_CLI_PROFILER_RUN_LOADER_H
#define SEEP_CLI_PROFILER_RUN_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/* Where it finds the library of that name; path has PATH_MAX bytes. */
bool seep_loader_find(const char *name, char *path);

/*
 * Loads the library into a program that does nothing, with a variable in its environment.
 * text: the first line that loader or library complain with, or "".
 */
void seep_loader_try(const char *library, const char *variable, const char *value, char *text,
		     size_t room);

#endif
