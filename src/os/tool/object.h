/* SPDX-License-Identifier: MIT */
/*
 * What the command wants to know of an ELF file before it is run: can a library
 * be preloaded into it, and will its stacks have names.  The file is untrusted.
 */
#ifndef SEEP_OS_TOOL_OBJECT_H
#define SEEP_OS_TOOL_OBJECT_H

#include <stdbool.h>

struct seep_object {
	bool elf;                /* else all that follows is false */
	bool own_class;          /* same word size, byte order and machine as this command */
	bool loadable;           /* names a dynamic loader, or is one */
	bool musl;               /* its loader is not the one of glibc */
	bool debug_info;         /* in the file itself */
	bool symbols;            /* .symtab */
	char build_id[65];       /* in hexadecimal, or "" */
	char sanitizer[32];      /* "AddressSanitizer" ... or "" */
	char allocator[64];      /* library or name of a malloc of its own, or "" */
};

/* 0 or -errno if the file cannot be read; a file that is not ELF is no failure. */
int seep_object_inspect(struct seep_object *object, const char *path);

/* Whether others find a symbol of that name in the library. */
bool seep_object_defines(const char *path, const char *symbol);

#endif
