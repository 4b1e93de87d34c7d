/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/entry/entry_find.h"
#include "cli/common/options.h"
#include "os/base_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MOST 4     /* names in a list */
#define NEAR_LEAST 2     /* edits that a similar name may have, for a short one */

struct search {
	struct seep_entry_objects *objects;
	const char *option, *typed;
	struct seep_entry_object *object; /* NULL: the program, then its libraries */
	const char *file;        /* NULL: any */
	struct seep_entry_name name;
	struct seep_entry_found *found;
	size_t n_all;            /* matches, also those for which there was no room */
	bool has_locals;         /* the program has symbols of its own functions */
};

static struct seep_arena *arena_of(const struct search *search)
{
	return search->objects->arena;
}

/* "WHERE:NAME", but not "class::function". */
static const char *find_colon(const char *text)
{
	const char *colon = strchr(text, ':');

	while (colon && colon[1] == ':')
		colon = strchr(colon + 2, ':');
	return colon;
}

static int split(struct search *search, struct seep_err *err)
{
	const char *colon = find_colon(search->typed), *name = search->typed, *where;

	if (colon) {
		where = seep_arena_copy(arena_of(search), name, (size_t)(colon - name));
		name = colon + 1;
		search->object = seep_entry_objects_named(search->objects, where);
		if (!search->object && (strchr(where, '/') || strstr(where, ".so")) &&
		    !strstr(where, ".c"))
			return seep_err_set(err, ENOENT, "%s%.200s: there is no '%.200s'%s",
					    search->option, search->typed, where,
					    strchr(where, '/') ? "" : " among the libraries of the "
					    "program; if it is loaded later, write its path");
		search->file = search->object ? NULL : where;
	}
	if (!*name)
		return seep_err_set(err, EINVAL, "%s%.200s: write the name of a function",
				    search->option, search->typed);
	seep_entry_name_init(&search->name, name, arena_of(search));
	return 0;
}

/* Whether a path ends in the name of a file that was typed. */
static bool is_file(const char *path, const char *file)
{
	size_t n = path ? strlen(path) : 0, m = strlen(file);

	return n >= m && !strcmp(path + n - m, file) && (n == m || path[n - m - 1] == '/');
}

static const char *find_source(struct seep_entry_object *object, uint64_t address)
{
	Dwfl_Line *line = dwfl_module_getsrc(object->module, address);

	return line ? dwfl_lineinfo(line, NULL, NULL, NULL, NULL, NULL) : NULL;
}

static bool is_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx < SHN_LORESERVE && sym->st_value &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC);
}

static void add_copy(struct search *search, const struct seep_entry_copy *copy)
{
	struct seep_entry_found *found = search->found;

	for (size_t i = 0; i < found->n; i++)
		if (found->copies[i].object == copy->object &&
		    found->copies[i].address == copy->address)
			return;
	search->n_all++;
	if (found->n < SEEP_ENTRY_COPIES_MOST)
		found->copies[found->n++] = *copy;
}

static void search_object(struct search *search, struct seep_entry_object *object)
{
	int n = dwfl_module_getsymtab(object->module);
	const char *file = NULL;

	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		const char *symbol = dwfl_module_getsym_info(object->module, i, &sym, &address,
							     NULL, NULL, NULL);
		struct seep_entry_copy copy = { .object = object, .symbol = symbol };

		if (symbol && GELF_ST_TYPE(sym.st_info) == STT_FILE)
			file = symbol;
		if (!symbol || !is_function(&sym))
			continue;
		copy.is_local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
		search->has_locals = search->has_locals || (object->is_program && copy.is_local);
		if (!seep_entry_name_fits(&search->name, symbol))
			continue;
		copy.address = address;
		copy.size = sym.st_size;
		copy.is_resolver = GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
		copy.file = find_source(object, address);
		if (!copy.file && copy.is_local)
			copy.file = file;
		if (!search->file || is_file(copy.file, search->file))
			add_copy(search, &copy);
	}
}

/* Where the symbol behind each copy starts. */
static void find_next(struct seep_entry_found *found)
{
	for (size_t k = 0; k < found->n; k++) {
		struct seep_entry_copy *copy = &found->copies[k];
		int n = dwfl_module_getsymtab(copy->object->module);

		for (int i = 1; i < n; i++) {
			GElf_Sym sym;
			GElf_Addr address;

			if (dwfl_module_getsym_info(copy->object->module, i, &sym, &address, NULL,
						    NULL, NULL) && is_function(&sym) &&
			    address > copy->address && (!copy->next || address < copy->next))
				copy->next = address;
		}
	}
}

