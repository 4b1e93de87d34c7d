/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks, sites, and what the sites hold at each dump. */
#include "import/compose_record.h"
#include "import/quantity.h"
#include "trace/unpack.h"

#include <math.h>
#include <string.h>

#define PACK_BYTES ((size_t)60000)
#define PACK_MOST 160u           /* most bytes for one site */
#define TEXT_MOST 4000u          /* of a function, file or module; the rest is cut */

void seep_compose_sampled(struct seep_compose *c, uint64_t mean_bytes)
{
	struct seep_rec_sampling sampling = { .mean_bytes = mean_bytes, .event = c->event,
					      .reason = SEEP_SAMPLING_ASKED };

	seep_compose_add(c, SEEP_REC_SAMPLING, 0, &sampling, sizeof(sampling), NULL, 0);
}

static size_t length(const char *text)
{
	return text ? strnlen(text, TEXT_MOST) : 0;
}

uint32_t seep_compose_module(struct seep_compose *c, uint64_t start, uint64_t end, uint64_t bias,
			     const void *build_id, size_t build_id_bytes, const char *path)
{
	char tail[2 * TEXT_MOST];
	struct seep_rec_module module = { .start = start, .end = end, .bias = bias };
	char key[sizeof(module.bias) + TEXT_MOST];
	bool is_new;

	module.build_id_bytes = (uint32_t)(build_id_bytes < TEXT_MOST ? build_id_bytes : 0);
	module.path_bytes = (uint32_t)length(path);
	memcpy(key, &bias, sizeof(bias));
	memcpy(key + sizeof(bias), path, module.path_bytes);
	module.id = seep_words_put(&c->modules, key, sizeof(bias) + module.path_bytes, &is_new);
	if (!is_new)
		return module.id;
	if (module.build_id_bytes)
		memcpy(tail, build_id, module.build_id_bytes);
	memcpy(tail + module.build_id_bytes, path, module.path_bytes);
	seep_compose_add(c, SEEP_REC_MODULE, 0, &module, sizeof(module), tail,
			 (size_t)module.build_id_bytes + module.path_bytes);
	return module.id;
}

uint64_t seep_compose_named(struct seep_compose *c, const struct seep_compose_frame *frame)
{
	char key[sizeof(struct seep_rec_frame) + 3 * TEXT_MOST];
	struct seep_rec_frame record = { .line = frame->line };
	const char *texts[] = { frame->function, frame->file, frame->module };
	uint32_t *lengths[] = { &record.function_bytes, &record.file_bytes, &record.module_bytes };
	size_t n = sizeof(record);
	bool is_new;

	for (int i = 0; i < 3; i++) {
		*lengths[i] = (uint32_t)length(texts[i]);
		if (*lengths[i])
			memcpy(key + n, texts[i], *lengths[i]);
		n += *lengths[i];
	}
	memcpy(key, &record, sizeof(record));
	record.pc = SEEP_PC_NAMED + seep_words_put(&c->frames, key, n, &is_new);
	if (is_new)
		seep_compose_add(c, SEEP_REC_FRAME, 0, &record, sizeof(record),
				 key + sizeof(record), n - sizeof(record));
	return record.pc;
}

uint32_t seep_compose_node(struct seep_compose *c, uint32_t caller, uint64_t pc, uint32_t module)
{
	struct seep_rec_node node = { .pc = pc, .parent = caller, .module = module };
	struct seep_rec_nodes nodes = { .count = 1 };
	bool is_new;

	nodes.first = seep_words_put(&c->nodes, &node, sizeof(node), &is_new);
	if (is_new)
		seep_compose_add(c, SEEP_REC_NODES, 0, &nodes, sizeof(nodes), &node, sizeof(node));
	return nodes.first;
}

uint32_t seep_compose_site(struct seep_compose *c, uint32_t node)
{
	struct seep_rec_site site = { .node = node, .kind = SEEP_MEMORY_HEAP };
	struct seep_rec_sites sites = { .count = 1 };
	bool is_new;

	sites.first = seep_words_put(&c->sites, &node, sizeof(node), &is_new);
	if (is_new)
		seep_compose_add(c, SEEP_REC_SITES, 0, &sites, sizeof(sites), &site, sizeof(site));
	return sites.first;
}

