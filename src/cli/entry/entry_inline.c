/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/entry/entry_find.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#define CALLERS_MOST 4

struct search {
	const struct seep_entry_name *name;
	const char *callers[CALLERS_MOST];
	size_t n;
	bool more;               /* callers than are named */
};

static void add_caller(struct search *search, const char *caller)
{
	for (size_t i = 0; i < search->n; i++)
		if (!strcmp(search->callers[i], caller))
			return;
	if (search->n == CALLERS_MOST)
		search->more = true;
	else
		search->callers[search->n++] = caller;
}

/* One place into which the function was put. */
static int visit_place(Dwarf_Die *place, void *context)
{
	struct search *search = context;
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes_die(place, &scopes);

	for (int i = 1; i < n; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
			const char *caller = dwarf_diename(&scopes[i]);

			if (caller && strcmp(caller, search->name->word))
				add_caller(search, caller);
			break;
		}
	free(scopes);
	return DWARF_CB_OK;
}

static int visit_function(Dwarf_Die *function, void *context)
{
	struct search *search = context;
	const char *name = dwarf_diename(function);

	if (name && !strcmp(name, search->name->word) && dwarf_func_inline(function))
		dwarf_func_inline_instances(function, visit_place, search);
	return DWARF_CB_OK;
}

const char *seep_entry_inline_callers(struct seep_entry_object *object,
				      const struct seep_entry_name *name,
				      struct seep_arena *arena)
{
	struct search search = { .name = name };
	const char *text = "";
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	while (!search.more && (unit = dwfl_module_nextcu(object->module, unit, &bias)))
		dwarf_getfuncs(unit, visit_function, &search, 0);
	for (size_t i = 0; i < search.n; i++)
		text = seep_arena_printf(arena, "%s%s%s", text, !i ? "" : i + 1 < search.n ||
					 search.more ? ", " : " and ", search.callers[i]);
	if (search.more)
		text = seep_arena_printf(arena, "%s and others", text);
	return search.n ? text : NULL;
}
