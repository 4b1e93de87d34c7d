/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The full names of functions without a mangled name: compilers omit it for functions that are
 * local to a file (anonymous namespaces, lambdas, and all templates over them).  DWARF has no link
 * from a DIE to its parent, so the first query for a unit walks the unit and records the scope
 * that encloses each function.
 */
#include "model/symbols/symbols_file.h"

#include "base/hash_map.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#define NESTING_MAX 64
#define ORIGINS_MAX 8

struct seep_symbols_scope {
	struct seep_arena *arena;
	struct seep_hash_map walked;  /* units */
	struct seep_hash_map around;  /* "a::b::" by the address of the function's DIE */
	struct seep_hash_map names;   /* results of earlier queries, by the same */
};

struct seep_symbols_scope *seep_symbols_scope_open(struct seep_arena *arena)
{
	struct seep_symbols_scope *scope = seep_arena_alloc(arena, sizeof(*scope));

	scope->arena = arena;
	seep_hash_map_init(&scope->walked, arena);
	seep_hash_map_init(&scope->around, arena);
	seep_hash_map_init(&scope->names, arena);
	return scope;
}

static bool is_around(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static char *add_around(struct seep_symbols_scope *scope, Dwarf_Die *die, const char *around)
{
	const char *name = dwarf_diename(die);

	if (!name)
		name = dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)" : "(unnamed)";
	return seep_arena_printf(scope->arena, "%s%s::", around, name);
}

static void walk(struct seep_symbols_scope *scope, Dwarf_Die *parent, char *around, int nesting)
{
	Dwarf_Die die;

	if (nesting > NESTING_MAX || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && *around)
			seep_hash_map_put(&scope->around, (uintptr_t)die.addr, around);
		if (is_around(tag) && dwarf_haschildren(&die) > 0)
			walk(scope, &die, add_around(scope, &die, around), nesting + 1);
		else if (tag == DW_TAG_lexical_block)
			walk(scope, &die, around, nesting + 1);
	} while (!dwarf_siblingof(&die, &die));
}

static void walk_unit_of(struct seep_symbols_scope *scope, Dwarf_Die *die)
{
	static char nothing[] = "";
	Dwarf_Die unit;

	if (seep_hash_map_get(&scope->walked, (uintptr_t)die->cu))
		return;
	seep_hash_map_put(&scope->walked, (uintptr_t)die->cu, scope);
	if (dwarf_diecu(die, &unit, NULL, NULL))
		walk(scope, &unit, nothing, 0);
}

/* The declaration of the function of an inlined call or a definition. */
static Dwarf_Die find_declaration(Dwarf_Die *from)
{
	Dwarf_Die die = *from, next;
	Dwarf_Attribute attr;
	int i;

	for (i = 0; i < ORIGINS_MAX; i++) {
		if (!dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attr), &next) &&
		    !dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &attr), &next))
			break;
		die = next;
	}
	return die;
}

const char *seep_symbols_scope_name(struct seep_symbols_scope *scope, Dwarf_Die *function)
{
	Dwarf_Die die = find_declaration(function);
	const char *name = dwarf_diename(&die), *around;
	char *full = seep_hash_map_get(&scope->names, (uintptr_t)die.addr);

	if (full || !name)
		return full;
	walk_unit_of(scope, &die);
	around = seep_hash_map_get(&scope->around, (uintptr_t)die.addr);
	full = seep_arena_printf(scope->arena, "%s%s", around ? around : "", name);
	seep_hash_map_put(&scope->names, (uintptr_t)die.addr, full);
	return full;
}
