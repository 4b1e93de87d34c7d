/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files symbols*.c share; nobody else includes it.
 *
 *	symbols.c         pcs -> frames, each pc once
 *	symbols_file.c    the file of a module, if it still is the one that ran
 *	symbols_guard.c   no wait for what is not a file, but is named like a debug file
 *	symbols_dwarf.c   an address in a file -> function, inlined calls, line
 *	symbols_scope.c   a function's DIE -> its name with namespaces and classes
 *	symbols_elf.c     an address in a file -> symbol, where there is no DWARF
 *	symbols_name.c    names as people write them
 *
 * Addresses here are those of the file: each module has a session of libdwfl to
 * itself and is reported where its file says, so that what was loaded, unloaded and
 * replaced at one address never meets.
 */
#ifndef SEEP_MODEL_SYMBOLS_SYMBOLS_FILE_H
#define SEEP_MODEL_SYMBOLS_SYMBOLS_FILE_H

#include "base/arena.h"
#include "model/run.h"

#include <elfutils/libdwfl.h>

/* Inlined calls deeper than this are left out. */
#define SEEP_SYMBOLS_INLINES_MAX 64

/* NULL if the file is gone, is not the one that was recorded, or is no ELF. */
Dwfl *seep_symbols_file_open(const struct seep_module *module, int64_t started_real_ns,
			     Dwfl_Module **file);

/* Where the segment with the code is: address and offset in the file; false if there is none. */
bool seep_symbols_file_text(Dwfl_Module *file, uint64_t *address, uint64_t *bytes,
			    uint64_t *offset);

/* Whether libdw can look for the debug file with this build id without waiting. */
bool seep_symbols_guard_build_id(const unsigned char *id, size_t bytes);

/* The same for what the file names as its supplementary file. */
bool seep_symbols_guard_alternate(Dwfl_Module *module);

/* The same for the .dwo file of a unit. */
bool seep_symbols_guard_split(Dwfl_Module *module, Dwarf_Die *unit);

/* A callback of libdwfl: dwfl_standard_find_debuginfo, but it does not wait. */
int seep_symbols_guard_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			    const char *file, const char *link, GElf_Word crc, char **found);

/* What became of a file that could not be opened: "is gone", "was rebuilt". */
const char *seep_symbols_file_fate(const struct seep_module *module);

struct seep_symbols_elf;
struct seep_symbols_elf *seep_symbols_elf_open(Dwfl_Module *file, struct seep_arena *arena);

/* The name of the function symbol at address, as in the file, or NULL. */
const char *seep_symbols_elf_name(const struct seep_symbols_elf *elf, uint64_t address);

struct seep_symbols_dwarf;
struct seep_symbols_dwarf *seep_symbols_dwarf_open(Dwfl_Module *file, struct seep_arena *arena);

/*
 * The frames at address, innermost first; frames has room for
 * SEEP_SYMBOLS_INLINES_MAX + 1.  Returns how many, 0 if there is no debug
 * information for the address.  The function of the last one is NULL if only
 * its line is known.  symbol is the name from the ELF symbol table, or NULL.
 */
size_t seep_symbols_dwarf_frames(struct seep_symbols_dwarf *dwarf, uint64_t address,
				 const char *symbol, struct seep_frame *frames);

struct seep_symbols_scope;
struct seep_symbols_scope *seep_symbols_scope_open(struct seep_arena *arena);

/* The name of a function, or of one that was inlined, from its DIE; NULL if it has none. */
const char *seep_symbols_scope_name(struct seep_symbols_scope *scope, Dwarf_Die *function);

/*
 * The name of a function as a person would write it: C++, Rust and D demangled,
 * with template arguments but without parameters and return type
 * (DMGL_NO_OPTS), std::string written so.  Any other name is copied.
 */
const char *seep_symbols_name_show(const char *symbol, struct seep_arena *arena);

/* True for a frame of an allocator or of the C and C++ libraries. */
bool seep_symbols_name_is_library(const struct seep_frame *frame);

#endif
