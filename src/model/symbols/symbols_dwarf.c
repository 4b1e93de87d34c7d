/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the functions and lines of an address.
 *
 *	address --ranges--> unit --functions--> function DIE --descend--> inlined DIEs
 *
 * libdw's own function (dwarf_getscopes_die) walks a unit from its start for every address, which
 * takes minutes on large C++ programs.  Here, each unit is walked at most once, its functions are
 * kept sorted, and only the function that contains the address is examined.  Functions inside
 * functions (Fortran, GNU C) are indexed only if an address is not found without them.
 */
#include "model/symbols/symbols_file.h"

#include "base/hash_map.h"
#include "base/table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#define NESTING_MAX 64
#define LOOK_BACK 16

struct range {
	Dwarf_Addr low, high;
	Dwarf_Die die;           /* of a unit or of a function */
};

struct ranges {
	struct range *items;
	size_t n;
};

struct unit {
	Dwarf_Die lines;         /* the unit with the line table */
	Dwarf_Die functions;     /* the same DIE, or the one in the .dwo file */
	struct ranges index;
	bool deep;               /* the index includes functions inside functions */
	const char *directory;   /* of the compilation, or NULL */
	bool is_cxx;
};

struct seep_symbols_dwarf {
	Dwfl_Module *file;
	struct seep_arena *arena;
	struct seep_hash_map units;   /* by CU */
	struct seep_hash_map names;   /* displayed names, by the address of the name in the file */
	struct seep_hash_map paths;   /* the same for source files */
	struct seep_symbols_scope *scope;
	bool has_ranges;
	struct ranges ranges;    /* of all units; built if .debug_aranges is incomplete */
};

struct seep_symbols_dwarf *seep_symbols_dwarf_open(Dwfl_Module *file, struct seep_arena *arena)
{
	struct seep_symbols_dwarf *dwarf;
	Dwarf_Addr bias;

	if (!seep_symbols_guard_alternate(file) || !dwfl_module_getdwarf(file, &bias))
		return NULL;
	dwarf = seep_arena_alloc(arena, sizeof(*dwarf));
	dwarf->file = file;
	dwarf->arena = arena;
	seep_hash_map_init(&dwarf->units, arena);
	seep_hash_map_init(&dwarf->names, arena);
	seep_hash_map_init(&dwarf->paths, arena);
	dwarf->scope = seep_symbols_scope_open(arena);
	return dwarf;
}

static int by_low(const void *a, const void *b)
{
	const struct range *one = a, *two = b;

	if (one->low != two->low)
		return one->low < two->low ? -1 : 1;
	return (one->high < two->high) - (one->high > two->high);
}

static void add_ranges(struct seep_table *table, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		if (low && low < high)
			*(struct range *)seep_table_add(table) = (struct range){
				.low = low, .high = high, .die = *die,
			};
}

static struct ranges sort_ranges(const struct seep_table *table)
{
	if (table->n)
		qsort(table->items, table->n, sizeof(struct range), by_low);
	return (struct ranges){ .items = table->items, .n = table->n };
}

