/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/entry/entry_find.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#define MANGLED_MAX 16384 /* demangling longer ones could take for ever */

/*
 * What compilers append to the name of a copy (a part is not the whole function), and linkers to
 * that of a version.
 */
static const char *const suffixes[] = {
	".constprop.", ".isra.", ".lto_priv.", ".llvm.", ".localalias", ".specialized.", "@", NULL
};

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Up to the parameters: their parenthesis follows a letter or a '>'. */
static size_t length_without_parameters(const char *name)
{
	const char *open = strrchr(name, '(');
	int depth = 0;

	for (const char *c = name; *c; c++) {
		if (!strncmp(c, "operator()", 10))
			c += 9;
		depth += *c == '<' ? 1 : *c == '>' && c > name && c[-1] != '-' ? -1 : 0;
		if (*c == '(' && depth <= 0 && c > name && strncmp(c, "(anonymous", 10))
			return (size_t)(c - name);
	}
	return open && depth > 0 && open > name ? (size_t)(open - name) : strlen(name);
}

/* In symbols an operator has another name: operator new is nw. */
static bool is_operator(const char *text)
{
	const char *found = strstr(text, "operator");

	return found && (found == text || !is_letter(found[-1])) && !is_letter(found[8]);
}

void seep_entry_name_init(struct seep_entry_name *name, const char *text,
			  struct seep_arena *arena)
{
	size_t end = length_without_parameters(text), start;

	name->arena = arena;
	name->name = text;
	name->has_parameters = text[end];
	if (end && text[end - 1] == '>')
		end = strcspn(text, "<");
	while (end && !is_letter(text[end - 1]))
		end--;
	for (start = end; start && is_letter(text[start - 1]); start--)
		;
	if (is_operator(text))
		start = end;
	name->word = seep_arena_copy(arena, text + start, end - start);
}

const char *seep_entry_name_base(const char *symbol, struct seep_arena *arena)
{
	size_t n = strlen(symbol);

	for (size_t i = 0; suffixes[i]; i++) {
		const char *found = strstr(symbol, suffixes[i]);

		if (found && found > symbol && (size_t)(found - symbol) < n)
			n = (size_t)(found - symbol);
	}
	return symbol[n] ? seep_arena_copy(arena, symbol, n) : symbol;
}

static const char *demangle(const char *symbol, int options, struct seep_arena *arena)
{
	char *demangled = NULL;
	const char *text;

	if (symbol[0] == '_' && strnlen(symbol, MANGLED_MAX) < MANGLED_MAX)
		demangled = cplus_demangle(symbol, options | DMGL_AUTO);
	if (!demangled)
		return symbol;
	text = seep_arena_copy(arena, demangled, strlen(demangled));
	free(demangled);
	return text;
}

const char *seep_entry_name_full(const char *symbol, struct seep_arena *arena)
{
	return demangle(seep_entry_name_base(symbol, arena), DMGL_PARAMS | DMGL_ANSI, arena);
}

/* Without blanks and, if plain, without template arguments: people do not agree on them. */
static const char *simplify(const char *name, bool plain, struct seep_arena *arena)
{
	char *text = seep_arena_copy(arena, name, strlen(name));
	size_t n = 0;
	int depth = 0;
	bool is_operator = strstr(name, "operator<") || strstr(name, "operator>") ||
			   strstr(name, "operator-");

	for (const char *c = name; *c; c++) {
		if (plain && !is_operator && *c == '<')
			depth++;
		if (!depth && (*c != ' ' || (is_letter(c[1]) && n && is_letter(text[n - 1]))))
			text[n++] = *c;
		if (plain && !is_operator && *c == '>' && depth)
			depth--;
	}
	text[n] = 0;
	return text;
}

/* The same, or its end, from a class or namespace on. */
static bool is_end_of(const char *full, const char *name)
{
	size_t n = strlen(full), m = strlen(name);

	return n >= m && !strcmp(full + n - m, name) &&
	       (n == m || (n > m + 1 && full[n - m - 1] == ':' && full[n - m - 2] == ':'));
}

static bool fits(const struct seep_entry_name *name, const char *full, bool plain)
{
	struct seep_arena *arena = name->arena;

	return is_end_of(simplify(full, plain, arena), simplify(name->name, false, arena));
}

bool seep_entry_name_fits(const struct seep_entry_name *name, const char *symbol)
{
	const char *base, *full;
	int options = name->has_parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;

	if (!strstr(symbol, name->word) || strstr(symbol, ".cold") || strstr(symbol, ".part."))
		return false;
	base = seep_entry_name_base(symbol, name->arena);
	if (!strcmp(symbol, name->name) || !strcmp(base, name->name))
		return true;
	if (base[0] != '_')
		return false;
	full = demangle(base, options, name->arena);
	return full != base && (fits(name, full, false) || fits(name, full, true));
}