static void clear_states(struct seep_compose *c)
{
	struct seep_compose_level *states = c->states.items;

	for (size_t i = 0; i < c->states.n; i++)
		states[i].blocks = states[i].bytes = 0;
}

static void flush_levels(struct seep_compose *c)
{
	struct seep_rec_levels levels = { .ordinal = c->n_dumps - 1, .count = c->n_packed,
					  .bytes = (uint32_t)c->packed, .t_ns = c->last.t_ns,
					  .event = c->event };

	seep_compose_add(c, SEEP_REC_LEVELS, 0, &levels, sizeof(levels), c->pack, c->packed);
	c->packed = 0;
	c->n_packed = 0;
}

void seep_compose_dump_begin(struct seep_compose *c)
{
	if (!c->pack)
		c->pack = seep_arena_alloc(&c->arena, PACK_BYTES + PACK_MOST);
	c->n_dumps++;
	clear_states(c);
}

void seep_compose_level(struct seep_compose *c, const struct seep_compose_level *level)
{
	double error = level->error_bytes > 0 ? fmin(level->error_bytes, 1e18) : 0;
	unsigned char *to = c->pack + c->packed;

	*(struct seep_compose_level *)seep_table_at(&c->states, level->site) = *level;
	to += seep_pack_number(to, level->site);
	to += seep_pack_number(to, level->blocks);
	to += seep_pack_number(to, level->bytes);
	to += seep_pack_number(to, (uint64_t)ceil(error));
	c->packed = (size_t)(to - c->pack);
	c->n_packed++;
	if (c->packed >= PACK_BYTES)
		flush_levels(c);
}

/* A dump without sites is written, too. */
void seep_compose_dump_end(struct seep_compose *c)
{
	flush_levels(c);
}

/* The birth of a live block is unknown here; it counts as born before the first event. */
static size_t pack_state(unsigned char *to, const struct seep_compose_level *state)
{
	uint64_t born = state->born_blocks > state->blocks ? state->born_blocks : state->blocks;
	uint64_t born_bytes = state->born_bytes > state->bytes ? state->born_bytes : state->bytes;
	uint64_t numbers[] = { state->site, born, born_bytes, born - state->blocks,
			       born_bytes - state->bytes, 0, state->blocks, state->bytes, 0, 0, 0 };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		n += seep_pack_number(to + n, numbers[i]);
	return n;
}

static void flush_states(struct seep_compose *c)
{
	struct seep_rec_site_states states = { .ordinal = 1, .count = c->n_packed,
					       .bytes = (uint32_t)c->packed };

	if (c->n_packed)
		seep_compose_add(c, SEEP_REC_SITE_STATES, 0, &states, sizeof(states), c->pack,
				 c->packed);
	c->packed = 0;
	c->n_packed = 0;
}

static struct seep_rec_snapshot sum_up(const struct seep_compose *c)
{
	const struct seep_compose_level *states = c->states.items;
	struct seep_rec_snapshot snapshot = {
		.t_ns = c->last.t_ns,
		.ordinal = 1,
		.event = c->event,
		.first_event = 1,
		.events_per_bin = 1,
	};

	for (size_t i = 0; i < c->states.n; i++) {
		snapshot.live_blocks = seep_quantity_add(snapshot.live_blocks, states[i].blocks);
		snapshot.live_bytes = seep_quantity_add(snapshot.live_bytes, states[i].bytes);
	}
	return snapshot;
}

void seep_compose_sites_finish(struct seep_compose *c)
{
	const struct seep_compose_level *states = c->states.items;
	struct seep_rec_snapshot snapshot = sum_up(c);
	struct seep_rec_snapshot_end end = { .ordinal = 1 };

	if (!c->n_dumps)
		return;
	seep_compose_add(c, SEEP_REC_SNAPSHOT, SEEP_SNAPSHOT_PERIODIC, &snapshot,
			 sizeof(snapshot), NULL, 0);
	for (size_t i = 0; i < c->states.n; i++) {
		if (!states[i].site)
			continue;
		end.sites++;
		c->packed += pack_state(c->pack + c->packed, &states[i]);
		c->n_packed++;
		if (c->packed >= PACK_BYTES)
			flush_states(c);
	}
	flush_states(c);
	seep_compose_add(c, SEEP_REC_SNAPSHOT_END, 0, &end, sizeof(end), NULL, 0);
}
