/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heap profiles in the format of pprof, gzipped or not: takes the live blocks and bytes of each
 * sample, with its stack.
 *
 * The program that wrote the file has already scaled the samples; the period serves only to
 * compute the standard error.
 */
#include "import/profile/pprof.h"

#include "base/sort.h"
#include "import/import.h"
#include "import/profile/address_map.h"
#include "import/profile/dump_plan.h"
#include "import/profile/dump_series.h"
#include "import/profile/protobuf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TYPES_MAX 64u
#define DEPTH_MAX 65536u         /* most frames in a stack */
#define LINES_MAX 256u           /* most functions inlined at one place */
#define NODES_MAX 1000000u       /* of all stacks */
#define COUNT_MAX ((uint64_t)9e15)
#define NONE TYPES_MAX

/* The index of each value in a sample. */
struct columns {
	size_t bytes, blocks, born_bytes, born_blocks;
};

struct reading {
	struct seep_import *import;
	struct seep_source *source;
	struct seep_pprof pprof;
	struct columns columns;
	struct seep_dump_levels dump;
	struct seep_table stack; /* uint64_t: the locations of a sample, innermost first */
};

static bool recognise(const struct seep_import_head *head)
{
	return seep_pprof_recognise(head->data, head->bytes, head->whole);
}

static size_t find_type(const struct seep_pprof *pprof, const char *name)
{
	const struct seep_pprof_type *types = pprof->types.items;

	for (size_t i = 0; i < pprof->types.n; i++)
		if (!strcmp(types[i].name, name))
			return i;
	return NONE;
}

static bool is_allocation(const char *name)
{
	return !strncmp(name, "alloc", 5);
}

/* For profiles without the usual names: the last type in bytes. */
static size_t find_bytes(const struct seep_pprof *pprof)
{
	const struct seep_pprof_type *types = pprof->types.items;
	size_t found = NONE;

	for (size_t i = 0; i < pprof->types.n; i++)
		if (!strcmp(types[i].unit, "bytes") && !is_allocation(types[i].name))
			found = i;
	return found;
}

static const char *list_types(struct seep_pprof *pprof)
{
	const struct seep_pprof_type *types = pprof->types.items;
	const char *text = "";

	for (size_t i = 0; i < pprof->types.n && i < 6; i++)
		text = seep_arena_printf(&pprof->arena, "%s%s%.30s in %.20s", text, i ? ", " : "",
					 types[i].name, types[i].unit);
	return text;
}

static int find_columns(struct reading *reading, struct seep_err *err)
{
	struct seep_pprof *pprof = &reading->pprof;
	struct columns *columns = &reading->columns;

	if (pprof->types.n > TYPES_MAX)
		return seep_source_refuse_byte(reading->source, EBADMSG, err, "%zu sample types",
					       pprof->types.n);
	columns->bytes = find_type(pprof, "inuse_space");
	columns->blocks = find_type(pprof, "inuse_objects");
	columns->born_bytes = find_type(pprof, "alloc_space");
	columns->born_blocks = find_type(pprof, "alloc_objects");
	if (columns->bytes == NONE) {
		columns->bytes = find_bytes(pprof);
		columns->blocks = find_type(pprof, "objects");
	}
	if (columns->bytes != NONE)
		return 0;
	return seep_err_set(err, ENOTSUP, "%.200s: a profile of %s does not say how much memory is "
			    "live; a heap profile (inuse_space) does",
			    seep_source_path(reading->source), list_types(pprof));
}

static const char *or_nothing(const char *text)
{
	return *text ? text : NULL;
}

/* The functions of a location, innermost first, as many as fit. */
static size_t take_frames(struct reading *reading, const struct seep_pprof_location *location,
			  struct seep_compose_frame *frames)
{
	struct seep_protobuf in = seep_protobuf_begin(location->message, location->bytes);
	size_t n = 0;

	while (seep_protobuf_next(&in) && n < LINES_MAX) {
		struct seep_protobuf line = seep_protobuf_begin(in.data, in.bytes);
		const struct seep_pprof_function *function = NULL;
		uint64_t number = 0;

		if (in.field != 4 || in.type != SEEP_PROTOBUF_BYTES)
			continue;
		while (seep_protobuf_next(&line)) {
			if (line.field == 1 && line.type == SEEP_PROTOBUF_NUMBER)
				function = seep_hash_map_get(&reading->pprof.functions,
							     line.number);
			if (line.field == 2 && line.type == SEEP_PROTOBUF_NUMBER)
				number = line.number;
		}
		if (!function || !*function->name)
			continue;
		frames[n++] = (struct seep_compose_frame){
			.function = function->name,
			.file = or_nothing(function->file),
			.module = location->mapping ? or_nothing(location->mapping->path) : NULL,
			.line = number <= INT32_MAX ? (uint32_t)number : 0,
		};
	}
	return n;
}