static void search_all(struct search *search)
{
	struct seep_entry_objects *objects = search->objects;

	for (size_t i = 0; i < seep_entry_objects_n(objects); i++) {
		struct seep_entry_object *object = seep_entry_objects_at(objects, i);

		if (search->object && object != search->object)
			continue;
		if (!seep_entry_object_open(object, objects->arena))
			continue;
		search_object(search, object);
		if (search->found->n && object->is_program)
			break;
	}
}

/* Whether both are copies of one function that the compiler made. */
static bool are_copies(struct search *search, const struct seep_entry_copy *a,
		       const struct seep_entry_copy *b)
{
	struct seep_arena *arena = arena_of(search);

	return a->object == b->object && strcmp(a->symbol, b->symbol) &&
	       !strstr(a->symbol, ".lto_priv.") && !strstr(b->symbol, ".lto_priv.") &&
	       (!a->file || !b->file || !strcmp(a->file, b->file)) &&
	       !strcmp(seep_entry_name_full(a->symbol, arena), seep_entry_name_full(b->symbol,
										    arena));
}

/* "fn:", or nothing, as in the option. */
static const char *prefix(const struct search *search)
{
	return strstr(search->option, "fn:") ? "fn:" : "";
}

/* How to write exactly this one. */
static const char *exact_name(struct search *search, const struct seep_entry_copy *copy)
{
	const struct seep_entry_found *found = search->found;
	const char *full = seep_entry_name_full(copy->symbol, arena_of(search));
	bool object = false, file = false;

	for (size_t i = 0; i < found->n; i++) {
		const struct seep_entry_copy *other = &found->copies[i];

		if (other == copy ||
		    strcmp(seep_entry_name_full(other->symbol, arena_of(search)), full))
			continue;
		object = object || other->object != copy->object;
		file = file || other->object == copy->object;
	}
	if (search->object && !file)
		return full;
	if (object)
		return seep_arena_printf(arena_of(search), "%s%s:%s", prefix(search),
					 seep_base_name(copy->object->path), full);
	if (file && copy->file)
		return seep_arena_printf(arena_of(search), "%s%s:%s", prefix(search),
					 seep_base_name(copy->file), full);
	return seep_arena_printf(arena_of(search), "%s%s", prefix(search), full);
}

static int refuse_many(struct search *search, struct seep_err *err)
{
	const struct seep_entry_found *found = search->found;
	const char *list = "";

	for (size_t i = 0; i < found->n && i < SHOWN_MOST; i++)
		list = seep_arena_printf(arena_of(search), "%s%s%.90s", list, i ? ", " : "",
					 exact_name(search, &found->copies[i]));
	if (search->n_all > SHOWN_MOST)
		list = seep_arena_printf(arena_of(search), "%s and %zu more", list,
					 search->n_all - SHOWN_MOST);
	return seep_err_set(err, EINVAL, "%s%.100s: there are %zu such functions; write one of "
			    "%s%s", search->option, search->typed, search->n_all,
			    search->object ? "these names: " : "", list);
}

struct near {
	const char *names[SHOWN_MOST];
	size_t edits[SHOWN_MOST];
	size_t n, most;
};

static void add_near(struct near *near, const char *name, size_t edits)
{
	size_t i = near->n;

	for (size_t k = 0; k < near->n; k++)
		if (!strcmp(near->names[k], name))
			return;
	if (near->n < SHOWN_MOST)
		near->n++;
	else if (near->edits[--i] <= edits)
		return;
	for (; i && near->edits[i - 1] > edits; i--) {
		near->names[i] = near->names[i - 1];
		near->edits[i] = near->edits[i - 1];
	}
	near->names[i] = name;
	near->edits[i] = edits;
}

static void compare_near(struct search *search, struct near *near, const char *symbol)
{
	const char *full = seep_entry_name_full(symbol, arena_of(search));
	const char *word = search->name.word;
	struct seep_entry_name other;
	size_t edits, n = strlen(word);

	seep_entry_name_init(&other, full, arena_of(search));
	if (strlen(other.word) > n + near->most || strlen(other.word) + near->most < n)
		return;
	edits = seep_options_distance(word, other.word);
	if (edits <= near->most)
		add_near(near, full, edits);
}

