/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes each record to the part that collects it, then builds the parts in order. */
#include "model/load/load.h"

#include "model/load/loading.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#define IDS_INHERITED 65536u
#define LIMITS_LOOKED_AT 64
#define RECORD_BYTES(type) (sizeof(struct seep_trace_record) + sizeof(type))

bool seep_load_plausible(struct seep_load *load, uint64_t id, size_t bytes_each)
{
	if (id <= load->file_bytes / bytes_each + IDS_INHERITED)
		return true;
	load->damaged++;
	return false;
}

bool seep_load_name_exists(struct seep_load *load, uint32_t name)
{
	if (!seep_load_plausible(load, name, RECORD_BYTES(struct seep_rec_name)))
		return false;
	((struct seep_load_name *)seep_table_at(&load->names, name))->used = true;
	return true;
}

int64_t seep_load_event(const struct seep_load *load, uint32_t event)
{
	int64_t index = (int64_t)event - 1 - load->events_before;

	return index < 0 ? SEEP_EVENT_NONE : index;
}

/* Returns the next string and moves *at to the one after it; NULL: there are no more strings. */
static const char *take_string(struct seep_load *load, const char **at, const char *end)
{
	const char *start = *at;
	const char *zero = start < end ? memchr(start, 0, (size_t)(end - start)) : NULL;

	if (!zero)
		return NULL;
	*at = zero + 1;
	return seep_arena_copy(load->arena, start, (size_t)(zero - start));
}

static void add_name(struct seep_load *load, const struct seep_rec_name *name)
{
	if (!name->id ||
	    !seep_load_plausible(load, name->id, RECORD_BYTES(struct seep_rec_name)))
		return;
	((struct seep_load_name *)seep_table_at(&load->names, name->id))->text =
		seep_arena_copy(load->arena, (const char *)(name + 1), name->bytes);
}

static void add_module(struct seep_load *load, const struct seep_rec_module *record)
{
	const char *build_id = (const char *)(record + 1);
	struct seep_module *module;

	if (!record->id ||
	    !seep_load_plausible(load, record->id, RECORD_BYTES(struct seep_rec_module)))
		return;
	module = seep_table_at(&load->modules, record->id);
	module->start = record->start;
	module->end = record->end;
	module->bias = record->bias;
	module->build_id = (unsigned char *)seep_arena_copy(load->arena, build_id,
							    record->build_id_bytes);
	module->build_id_bytes = record->build_id_bytes;
	module->path = seep_arena_copy(load->arena, build_id + record->build_id_bytes,
				       record->path_bytes);
}

/* Returns the limit from the same source, or a new one. */
static struct seep_limit *find_limit(struct seep_load *load, const struct seep_limit *limit)
{
	struct seep_limit *limits = load->limits.items;
	size_t i;

	for (i = 0; i < load->limits.n && i < LIMITS_LOOKED_AT; i++)
		if (limits[i].slows == limit->slows && !strcmp(limits[i].source, limit->source))
			return &limits[i];
	return seep_table_add(&load->limits);
}

static void add_limit(struct seep_load *load, const struct seep_reader_record *record)
{
	const struct seep_rec_limit *head = record->payload;
	size_t others_at = sizeof(*head) + ((size_t)head->source_bytes + 7) / 8 * 8;
	struct seep_limit limit = {
		.bytes = head->bytes,
		.source = seep_arena_copy(load->arena, (const char *)(head + 1),
					  head->source_bytes),
		.counts = head->counts <= SEEP_LIMIT_VM ? head->counts : SEEP_LIMIT_RSS,
		.slows = record->flags & SEEP_LIMIT_SLOWS,
	};

	if (record->flags & SEEP_LIMIT_OTHERS &&
	    others_at + sizeof(struct seep_rec_limit_others) <= record->bytes)
		memcpy(&limit.others_bytes, (const char *)head + others_at,
		       sizeof(limit.others_bytes));
	if (limit.others_bytes < 0)
		limit.others_bytes = 0;
	if (record->flags & SEEP_LIMIT_LATER)
		*find_limit(load, &limit) = limit;
	else
		*(struct seep_limit *)seep_table_add(&load->limits) = limit;
}

static void add_note(struct seep_load *load, const struct seep_rec_note *note, uint16_t flags)
{
	if (flags & SEEP_NOTE_STOPPED)
		load->stopped = true;
	*(const char **)seep_table_add(&load->notes) =
		seep_arena_copy(load->arena, (const char *)(note + 1), note->bytes);
}

