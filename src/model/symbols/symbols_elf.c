/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The function symbols of a file, sorted by address, because libdwfl searches all of them for every
 * address.
 */
#include "model/symbols/symbols_file.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

/* How many symbols that start before an address are examined: symbols can be nested. */
#define LOOK_BACK 32

struct symbol {
	uint64_t start;
	uint64_t bytes;          /* 0: unknown (assembler) */
	const char *name;
	unsigned char binding;
};

struct seep_symbols_elf {
	struct symbol *symbols;
	size_t n;
};

static bool is_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* If an address has several names, prefer the one that programs call: not __libc_malloc. */
static int by_rank(const struct symbol *a, const struct symbol *b)
{
	bool inner_a = a->name[0] == '_', inner_b = b->name[0] == '_';
	size_t length_a = strlen(a->name), length_b = strlen(b->name);

	if (inner_a != inner_b)
		return inner_b ? 1 : -1;
	if ((a->binding == STB_LOCAL) != (b->binding == STB_LOCAL))
		return b->binding == STB_LOCAL ? 1 : -1;
	if (length_a != length_b)
		return length_a < length_b ? 1 : -1;
	return -strcmp(a->name, b->name);
}

/* The best name of an address comes last, where the search starts. */
static int by_start(const void *a, const void *b)
{
	const struct symbol *one = a, *two = b;

	if (one->start != two->start)
		return one->start < two->start ? -1 : 1;
	if (!one->bytes != !two->bytes)
		return one->bytes ? 1 : -1;
	return by_rank(one, two);
}

struct seep_symbols_elf *seep_symbols_elf_open(Dwfl_Module *file, struct seep_arena *arena)
{
	struct seep_symbols_elf *elf = seep_arena_alloc(arena, sizeof(*elf));
	struct seep_table symbols = SEEP_TABLE(arena, struct symbol);
	int n = dwfl_module_getsymtab(file), i;

	for (i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		const char *name;

		name = dwfl_module_getsym_info(file, i, &sym, &address, NULL, NULL, NULL);
		if (name && *name && is_function(&sym))
			*(struct symbol *)seep_table_add(&symbols) = (struct symbol){
				.start = address, .bytes = sym.st_size, .name = name,
				.binding = GELF_ST_BIND(sym.st_info),
			};
	}
	if (symbols.n)
		qsort(symbols.items, symbols.n, sizeof(struct symbol), by_start);
	elf->symbols = symbols.items;
	elf->n = symbols.n;
	return elf;
}

/* The number of symbols that start at or before address. */
static size_t count_before(const struct seep_symbols_elf *elf, uint64_t address)
{
	size_t low = 0, high = elf->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (elf->symbols[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *seep_symbols_elf_name(const struct seep_symbols_elf *elf, uint64_t address)
{
	size_t n = count_before(elf, address), i;

	for (i = n; i > 0 && n - i < LOOK_BACK; i--) {
		const struct symbol *symbol = &elf->symbols[i - 1];

		if (address - symbol->start < symbol->bytes)
			return symbol->name;
	}
	/* Assembler code often has no sizes; such a symbol extends to the next one. */
	if (n && !elf->symbols[n - 1].bytes)
		return elf->symbols[n - 1].name;
	return NULL;
}
