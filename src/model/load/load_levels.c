/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What sites held at the dumps of another profiler.
 *
 * The levels of a site are in the order of the dumps, because the trace is.  A level that is out
 * of order is damage and is left out.
 */
#include "model/load/loading.h"

#include "trace/unpack.h"

void seep_load_levels_add(struct seep_load *load, const struct seep_rec_levels *record)
{
	if (!seep_load_plausible(load, record->ordinal, sizeof(*record)))
		return;
	*(const struct seep_rec_levels **)seep_table_add(&load->levels) = record;
}

struct level {
	uint64_t site, blocks, bytes, error;
};

/* Calls take for each level in a record.  Counts the record as damaged if it ends too early. */
static void each(struct seep_load *load, const struct seep_rec_levels *record,
		 void (*take)(struct seep_load *load, const struct level *level, size_t dump),
		 size_t dump)
{
	struct seep_unpack unpack = seep_unpack_begin(record + 1, record->bytes);

	for (uint32_t i = 0; i < record->count; i++) {
		struct level level = { .site = seep_unpack_next(&unpack) };

		level.blocks = seep_unpack_next(&unpack);
		level.bytes = seep_unpack_next(&unpack);
		level.error = seep_unpack_next(&unpack);
		if (unpack.bad) {
			load->damaged++;
			return;
		}
		take(load, &level, dump);
	}
}

static struct seep_site *find_site(struct seep_load *load, uint64_t id)
{
	const uint32_t *places = load->level_places.items;

	return id < load->level_places.n && places[id] ? &load->run->sites[places[id] - 1] : NULL;
}

static void count_level(struct seep_load *load, const struct level *level, size_t dump)
{
	struct seep_site *site = find_site(load, level->site);

	(void)dump;
	if (site)
		site->n_levels++;
}

static void fill_level(struct seep_load *load, const struct level *level, size_t dump)
{
	struct seep_site *site = find_site(load, level->site);

	if (!site || (site->n_levels && site->levels[site->n_levels - 1].dump >= dump))
		return;
	site->levels[site->n_levels++] = (struct seep_level){
		.dump = dump,
		.blocks = (double)level->blocks,
		.bytes = (double)level->bytes,
		.error_bytes = (double)level->error,
	};
}

static void place_sites(struct seep_load *load)
{
	struct seep_run *run = load->run;

	load->level_places = SEEP_TABLE(&load->scratch, uint32_t);
	for (size_t i = 0; i < run->n_sites; i++)
		*(uint32_t *)seep_table_at(&load->level_places, run->sites[i].id) =
			(uint32_t)i + 1;
}

/* Creates the dumps of the run, and stores in dumps which dump each record belongs to. */
static void build_dumps(struct seep_load *load, size_t *dumps)
{
	struct seep_table found = SEEP_TABLE(load->arena, struct seep_dump);
	const struct seep_rec_levels *const *records = load->levels.items;

	for (size_t i = 0; i < load->levels.n; i++) {
		if (!i || records[i]->ordinal != records[i - 1]->ordinal)
			*(struct seep_dump *)seep_table_add(&found) = (struct seep_dump){
				.t_ns = records[i]->t_ns,
				.event = seep_load_event(load, records[i]->event),
			};
		dumps[i] = found.n - 1;
	}
	load->run->dumps = found.items;
	load->run->n_dumps = found.n;
}

void seep_load_levels_build(struct seep_load *load)
{
	const struct seep_rec_levels *const *records = load->levels.items;
	size_t *dumps = seep_arena_array(&load->scratch, load->levels.n, sizeof(*dumps));
	uint64_t damaged = load->damaged;
	struct seep_run *run = load->run;

	place_sites(load);
	build_dumps(load, dumps);
	for (size_t i = 0; i < load->levels.n; i++)
		each(load, records[i], count_level, dumps[i]);
	load->damaged = damaged;
	for (size_t i = 0; i < run->n_sites; i++) {
		struct seep_site *site = &run->sites[i];

		site->levels = seep_arena_array(load->arena, site->n_levels, sizeof(*site->levels));
		site->n_levels = 0;
	}
	for (size_t i = 0; i < load->levels.n; i++)
		each(load, records[i], fill_level, dumps[i]);
}
