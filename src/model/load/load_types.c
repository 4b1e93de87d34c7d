/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The types of surviving Python objects, by site. */
#include "base/sort.h"
#include "model/load/loading.h"
#include "trace/unpack.h"

#include <string.h>

#define TYPES_MOST 8u        /* of a site */

struct seep_load_type {
	uint64_t site;
	struct seep_site_type type;
};

void seep_load_types_begin(struct seep_load *load)
{
	load->type_names = SEEP_TABLE(&load->scratch, const char *);
	load->types = SEEP_TABLE(&load->scratch, struct seep_load_type);
}

static void add_name(struct seep_load *load, const struct seep_rec_type *record)
{
	const char *letters = (const char *)(record + 1);

	if (!record->id || !seep_load_plausible(load, record->id, sizeof(*record)))
		return;
	*(const char **)seep_table_at(&load->type_names, record->id) =
		seep_arena_copy(load->arena, letters, record->bytes);
}

static void add_type(struct seep_load *load, struct seep_unpack *numbers)
{
	const char *const *names = load->type_names.items;
	struct seep_load_type found;
	uint64_t type;

	found.site = seep_unpack_next(numbers);
	type = seep_unpack_next(numbers);
	found.type.blocks = seep_unpack_next(numbers);
	found.type.bytes = seep_unpack_next(numbers);
	if (numbers->bad) {
		load->damaged++;
		return;
	}
	if (type >= load->type_names.n || !names[type] || found.site >= load->sites.n)
		return;
	found.type.name = names[type];
	*(struct seep_load_type *)seep_table_add(&load->types) = found;
}

void seep_load_types_add(struct seep_load *load, const struct seep_reader_record *record)
{
	const struct seep_rec_site_types *batch = record->payload;
	struct seep_unpack numbers;
	uint32_t i;

	if (record->kind == SEEP_REC_TYPE) {
		add_name(load, record->payload);
		return;
	}
	if (batch->ordinal != load->types_ordinal)
		load->types.n = 0;
	load->types_ordinal = batch->ordinal;
	numbers = seep_unpack_begin(batch + 1, batch->bytes);
	for (i = 0; i < batch->count && !numbers.bad; i++)
		add_type(load, &numbers);
}

static int by_site(const void *a, const void *b)
{
	const struct seep_load_type *one = a, *two = b;
	int order = (one->site > two->site) - (one->site < two->site);

	return order ? order : strcmp(one->type.name, two->type.name);
}

static int by_blocks(const void *a, const void *b)
{
	const struct seep_site_type *one = a, *two = b;

	return (one->blocks < two->blocks) - (one->blocks > two->blocks);
}

/* Classes that are made again and again have the same name each time. */
static size_t merge_names(struct seep_site_type *types, size_t n)
{
	size_t i, merged = 0;

	for (i = 0; i < n; i++) {
		if (merged && !strcmp(types[merged - 1].name, types[i].name)) {
			types[merged - 1].blocks += types[i].blocks;
			types[merged - 1].bytes += types[i].bytes;
		} else {
			types[merged++] = types[i];
		}
	}
	return merged;
}

static void fill(struct seep_load *load, struct seep_site *site, const struct seep_load_type *from,
		 size_t n)
{
	struct seep_site_type *types = seep_arena_array(&load->scratch, n, sizeof(*types));
	size_t i;

	for (i = 0; i < n; i++)
		types[i] = from[i].type;
	n = merge_names(types, n);
	seep_sort_stable(types, n, sizeof(*types), by_blocks, &load->scratch);
	site->n_types = n < TYPES_MOST ? n : TYPES_MOST;
	site->types = seep_arena_array(load->arena, site->n_types, sizeof(*types));
	memcpy(site->types, types, site->n_types * sizeof(*types));
}

/* The sites of the run by their id, some of them NULL. */
static struct seep_site **find_sites(struct seep_load *load)
{
	struct seep_run *run = load->run;
	struct seep_site **places = seep_arena_array(&load->scratch, load->sites.n + 1,
						     sizeof(struct seep_site *));
	size_t i;

	for (i = 0; i < run->n_sites; i++)
		if (run->sites[i].id < load->sites.n)
			places[run->sites[i].id] = &run->sites[i];
	return places;
}

void seep_load_types_build(struct seep_load *load)
{
	struct seep_load_type *types = load->types.items;
	struct seep_site **places = find_sites(load);
	size_t n = load->types.n, first, end;

	for (first = 0; first < n; first++)
		types[first].site = seep_load_merge_id(load, types[first].site);
	seep_sort_stable(types, n, sizeof(*types), by_site, &load->scratch);
	for (first = 0; first < n; first = end) {
		struct seep_site *site = places[types[first].site];

		for (end = first + 1; end < n && types[end].site == types[first].site; end++)
			;
		if (site)
			fill(load, site, &types[first], end - first);
	}
}
