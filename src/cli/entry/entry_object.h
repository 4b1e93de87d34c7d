/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files with code that a program consists of: itself, and the libraries that it loads. */
#ifndef SEEP_CLI_ENTRY_ENTRY_OBJECT_H
#define SEEP_CLI_ENTRY_ENTRY_OBJECT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "cli/entry/entry_decode.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>

struct seep_entry_object {
	const char *path;
	bool is_program;         /* not a library */
	bool is_early;           /* loaded when the program starts */
	Dwfl *dwfl;              /* NULL: not opened yet, or it cannot be */
	Dwfl_Module *module;
	const char *id;          /* as in SEEP_ENTRY */
};

struct seep_entry_objects {
	struct seep_arena *arena;
	struct seep_table items; /* struct seep_entry_object, in the order of the loader */
};

/* The program, and what its loader says that it needs. */
void seep_entry_objects_find(struct seep_entry_objects *objects, const char *binary,
			     struct seep_arena *arena);
void seep_entry_objects_release(struct seep_entry_objects *objects);

size_t seep_entry_objects_n(const struct seep_entry_objects *objects);
struct seep_entry_object *seep_entry_objects_at(const struct seep_entry_objects *objects, size_t i);

/*
 * An object by its path, or by its name, such as libm.so for libm.so.6; one with a path may also be
 * loaded later.  NULL: there is none.
 */
struct seep_entry_object *seep_entry_objects_named(struct seep_entry_objects *objects,
						   const char *name);

/* False if the file does not hold code. */
bool seep_entry_object_open(struct seep_entry_object *object, struct seep_arena *arena);

/* The loaded piece of code that has this address. */
bool seep_entry_object_text(const struct seep_entry_object *object, uint64_t address,
			    struct seep_entry_text *text);

#endif
