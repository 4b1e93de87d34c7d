/* SPDX-License-Identifier: MIT */
#include "record/heap/python/python_object.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#define CHAIN_MAX 4096u /* symbols with one hash: far more than any table has */

struct tables {
	const ElfW(Sym) *symbols;
	const char *names;
	const uint32_t *hash;    /* DT_GNU_HASH */
};

/* The C library has made addresses of these, but not on all architectures. */
static const void *place(const struct link_map *object, const ElfW(Dyn) *entry)
{
	uintptr_t address = entry->d_un.d_ptr;

	return (const void *)(address < object->l_addr ? address + object->l_addr : address);
}

static bool read_tables(struct tables *tables, const struct link_map *object)
{
	const ElfW(Dyn) *entry;

	for (entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		switch (entry->d_tag) {
		case DT_SYMTAB:
			tables->symbols = place(object, entry);
			break;
		case DT_STRTAB:
			tables->names = place(object, entry);
			break;
		case DT_GNU_HASH:
			tables->hash = place(object, entry);
			break;
		}
	return tables->symbols && tables->names && tables->hash;
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

/* hash: number of buckets, first symbol, words of a filter, a shift; filter, buckets, chains. */
static const ElfW(Sym) *find_symbol(const struct tables *tables, const char *name)
{
	const uint32_t *hash = tables->hash;
	uint32_t n_buckets = hash[0], first = hash[1], n_words = hash[2], i;
	const uint32_t *buckets = hash + 4 + n_words * (sizeof(ElfW(Addr)) / sizeof(*hash));
	const uint32_t *chains = buckets + n_buckets;
	uint32_t wanted = hash_name(name), at, here;

	at = n_buckets ? buckets[wanted % n_buckets] : 0;
	for (i = 0; at >= first && at && i < CHAIN_MAX; i++, at++) {
		const ElfW(Sym) *symbol = &tables->symbols[at];

		here = chains[at - first];
		if ((here | 1) == (wanted | 1) && symbol->st_shndx != SHN_UNDEF &&
		    !strcmp(tables->names + symbol->st_name, name))
			return symbol;
		if (here & 1)
			break;
	}
	return NULL;
}

uintptr_t seep_python_object_find(const struct link_map *object, const char *name)
{
	struct tables tables = {0};
	const ElfW(Sym) *symbol = NULL;

	if (read_tables(&tables, object))
		symbol = find_symbol(&tables, name);
	return symbol ? object->l_addr + symbol->st_value : 0;
}