/* If there are several, the largest mean counts, so that errors are never underestimated. */
static void add_sampling(struct seep_load *load, const struct seep_rec_sampling *record)
{
	if (!load->sampling)
		load->sampling = record;
	if (record->mean_bytes > load->run->sampling.mean_bytes)
		load->run->sampling.mean_bytes = record->mean_bytes;
}

static void see_time(struct seep_load *load, int64_t t_ns)
{
	if (t_ns > load->run->wall_ns)
		load->run->wall_ns = t_ns;
}

/* Records of the tracker about the heap. */
static void add_heap(struct seep_load *load, const struct seep_reader_record *record)
{
	switch (record->kind) {
	case SEEP_REC_NODES:
		seep_load_stacks_add(load, record->payload);
		break;
	case SEEP_REC_SITES:
		seep_load_sites_add(load, record->payload);
		break;
	case SEEP_REC_SNAPSHOT:
		see_time(load, ((const struct seep_rec_snapshot *)record->payload)->t_ns);
		seep_load_snapshot_add(load, record);
		break;
	case SEEP_REC_SITE_STATES:
	case SEEP_REC_SITE_SAMPLES:
	case SEEP_REC_SITE_MOVES:
	case SEEP_REC_FREE_SITES:
	case SEEP_REC_SNAPSHOT_END:
		seep_load_snapshot_add(load, record);
		break;
	case SEEP_REC_PROBE:
	case SEEP_REC_PINS:
		seep_load_probe_add(load, record);
		break;
	case SEEP_REC_TYPE:
	case SEEP_REC_SITE_TYPES:
		seep_load_types_add(load, record);
		break;
	case SEEP_REC_LEVELS:
		see_time(load, ((const struct seep_rec_levels *)record->payload)->t_ns);
		seep_load_levels_add(load, record->payload);
		break;
	case SEEP_REC_TEXTS:
	case SEEP_REC_ADDRESSES:
		seep_load_stored_add(load, record);
		break;
	default:
		seep_load_frames_add(load, record);
	}
}

static void add(struct seep_load *load, const struct seep_reader_record *record)
{
	switch (record->kind) {
	case SEEP_REC_RUN:
		load->command = record->payload;
		break;
	case SEEP_REC_NAME:
		add_name(load, record->payload);
		break;
	case SEEP_REC_MODULE:
		add_module(load, record->payload);
		break;
	case SEEP_REC_STAMP:
		see_time(load, ((const struct seep_rec_stamp *)record->payload)->t_ns);
		seep_load_stamps_add(load, record);
		break;
	case SEEP_REC_THIN:
		see_time(load, ((const struct seep_rec_thin *)record->payload)->t_ns);
		seep_load_stamps_thin(load, record);
		break;
	case SEEP_REC_COUNT:
	case SEEP_REC_GAUGE:
		seep_load_counters_add(load, record);
		break;
	case SEEP_REC_SAMPLING:
		add_sampling(load, record->payload);
		break;
	case SEEP_REC_LIMIT:
		add_limit(load, record);
		break;
	case SEEP_REC_NOTE:
		add_note(load, record->payload, record->flags);
		break;
	case SEEP_REC_ANCHOR:
		see_time(load, ((const struct seep_rec_anchor *)record->payload)->t_ns);
		seep_load_anchors_add(load, record);
		break;
	case SEEP_REC_SAMPLES:
		seep_load_outside_add(load, record->payload);
		break;
	case SEEP_REC_RESTART:
		load->restart_ns = ((const struct seep_rec_restart *)record->payload)->t_ns;
		break;
	case SEEP_REC_EXIT:
		load->exit = record->payload;
		break;
	default:
		add_heap(load, record);
	}
}

/* The command is parsed once, at the end: if there are several RUN records, the last one counts. */
static void build_command(struct seep_load *load)
{
	const struct seep_rec_run *record = load->command;
	const char *at = (const char *)(record + 1), *end = at + record->bytes;
	struct seep_table command = SEEP_TABLE(load->arena, char *);
	const char *exe = take_string(load, &at, end);
	const char *directory = take_string(load, &at, end);
	const char *argument;
	uint32_t i;

	load->run->exe = exe ? exe : "";
	load->directory = directory ? directory : "";
	for (i = 0; i < record->argc && (argument = take_string(load, &at, end)); i++)
		*(const char **)seep_table_add(&command) = argument;
	seep_table_add(&command);
	load->run->command = command.items;
}