/* The innermost range that contains address, or NULL. */
static struct range *find_range(const struct ranges *ranges, Dwarf_Addr address)
{
	size_t low = 0, high = ranges->n, i;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->items[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (i = low; i > 0 && low - i < LOOK_BACK; i--)
		if (address < ranges->items[i - 1].high)
			return &ranges->items[i - 1];
	return NULL;
}

static void index_functions(struct seep_table *table, Dwarf_Die *parent, bool deep, int nesting)
{
	Dwarf_Die die;

	if (nesting > NESTING_MAX || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			add_ranges(table, &die);
		if (tag == DW_TAG_namespace || tag == DW_TAG_module ||
		    (deep && dwarf_haschildren(&die) > 0))
			index_functions(table, &die, deep, nesting + 1);
	} while (!dwarf_siblingof(&die, &die));
}

static void index_unit(struct seep_symbols_dwarf *dwarf, struct unit *unit, bool deep)
{
	struct seep_table table = SEEP_TABLE(dwarf->arena, struct range);

	index_functions(&table, &unit->functions, deep, 0);
	unit->index = sort_ranges(&table);
	unit->deep = deep;
}

static struct range *find_function(struct seep_symbols_dwarf *dwarf, struct unit *unit,
				   Dwarf_Addr address)
{
	struct range *found = find_range(&unit->index, address);

	if (!found && !unit->deep) {
		index_unit(dwarf, unit, true);
		found = find_range(&unit->index, address);
	}
	return found;
}

/* The functions of a skeleton unit are in a .dwo file, if that still exists. */
static Dwarf_Die find_split(Dwfl_Module *file, Dwarf_Die *die)
{
	Dwarf_Die split;
	uint8_t type;

	memset(&split, 0, sizeof(split));
	if (seep_symbols_guard_split(file, die) &&
	    !dwarf_cu_info(die->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) &&
	    type == DW_UT_skeleton && split.cu && dwarf_tag(&split) == DW_TAG_compile_unit)
		return split;
	return *die;
}

static bool is_cxx(Dwarf_Die *die)
{
	switch (dwarf_srclang(die)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

static struct unit *get_unit(struct seep_symbols_dwarf *dwarf, const Dwarf_Die *die)
{
	struct unit *unit = seep_hash_map_get(&dwarf->units, (uintptr_t)die->cu);
	Dwarf_Attribute attr;

	if (unit)
		return unit;
	unit = seep_arena_alloc(dwarf->arena, sizeof(*unit));
	unit->lines = *die;
	unit->functions = find_split(dwarf->file, &unit->lines);
	unit->directory = dwarf_formstring(dwarf_attr(&unit->lines, DW_AT_comp_dir, &attr));
	if (unit->directory)
		unit->directory = seep_arena_copy(dwarf->arena, unit->directory,
						  strlen(unit->directory));
	unit->is_cxx = is_cxx(&unit->functions);
	index_unit(dwarf, unit, false);
	seep_hash_map_put(&dwarf->units, (uintptr_t)die->cu, unit);
	return unit;
}

static void range_units(struct seep_symbols_dwarf *dwarf)
{
	struct seep_table table = SEEP_TABLE(dwarf->arena, struct range);
	Dwarf_Die *die = NULL;
	Dwarf_Addr bias;

	while ((die = dwfl_module_nextcu(dwarf->file, die, &bias)))
		add_ranges(&table, die);
	dwarf->ranges = sort_ranges(&table);
	dwarf->has_ranges = true;
}

/* Some compilers write no .debug_aranges; then the ranges of the units themselves are used. */
static struct unit *find_unit(struct seep_symbols_dwarf *dwarf, Dwarf_Addr *address)
{
	Dwarf_Addr bias;
	Dwarf_Die *die = dwfl_module_addrdie(dwarf->file, *address, &bias);
	struct range *range;

	if (!die && !dwfl_module_getdwarf(dwarf->file, &bias))
		return NULL;
	*address -= bias;
	if (die)
		return get_unit(dwarf, die);
	if (!dwarf->has_ranges)
		range_units(dwarf);
	range = find_range(&dwarf->ranges, *address);
	return range ? get_unit(dwarf, &range->die) : NULL;
}

struct chain {
	Dwarf_Addr address;
	Dwarf_Die dies[SEEP_SYMBOLS_INLINES_MAX + 1]; /* the function, then inlined calls */
	size_t n;
};

static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Adds the inlined calls below die that contain the address; true if there are any. */
static bool descend(struct chain *chain, Dwarf_Die *die, int nesting)
{
	Dwarf_Die child;

	if (nesting > NESTING_MAX || dwarf_child(die, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		bool inlined = tag == DW_TAG_inlined_subroutine;
		int holds;

		if (!inlined && !is_block(tag))
			continue;
		holds = dwarf_haspc(&child, chain->address);
		if (inlined && holds > 0 && chain->n <= SEEP_SYMBOLS_INLINES_MAX) {
			chain->dies[chain->n++] = child;
			descend(chain, &child, nesting + 1);
			return true;
		}
		/* A block without a range may contain anything. */
		if (!inlined && (holds > 0 || !dwarf_hasattr(&child, DW_AT_low_pc)) &&
		    (holds > 0 || !dwarf_hasattr(&child, DW_AT_ranges)) &&
		    descend(chain, &child, nesting + 1))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static const char *show_name(struct seep_symbols_dwarf *dwarf, const char *name)
{
	char *shown = seep_hash_map_get(&dwarf->names, (uintptr_t)name);

	if (!shown) {
		const char *fresh = seep_symbols_name_show(name, dwarf->arena);

		shown = (char *)(uintptr_t)fresh;
		seep_hash_map_put(&dwarf->names, (uintptr_t)name, shown);
	}
	return shown;
}

/* The mangled name is complete.  For file-local C++ functions, only the symbol may have it. */
static const char *name_function(struct seep_symbols_dwarf *dwarf, const struct unit *unit,
				 Dwarf_Die *die, const char *symbol)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	if (!name && symbol && unit->is_cxx && symbol[0] == '_' && symbol[1] == 'Z')
		name = symbol;
	if (!name && unit->is_cxx)
		return seep_symbols_scope_name(dwarf->scope, die);
	if (!name)
		name = dwarf_diename(die);
	return name ? show_name(dwarf, name) : NULL;
}

/* libdw prepends the compilation directory to relative paths; this removes it again. */
static const char *show_path(struct seep_symbols_dwarf *dwarf, const struct unit *unit,
			     const char *path)
{
	size_t n = unit->directory ? strlen(unit->directory) : 0;
	const char *name = path;
	char *shown;

	if (!path)
		return NULL;
	shown = seep_hash_map_get(&dwarf->paths, (uintptr_t)path);
	if (shown)
		return shown;
	if (n && !strncmp(name, unit->directory, n) && name[n] == '/' && name[n + 1])
		name += n + 1;
	while (name[0] == '.' && name[1] == '/' && name[2])
		name += 2;
	shown = seep_arena_copy(dwarf->arena, name, strlen(name));
	seep_hash_map_put(&dwarf->paths, (uintptr_t)path, shown);
	return shown;
}

static void set_file(struct seep_symbols_dwarf *dwarf, const struct unit *unit, const char *path,
		     struct seep_frame *frame)
{
	frame->file = show_path(dwarf, unit, path);
	if (frame->file && frame->file[0] != '/')
		frame->directory = unit->directory;
}

static void find_line(struct seep_symbols_dwarf *dwarf, struct unit *unit, Dwarf_Addr address,
		      struct seep_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->lines, address);
	const char *path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;

	set_file(dwarf, unit, path, frame);
	if (!frame->file || dwarf_lineno(line, &frame->line) || frame->line < 0)
		frame->line = 0;
}

/* The place in the source of an inlined call. */
static void find_call(struct seep_symbols_dwarf *dwarf, struct unit *unit, Dwarf_Die *inlined,
		      struct seep_frame *frame)
{
	Dwarf_Attribute attr;
	Dwarf_Word file = 0, line = 0;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file) ||
	    dwarf_getsrcfiles(&unit->functions, &files, &n) || file >= n)
		return;
	set_file(dwarf, unit, dwarf_filesrc(files, file, NULL, NULL), frame);
	if (frame->file && !dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line) &&
	    line <= INT32_MAX)
		frame->line = (int)line;
}

size_t seep_symbols_dwarf_frames(struct seep_symbols_dwarf *dwarf, uint64_t address,
				 const char *symbol, struct seep_frame *frames)
{
	struct unit *unit = find_unit(dwarf, &address);
	struct range *function = unit ? find_function(dwarf, unit, address) : NULL;
	struct chain chain = { .address = address };
	size_t i;

	if (!unit)
		return 0;
	find_line(dwarf, unit, address, &frames[0]);
	if (!function)
		return frames[0].file ? 1 : 0;
	chain.dies[chain.n++] = function->die;
	descend(&chain, &function->die, 0);
	for (i = 0; i < chain.n; i++) {
		Dwarf_Die *die = &chain.dies[chain.n - 1 - i];
		bool inlined = i + 1 < chain.n;

		frames[i].inlined = inlined;
		frames[i].function = name_function(dwarf, unit, die, inlined ? NULL : symbol);
		if (inlined)
			find_call(dwarf, unit, die, &frames[i + 1]);
	}
	return chain.n;
}