static const char *find_near(struct search *search)
{
	struct near near = { .most = NEAR_LEAST };
	const char *list = "";

	if (strlen(search->name.word) / 4 > near.most)
		near.most = strlen(search->name.word) / 4;
	for (size_t i = 0; i < seep_entry_objects_n(search->objects); i++) {
		struct seep_entry_object *object = seep_entry_objects_at(search->objects, i);
		int n = object->dwfl && (!search->object || search->object == object)
				? dwfl_module_getsymtab(object->module) : 0;

		for (int k = 1; k < n; k++) {
			GElf_Sym sym;
			GElf_Addr address;
			const char *symbol = dwfl_module_getsym_info(object->module, k, &sym,
								     &address, NULL, NULL, NULL);

			if (symbol && is_function(&sym) && !strstr(symbol, ".cold"))
				compare_near(search, &near, symbol);
		}
	}
	for (size_t i = 0; i < near.n; i++)
		list = seep_arena_printf(arena_of(search), "%s%s%.60s", list,
					 i ? ", " : "; similar: ", near.names[i]);
	return list;
}

static const char *find_callers(struct search *search)
{
	const char *callers = NULL;

	for (size_t i = 0; i < seep_entry_objects_n(search->objects) && !callers; i++) {
		struct seep_entry_object *object = seep_entry_objects_at(search->objects, i);

		if (object->dwfl && (!search->object || search->object == object))
			callers = seep_entry_inline_callers(object, &search->name,
							    arena_of(search));
	}
	return callers;
}

static int refuse_none(struct search *search, struct seep_err *err)
{
	const struct seep_entry_object *program = seep_entry_objects_at(search->objects, 0);
	const char *callers = find_callers(search), *stripped = "", *place;
	size_t n = seep_entry_objects_n(search->objects) - 1;

	if (callers)
		return seep_err_set(err, ENOENT, "%s%.100s: the compiler put this function "
				    "into all its callers; choose one of them: %s", search->option,
				    search->typed, callers);
	if (!search->object && !search->has_locals)
		stripped = seep_arena_printf(arena_of(search), "; '%.60s' has no names of its "
					     "internal functions (stripped)",
					     seep_base_name(program->path));
	if (search->object)
		place = seep_arena_printf(arena_of(search), "'%.100s'",
					  seep_base_name(search->object->path));
	else
		place = seep_arena_printf(arena_of(search), "'%.100s'%s%s or the %zu libraries "
					  "that it loads at its start",
					  seep_base_name(program->path),
					  search->file ? " from file " : "",
					  search->file ? search->file : "", n);
	return seep_err_set(err, ENOENT, "%s%.100s: no such function in %s%s%s%s",
			    search->option, search->typed, place, find_near(search), stripped,
			    search->object ? "" : "; for another file, write its path before the "
						  "name, with a colon");
}

static int check(struct search *search, struct seep_err *err)
{
	const struct seep_entry_found *found = search->found;

	if (!found->n)
		return refuse_none(search, err);
	if (found->copies[0].is_resolver)
		return seep_err_set(err, EINVAL, "%s%.100s: this name stands for one of "
				    "several functions, chosen when the program starts (IFUNC); "
				    "choose one of those, or a caller", search->option,
				    search->typed);
	if (search->n_all > SEEP_ENTRY_COPIES_MOST)
		return refuse_many(search, err);
	for (size_t i = 1; i < found->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!are_copies(search, &found->copies[i], &found->copies[k]))
				return refuse_many(search, err);
	return 0;
}

int seep_entry_find(struct seep_entry_objects *objects, const char *option, const char *typed,
		    struct seep_entry_found *found, struct seep_err *err)
{
	struct search search = {
		.objects = objects, .option = option, .typed = typed, .found = found,
	};
	int rc = split(&search, err);

	*found = (struct seep_entry_found){ .n = 0 };
	if (rc)
		return rc;
	search_all(&search);
	rc = check(&search, err);
	if (rc)
		return rc;
	find_next(found);
	found->name = search.name.name;
	return 0;
}