/* If the record of a name was lost, its number still distinguishes it from other names. */
static void build_names(struct seep_load *load)
{
	const struct seep_load_name *from = load->names.items;
	const char **names;
	size_t i, n = load->names.n;

	names = seep_arena_array(load->arena, n, sizeof(*names));
	for (i = 0; i < n; i++) {
		names[i] = from[i].text ? from[i].text : "";
		if (i && !from[i].text && from[i].used)
			names[i] = seep_arena_printf(load->arena, "(name %zu)", i);
	}
	load->run->names = names;
	load->run->n_names = n;
}

/* The loader reports the path with which a library was opened, which may be relative. */
static void build_modules(struct seep_load *load)
{
	struct seep_module *modules = load->modules.items;
	size_t i;

	for (i = 0; i < load->modules.n; i++) {
		const char *path = modules[i].path ? modules[i].path : "";

		if (path[0] != '/' && strchr(path, '/') && load->directory[0] == '/')
			path = seep_arena_printf(load->arena, "%s/%s", load->directory, path);
		modules[i].path = path;
	}
	load->run->modules = modules;
	load->run->n_modules = load->modules.n;
}

static void build_end(struct seep_load *load, const struct seep_reader *reader)
{
	struct seep_run *run = load->run;
	bool normal = load->exit && load->exit->code >= 0 && !load->exit->signal;
	if (load->exit) {
		run->has_exit = true;
		run->exit_code = load->exit->code;
		run->exit_signal = load->exit->signal;
		run->wall_ns = load->exit->t_ns;
	}
	/* Not every missing end is a kill: Go exits by a direct system call; there is execve. */
	run->killed = run->exit_signal == SIGKILL ||
		      (reader->header.state == SEEP_TRACE_ATTACHED &&
		       (!normal || run->snapshot_t_ns > run->wall_ns - run->wall_ns / 4));
	run->damaged = reader->damaged + load->damaged;
	run->complete = reader->header.state == SEEP_TRACE_FINISHED && !reader->cut &&
			!run->damaged && !load->stopped;
}

/* Adds what the reader found, after the notes of the recorder. */
static void build_notes(struct seep_load *load, const struct seep_reader *reader)
{
	struct seep_arena *arena = load->arena;
	struct seep_table *notes = &load->notes;

	seep_load_calls_build(load);
	seep_load_header_notes(load);
	if (reader->damaged)
		*(const char **)seep_table_add(notes) = seep_arena_printf(arena,
			"the trace is damaged in %" PRIu64 " places, the first at byte %zu",
			reader->damaged, reader->first_damage);
	if (load->damaged)
		*(const char **)seep_table_add(notes) = seep_arena_printf(arena,
			"%" PRIu64 " records contain impossible values and were left out",
			load->damaged);
	if (reader->cut)
		*(const char **)seep_table_add(notes) = "the trace ends inside a record";
	if (reader->unknown)
		*(const char **)seep_table_add(notes) = seep_arena_printf(arena,
			"%" PRIu64 " records of kinds unknown to this version of seep were skipped",
			reader->unknown);
	if (load->counters_dropped)
		*(const char **)seep_table_add(notes) = seep_arena_printf(arena,
			"%zu counters were left out to save memory", load->counters_dropped);
	if (load->stacks_shortened)
		*(const char **)seep_table_add(notes) = seep_arena_printf(arena,
			"%zu stacks were shortened to save memory", load->stacks_shortened);
	if (load->sites_dropped)
		*(const char **)seep_table_add(notes) = seep_arena_printf(arena,
			"%zu sites and freeing stacks were left out to save memory",
			load->sites_dropped);
	load->run->notes = notes->items;
	load->run->n_notes = notes->n;
}

static void build_sampling(struct seep_load *load)
{
	if (!load->sampling)
		return;
	load->run->sampling.reason = load->sampling->reason;
	load->run->sampling.event = seep_load_event(load, load->sampling->event);
}

static void begin_run(struct seep_load *load, const struct seep_reader *reader)
{
	struct seep_run *run = load->run;
	const char *path = reader->path ? reader->path : "";
	const char *source = reader->header.source_text;

	*run = (struct seep_run){
		.path = seep_arena_copy(load->arena, path, strlen(path)),
		.exe = "",
		.event_text = seep_arena_copy(load->arena, source, strnlen(source,
							SEEP_TRACE_SOURCE_MAX)),
		.command = seep_arena_array(load->arena, 1, sizeof(char *)),
		.pid = reader->header.pid,
		.started_real_ns = reader->header.started_real_ns,
		.overlapping = reader->header.open_most > 1,
		.interleaved = reader->header.interleaved,
		.snapshot_event = SEEP_EVENT_NONE,
		.probe = { .event = SEEP_EVENT_NONE },
	};
}

