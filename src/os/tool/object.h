/* SPDX-License-Identifier: MIT */
/*
 * What the command must know about an ELF file before running it: whether a library
 * can be preloaded into it, and whether its stacks will have names.  The file is untrusted.
 */
#ifndef SEEP_OS_TOOL_OBJECT_H
#define SEEP_OS_TOOL_OBJECT_H

#include <stdbool.h>

struct seep_object {
	bool elf;                /* if not, everything below is false */
	bool own_class;          /* same word size, byte order and machine as this command */
	bool loadable;           /* names a dynamic loader, or is one */
	bool musl;               /* its loader is not the one of glibc */
	bool debug_info;         /* in the file itself */
	bool symbols;            /* .symtab */
	char build_id[65];       /* in hexadecimal, or "" */
	char sanitizer[32];      /* "AddressSanitizer" ... or "" */
	char allocator[64];      /* library or name of its own malloc, or "" */
};

/* 0, or -errno if the file cannot be read; a file that is not ELF is not a failure. */
int seep_object_inspect(struct seep_object *object, const char *path);

/* Whether the library exports a symbol of that name. */
bool seep_object_defines(const char *path, const char *symbol);

#endif