static uint32_t find_module(struct reading *reading, const struct seep_pprof_mapping *mapping)
{
	if (!mapping || !*mapping->path || mapping->end <= mapping->start)
		return 0;
	return seep_compose_module(&reading->import->compose, mapping->start, mapping->end,
				   seep_address_map_bias(mapping->path, mapping->start,
						       mapping->offset),
				   mapping->build_id, mapping->build_id_bytes, mapping->path);
}

/*
 * Adds a location under its caller.  Addresses in pprof files are inside the call; the return
 * address comes after it.
 */
static uint32_t add_location(struct reading *reading, uint32_t node,
			     const struct seep_pprof_location *location)
{
	struct seep_compose *compose = &reading->import->compose;
	struct seep_compose_frame frames[LINES_MAX];
	size_t n = take_frames(reading, location, frames);

	if (!n && location->address && location->address < SEEP_PC_NAMED)
		return seep_compose_node(compose, node, location->address + 1,
					 find_module(reading, location->mapping));
	while (n-- > 0)
		node = seep_compose_node(compose, node, seep_compose_named(compose, &frames[n]), 0);
	return node;
}

/* The numbers of a sample, single or packed. */
static bool take_list(const struct seep_protobuf *in, struct seep_table *list, size_t most)
{
	struct seep_protobuf packed;

	if (in->type == SEEP_PROTOBUF_NUMBER) {
		if (list->n >= most)
			return false;
		*(uint64_t *)seep_table_add(list) = in->number;
		return true;
	}
	packed = seep_protobuf_begin(in->data, in->bytes);
	while (packed.at < packed.end && list->n < most && !packed.bad)
		*(uint64_t *)seep_table_add(list) = seep_protobuf_number(&packed);
	return !packed.bad && packed.at == packed.end && in->type == SEEP_PROTOBUF_BYTES;
}

/* The standard error of the bytes, from the number of blocks that must have been sampled. */
static double error_of(const struct seep_pprof *pprof, const struct seep_compose_level *level)
{
	double mean, missed;

	if (pprof->period <= 1 || strcmp(pprof->period_type.unit, "bytes") || !level->blocks)
		return 0;
	mean = (double)level->bytes / (double)level->blocks;
	missed = exp(-mean / (double)pprof->period);
	return sqrt((double)level->blocks * missed / (1 - missed)) * mean;
}

static int refuse(const struct reading *reading, const struct seep_protobuf *in,
		  struct seep_err *err, const char *what)
{
	return seep_err_set(err, EBADMSG, "%.200s: byte %zu: %s", seep_source_path(reading->source),
			    (size_t)(in->where - reading->pprof.data), what);
}

static int take_values(struct reading *reading, const struct seep_protobuf *in,
		       const struct seep_table *values, struct seep_compose_level *level,
		       struct seep_err *err)
{
	const uint64_t *all = values->items;
	size_t columns[] = { reading->columns.bytes, reading->columns.blocks,
			     reading->columns.born_bytes, reading->columns.born_blocks };
	uint64_t *to[] = { &level->bytes, &level->blocks, &level->born_bytes,
			   &level->born_blocks };

	if (values->n != reading->pprof.types.n)
		return refuse(reading, in, err, "a sample does not have one value per sample type");
	for (int i = 0; i < 4; i++) {
		if (columns[i] == NONE)
			continue;
		*to[i] = all[columns[i]];
		if (*to[i] > COUNT_MAX)
			return refuse(reading, in, err, "a value is negative (is this the "
				      "difference of two profiles?) or impossibly large");
	}
	return 0;
}

static int take_stack(struct reading *reading, const struct seep_protobuf *in, uint32_t *node,
		      struct seep_err *err)
{
	const uint64_t *ids = reading->stack.items;

	*node = 0;
	for (size_t i = reading->stack.n; i-- > 0;) {
		const struct seep_pprof_location *location =
			seep_hash_map_get(&reading->pprof.locations, ids[i]);

		if (!location)
			return refuse(reading, in, err, "a sample refers to a missing location");
		*node = add_location(reading, *node, location);
		if (reading->import->compose.nodes.n > NODES_MAX)
			return refuse(reading, in, err, "too many stack frames to fit in memory");
	}
	return 0;
}