static void begin_tables(struct seep_load *load)
{
	load->limits = SEEP_TABLE(load->arena, struct seep_limit);
	load->notes = SEEP_TABLE(load->arena, const char *);
	load->modules = SEEP_TABLE(load->arena, struct seep_module);
	load->names = SEEP_TABLE(&load->scratch, struct seep_load_name);
	load->stamps = SEEP_TABLE(&load->scratch, struct seep_reader_record);
	load->counts = SEEP_TABLE(&load->scratch, struct seep_reader_record);
	load->anchors = SEEP_TABLE(&load->scratch, struct seep_reader_record);
	load->outside = SEEP_TABLE(&load->scratch, const struct seep_rec_sample *);
	load->pins = SEEP_TABLE(&load->scratch, const void *);
	load->levels = SEEP_TABLE(&load->scratch, const void *);
	seep_load_frames_begin(load);
	seep_load_stored_begin(load);
	seep_load_types_begin(load);
	load->nodes = SEEP_TABLE(&load->scratch, struct seep_rec_node);
	load->sites = SEEP_TABLE(&load->scratch, struct seep_rec_site);
	seep_load_snapshot_begin(load);
	seep_table_at(&load->names, 0);
	seep_table_at(&load->modules, 0);
}

/*
 * Where the records of the last program start.  A process that replaces itself with exec starts
 * to record anew, and the earlier records of its recorder are void.  This place is found in
 * advance, so that a file full of restarts takes no longer than any other.
 */
static size_t find_restart(const struct seep_reader *reader)
{
	struct seep_reader scan = *reader;
	struct seep_reader_record record;
	size_t found = 0;

	while (seep_reader_next(&scan, &record))
		if (record.kind == SEEP_REC_RESTART)
			found = record.offset;
	return found;
}

/* seep run writes the command and the limits, so they hold for all programs of a process. */
static bool is_void(const struct seep_reader_record *record, size_t restart)
{
	return record->offset < restart && record->kind != SEEP_REC_RUN &&
	       record->kind != SEEP_REC_LIMIT;
}

static void load_records(struct seep_run *run, struct seep_reader *reader,
			 struct seep_arena *arena, bool at_end)
{
	struct seep_load load = { .run = run, .arena = arena, .file_bytes = reader->bytes,
				  .directory = "", .stride = 1, .at_end = at_end,
				  .header = &reader->header, .last_event = reader->last_event,
				  .events_told = reader->header.events };
	struct seep_reader_record record;
	size_t restart = find_restart(reader);

	seep_arena_init(&load.scratch);
	begin_run(&load, reader);
	begin_tables(&load);
	while (seep_reader_next(reader, &record))
		if (!is_void(&record, restart))
			add(&load, &record);
	seep_load_stored_rest(&load, reader);
	if (load.command)
		build_command(&load);
	build_names(&load);
	build_modules(&load);
	seep_load_snapshot_settle(&load);
	seep_load_outside_build(&load);
	seep_load_stamps_build(&load);
	seep_load_outside_number(&load);
	build_sampling(&load);
	seep_load_counters_build(&load);
	seep_load_anchors_build(&load);
	seep_load_end_find(&load);
	seep_load_sites_build(&load);
	seep_load_types_build(&load);
	seep_load_probe_build(&load);
	seep_load_levels_build(&load);
	seep_load_frames_build(&load);
	seep_load_stored_build(&load);
	build_end(&load, reader);
	build_notes(&load, reader);
	run->limits = load.limits.items;
	run->n_limits = load.limits.n;
	seep_arena_release(&load.scratch);
}

void seep_load_records(struct seep_run *run, struct seep_reader *reader, struct seep_arena *arena)
{
	load_records(run, reader, arena, false);
}

void seep_load_records_at_end(struct seep_run *run, struct seep_reader *reader,
			      struct seep_arena *arena)
{
	load_records(run, reader, arena, true);
}

int seep_load_run(struct seep_run *run, const char *path, struct seep_arena *arena,
		  struct seep_err *err)
{
	struct seep_reader reader;
	int failure = seep_reader_open(&reader, path, err);

	if (failure)
		return failure;
	seep_load_records(run, &reader, arena);
	seep_reader_close(&reader);
	return 0;
}
