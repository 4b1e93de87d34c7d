/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions by the names that people write:
 *
 *	NAME              handle, order::Book::add, add (if there is only one), add(int)
 *	FILE.c:NAME       the one that this source file defines
 *	OBJECT:NAME       the one of a library or program: libz.so:inflate, ./plugin.so:run
 *
 * A function may have several copies: clones that the compiler made for some of its callers, and
 * both kinds of a C++ constructor.
 */
#ifndef SEEP_CLI_ENTRY_ENTRY_FIND_H
#define SEEP_CLI_ENTRY_ENTRY_FIND_H

#include "cli/entry/entry_object.h"

#define SEEP_ENTRY_COPIES_MOST 16

struct seep_entry_copy {
	struct seep_entry_object *object;
	const char *symbol;      /* as in the file */
	const char *file;        /* the source file that defines it; NULL: not known */
	uint64_t size;
	uint64_t address;
	uint64_t next;           /* the next symbol, or 0 */
	bool is_local;
	bool is_resolver;        /* not a function, but one that chooses a function (IFUNC) */
};

struct seep_entry_found {
	struct seep_entry_copy copies[SEEP_ENTRY_COPIES_MOST];
	size_t n;
	const char *name;        /* as it is shown, such as "order::Book::add" */
};

/* option: such as "--event fn:", for messages. */
int seep_entry_find(struct seep_entry_objects *objects, const char *option, const char *typed,
		    struct seep_entry_found *found, struct seep_err *err);

/* entry_signature.c: what debug information says about parameters and result. */
#define SEEP_ENTRY_PARAMETERS_MOST 6 /* those in registers */

struct seep_entry_signature {
	bool known;
	size_t n;                /* parameters, the object of a method included */
	char kinds[SEEP_ENTRY_PARAMETERS_MOST]; /* p: pointer; i: integer; ?: something else */
	bool artificial[SEEP_ENTRY_PARAMETERS_MOST]; /* the object of a method */
	uint64_t pointee;        /* size of what the result points to; 0: not known */
};

void seep_entry_signature_read(const struct seep_entry_copy *copy,
			       struct seep_entry_signature *signature);

/* entry_name.c: a name, and how symbols are compared with it. */
struct seep_entry_name {
	const char *name;        /* without object and file */
	const char *word;        /* its last identifier, which each match contains; or "" */
	bool has_parameters;
	struct seep_arena *arena;
};

void seep_entry_name_init(struct seep_entry_name *name, const char *text,
			  struct seep_arena *arena);

/* Whether the symbol has this name. */
bool seep_entry_name_fits(const struct seep_entry_name *name, const char *symbol);

/* Without what the compiler appended to the name of a clone. */
const char *seep_entry_name_base(const char *symbol, struct seep_arena *arena);

/* Demangled, with parameters. */
const char *seep_entry_name_full(const char *symbol, struct seep_arena *arena);

/*
 * entry_inline.c: the functions into which calls of one were put, "a, b and c"; NULL if it is not
 * known, or if none were.
 */
const char *seep_entry_inline_callers(struct seep_entry_object *object,
				      const struct seep_entry_name *name,
				      struct seep_arena *arena);

#endif