static int take_sample(struct reading *reading, const struct seep_protobuf *message,
		       struct seep_err *err)
{
	struct seep_protobuf in = seep_protobuf_begin(message->data, message->bytes);
	struct seep_compose_level level = { 0 };
	uint64_t room[TYPES_MAX];
	struct seep_table values = { .arena = &reading->pprof.arena, .items = room,
				     .room = TYPES_MAX, .size = sizeof(uint64_t) };
	uint32_t node;
	bool good = true;

	seep_table_clear(&reading->stack);
	while (seep_protobuf_next(&in) && good) {
		if (in.field == 1)
			good = take_list(&in, &reading->stack, DEPTH_MAX);
		if (in.field == 2)
			good = take_list(&in, &values, TYPES_MAX);
	}
	if (in.bad || !good)
		return refuse(reading, message, err, "a sample is damaged, or too long");
	if (take_values(reading, message, &values, &level, err))
		return -EBADMSG;
	if (!level.bytes)
		return 0;
	if (take_stack(reading, message, &node, err))
		return -EBADMSG;
	level.site = seep_compose_site(&reading->import->compose, node);
	level.error_bytes = error_of(&reading->pprof, &level);
	seep_dump_levels_add(&reading->dump, &level);
	return 0;
}

static int take_samples(struct reading *reading, struct seep_err *err)
{
	struct seep_protobuf in = seep_protobuf_begin(reading->pprof.data, reading->pprof.bytes);
	int rc = 0;

	while (!rc && seep_protobuf_next(&in))
		if (in.field == 2)
			rc = take_sample(reading, &in, err);
	return rc;
}

static bool is_sampled(const struct seep_pprof *pprof)
{
	return pprof->period > 1 && !strcmp(pprof->period_type.unit, "bytes");
}

static int read_file(struct seep_import *import, struct seep_source *source, struct seep_err *err)
{
	struct reading reading = { .import = import, .source = source };
	struct seep_pprof *pprof = &reading.pprof;
	int rc = seep_pprof_read(pprof, source, err);

	seep_dump_levels_init(&reading.dump, &pprof->arena);
	reading.stack = SEEP_TABLE(&pprof->arena, uint64_t);
	if (!rc)
		rc = find_columns(&reading, err);
	if (!rc)
		rc = take_samples(&reading, err);
	if (!rc)
		seep_dump_series_add(import, &reading.dump,
				     pprof->time_ns ? pprof->time_ns
						    : seep_source_written_ns(source),
				     is_sampled(pprof) ? pprof->period : 0);
	else if (rc == -EBADMSG && seep_dump_series_forgive(import, err))
		rc = 0;
	seep_pprof_release(pprof);
	return rc;
}

struct timed {
	const char *path;
	int64_t time_ns;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *one = a, *two = b;

	return one->time_ns < two->time_ns ? -1 : one->time_ns > two->time_ns;
}

/* 0: the file has no time, or cannot be read, which is an error only when it is read for good. */
static int64_t find_time(const char *path)
{
	struct seep_err ignored = { 0 };
	struct seep_source *source = seep_source_open(path, &ignored);
	struct seep_pprof pprof;
	int64_t time_ns = 0;

	if (!source)
		return 0;
	if (!seep_pprof_read(&pprof, source, &ignored))
		time_ns = pprof.time_ns;
	seep_pprof_release(&pprof);
	seep_source_close(source);
	return time_ns;
}

/*
 * Sorts by time if all files have one, otherwise keeps the order of the names.  This reads the
 * files of a series twice, because the time may be at the end.
 */
static int plan(struct seep_import *import, struct seep_err *err)
{
	struct timed *timed = seep_arena_array(&import->arena, import->n_paths, sizeof(*timed));
	const char **paths = seep_arena_array(&import->arena, import->n_paths, sizeof(*paths));
	bool all = import->n_paths > 1;

	for (size_t i = 0; i < import->n_paths && all; i++) {
		timed[i].path = import->paths[i];
		timed[i].time_ns = find_time(import->paths[i]);
		all = timed[i].time_ns > 0;
	}
	if (all) {
		seep_sort_stable(timed, import->n_paths, sizeof(*timed), by_time, &import->arena);
		for (size_t i = 0; i < import->n_paths; i++)
			paths[i] = timed[i].path;
		import->paths = paths;
	}
	return seep_dump_plan_make(import, err);
}

const struct seep_import_format seep_import_pprof = {
	.name = "a pprof heap profile",
	.recognise = recognise,
	.plan = plan,
	.read = read_file,
	.finish = seep_dump_series_finish,
	.series = true,
	.compare = seep_dump_series_compare,
};
