/* SPDX-License-Identifier: MIT */
/*
 * The symbols that a loaded object exports, read from its tables in memory: dlsym takes the
 * loader's lock, which a hook must not wait for.
 */
#ifndef SEEP_RECORD_HEAP_PYTHON_PYTHON_OBJECT_H
#define SEEP_RECORD_HEAP_PYTHON_PYTHON_OBJECT_H

#include <stdint.h>

struct link_map;

/* The address of what the object itself defines under this name; 0 if it does not. */
uintptr_t seep_python_object_find(const struct link_map *object, const char *name);

#endif
