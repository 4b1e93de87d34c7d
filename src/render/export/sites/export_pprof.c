/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pprof's profile.proto, compressed.
 *
 * A site becomes several samples: one for each event, or bin of events, in which its live blocks
 * were born, labelled with the event, and one for everything that belongs to no event: all
 * allocations so far, the rate, and blocks from before the first event.  Their sum is the site.
 *
 * Each message is written as soon as it is built, and the strings last, when all are known; the
 * format allows any order.
 */
#include "base/table.h"
#include "base/words.h"
#include "render/export/export.h"
#include "render/export/sites/gzip.h"
#include "render/export/sites/profile_tables.h"
#include "render/export/sites/proto.h"
#include "render/safe.h"

#include <string.h>

/* Field numbers, by message. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION,
	PROFILE_FUNCTION, PROFILE_TEXT, PROFILE_TIME_NS = 9, PROFILE_DURATION_NS,
	PROFILE_PERIOD_TYPE, PROFILE_PERIOD, PROFILE_COMMENT, PROFILE_DEFAULT_TYPE,
};
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT };
enum {
	MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE,
	MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS, MAPPING_HAS_FILES, MAPPING_HAS_LINES,
	MAPPING_HAS_INLINED,
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

enum { ALLOC_OBJECTS, ALLOC_SPACE, INUSE_OBJECTS, INUSE_SPACE, RATE, N_VALUES };

struct writer {
	const struct seep_view *view;
	const struct seep_profile_tables *profile;
	struct seep_gzip gzip;
	struct seep_words texts;
	struct seep_table text_list;  /* const char *, by number */
	struct seep_proto field, message, part;
	uint64_t *locations;          /* of the current stack */
	uint64_t *mappings;           /* by module: its number here, 0: none */
};

static uint64_t number_text(struct writer *writer, const char *text)
{
	uint32_t number = seep_words_text(&writer->texts, text) - 1;

	if (number == writer->text_list.n)
		*(const char **)seep_table_add(&writer->text_list) = text;
	return number;
}

static void send(struct writer *writer)
{
	seep_gzip_write(&writer->gzip, writer->field.bytes, writer->field.n);
	seep_proto_clear(&writer->field);
}

static void send_number(struct writer *writer, uint32_t field, uint64_t value)
{
	seep_proto_number(&writer->field, field, value);
	send(writer);
}

/* Writes the message built in writer->message. */
static void send_message(struct writer *writer, uint32_t field)
{
	seep_proto_message(&writer->field, field, &writer->message);
	seep_proto_clear(&writer->message);
	send(writer);
}

static void send_value_type(struct writer *writer, uint32_t field, const char *type,
			    const char *unit)
{
	seep_proto_number(&writer->message, VALUE_TYPE, number_text(writer, type));
	seep_proto_number(&writer->message, VALUE_UNIT, number_text(writer, unit));
	send_message(writer, field);
}

static void send_types(struct writer *writer)
{
	bool time = writer->profile->axis.time;

	send_value_type(writer, PROFILE_SAMPLE_TYPE, "alloc_objects", "count");
	send_value_type(writer, PROFILE_SAMPLE_TYPE, "alloc_space", "bytes");
	send_value_type(writer, PROFILE_SAMPLE_TYPE, "inuse_objects", "count");
	send_value_type(writer, PROFILE_SAMPLE_TYPE, "inuse_space", "bytes");
	send_value_type(writer, PROFILE_SAMPLE_TYPE, seep_verdict_rate_name(),
			time ? "bytes/s" : "bytes/event");
	send_number(writer, PROFILE_DEFAULT_TYPE, number_text(writer, "inuse_space"));
}

static void add_label(struct writer *writer, const char *key, const char *text)
{
	seep_proto_clear(&writer->part);
	seep_proto_number(&writer->part, LABEL_KEY, number_text(writer, key));
	seep_proto_number(&writer->part, LABEL_TEXT, number_text(writer, text));
	seep_proto_message(&writer->message, SAMPLE_LABEL, &writer->part);
}

static void add_number_label(struct writer *writer, const char *key, int64_t number,
			     const char *unit)
{
	seep_proto_clear(&writer->part);
	seep_proto_number(&writer->part, LABEL_KEY, number_text(writer, key));
	seep_proto_number(&writer->part, LABEL_NUMBER, (uint64_t)number);
	seep_proto_number(&writer->part, LABEL_UNIT, number_text(writer, unit));
	seep_proto_message(&writer->message, SAMPLE_LABEL, &writer->part);
}

static const char *phase_of(const struct seep_view *view, const struct seep_site *site)
{
	const char *name = seep_view_site_phase(view->run, site);

	if (site->after_stamp == SEEP_PHASE_BETWEEN)
		return "between events";
	if (site->after_stamp == SEEP_PHASE_NONE)
		return "outside events";
	return name && *name ? seep_safe_text(view->arena, name) : NULL;
}

/* event < 0: the sample belongs to no event. */
static void send_sample(struct writer *writer, const struct seep_profile_stack *stack,
			const uint64_t values[N_VALUES], const char *phase, int64_t event)
{
	seep_proto_numbers(&writer->message, SAMPLE_LOCATION, writer->locations,
			   stack->n_locations);
	seep_proto_numbers(&writer->message, SAMPLE_VALUE, values, N_VALUES);
	if (phase)
		add_label(writer, "phase", phase);
	if (event >= 0)
		add_number_label(writer, "event", event, "events");
	send_message(writer, PROFILE_SAMPLE);
}

/* Whether the bins hold no more than the site has. */
static bool is_sound(const struct seep_site_result *result)
{
	const struct seep_cohorts *cohorts = &result->site->cohorts;
	uint64_t blocks = result->live_blocks, bytes = result->live_bytes;

	for (size_t b = 0; b < cohorts->n_bins; b++) {
		if (cohorts->live_blocks[b] > blocks || cohorts->live_bytes[b] > bytes)
			return false;
		blocks -= cohorts->live_blocks[b];
		bytes -= cohorts->live_bytes[b];
	}
	return cohorts->first_event >= 0;
}

static void send_stack(struct writer *writer, const struct seep_profile_stack *stack)
{
	const struct seep_site_result *result = stack->result;
	const struct seep_cohorts *cohorts = &result->site->cohorts;
	size_t n_bins = is_sound(result) ? cohorts->n_bins : 0;
	const char *phase = phase_of(writer->view, result->site);
	uint64_t rest[N_VALUES] = {
		result->site->born_blocks, result->site->born_bytes,
		result->live_blocks, result->live_bytes,
		(uint64_t)seep_profile_whole_rate(stack),
	};

	for (size_t i = 0; i < stack->n_locations; i++)
		writer->locations[i] = (uint64_t)stack->locations[i] + 1;
	for (size_t b = 0; b < n_bins; b++) {
		uint64_t values[N_VALUES] = {
			[INUSE_OBJECTS] = cohorts->live_blocks[b],
			[INUSE_SPACE] = cohorts->live_bytes[b],
		};

		if (!cohorts->live_blocks[b] && !cohorts->live_bytes[b])
			continue;
		rest[INUSE_OBJECTS] -= values[INUSE_OBJECTS];
		rest[INUSE_SPACE] -= values[INUSE_SPACE];
		send_sample(writer, stack, values, phase,
			    cohorts->first_event + (int64_t)b * cohorts->events_per_bin);
	}
	send_sample(writer, stack, rest, phase, -1);
}

static void send_stacks(struct writer *writer)
{
	const struct seep_profile_tables *profile = writer->profile;
	size_t deepest = 0;

	for (size_t i = 0; i < profile->n_stacks; i++)
		if (profile->stacks[i].n_locations > deepest)
			deepest = profile->stacks[i].n_locations;
	writer->locations = seep_arena_array(writer->view->arena, deepest,
					     sizeof(*writer->locations));
	for (size_t i = 0; i < profile->n_stacks; i++)
		send_stack(writer, &profile->stacks[i]);
}

static const char *build_id_text(struct seep_arena *arena, const struct seep_module *module)
{
	char *text = seep_arena_alloc(arena, 2 * module->build_id_bytes + 1);

	for (size_t i = 0; i < module->build_id_bytes; i++)
		snprintf(text + 2 * i, 3, "%02x", module->build_id[i]);
	return text;
}

/* Marks modules that have names, so that pprof does not symbolise them again. */
static bool *find_named(const struct writer *writer)
{
	const struct seep_profile_tables *profile = writer->profile;
	bool *named = seep_arena_array(writer->view->arena, writer->view->run->n_modules + 1,
				       sizeof(*named));

	for (size_t i = 0; i < profile->n_locations; i++)
		if (profile->locations[i].named)
			named[profile->locations[i].module] = true;
	return named;
}

static void send_mapping(struct writer *writer, size_t number, uint64_t id, bool named)
{
	const struct seep_module *module = &writer->view->run->modules[number];
	struct seep_arena *arena = writer->view->arena;
	struct seep_proto *message = &writer->message;
	bool located = module->text_end > module->text_start;

	seep_proto_number(message, MAPPING_ID, id);
	seep_proto_number(message, MAPPING_START, located ? module->text_start : module->start);
	seep_proto_number(message, MAPPING_LIMIT, located ? module->text_end : module->end);
	seep_proto_number(message, MAPPING_OFFSET, located ? module->text_offset : 0);
	seep_proto_number(message, MAPPING_FILE, number_text(writer,
			  seep_safe_text(arena, module->path ? module->path : "")));
	seep_proto_number(message, MAPPING_BUILD_ID,
			  number_text(writer, build_id_text(arena, module)));
	for (uint32_t field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINED; field++)
		seep_proto_number(message, field, named);
	send_message(writer, PROFILE_MAPPING);
	writer->mappings[number] = id;
}

static bool is_main(const struct seep_run *run, size_t module)
{
	return run->exe && run->modules[module].path &&
	       !strcmp(run->modules[module].path, run->exe);
}

/* The first mapping is the program itself, as readers expect. */
static void send_mappings(struct writer *writer)
{
	const struct seep_run *run = writer->view->run;
	const bool *named = find_named(writer);
	uint64_t id = 1;

	writer->mappings = seep_arena_array(writer->view->arena, run->n_modules + 1,
					    sizeof(*writer->mappings));
	for (size_t i = 1; i < run->n_modules; i++)
		if (is_main(run, i))
			send_mapping(writer, i, id++, named[i]);
	for (size_t i = 1; i < run->n_modules; i++)
		if (!is_main(run, i))
			send_mapping(writer, i, id++, named[i]);
}

static void send_location(struct writer *writer, size_t number)
{
	const struct seep_profile_tables *profile = writer->profile;
	const struct seep_profile_location *location = &profile->locations[number];
	uint64_t mapping = writer->mappings[location->module];

	seep_proto_number(&writer->message, LOCATION_ID, number + 1);
	seep_proto_number(&writer->message, LOCATION_MAPPING, mapping);
	seep_proto_number(&writer->message, LOCATION_ADDRESS, location->address);
	for (size_t i = 0; i < location->n_frames; i++) {
		const struct seep_profile_frame *frame = &profile->frames[location->frames[i]];

		seep_proto_clear(&writer->part);
		seep_proto_number(&writer->part, LINE_FUNCTION, (uint64_t)frame->function + 1);
		seep_proto_number(&writer->part, LINE_LINE, (uint64_t)frame->line);
		seep_proto_message(&writer->message, LOCATION_LINE, &writer->part);
	}
	send_message(writer, PROFILE_LOCATION);
}

static void send_function(struct writer *writer, size_t number)
{
	const struct seep_profile_function *function = &writer->profile->functions[number];
	uint64_t name = number_text(writer, function->name);

	seep_proto_number(&writer->message, FUNCTION_ID, number + 1);
	seep_proto_number(&writer->message, FUNCTION_NAME, name);
	seep_proto_number(&writer->message, FUNCTION_SYSTEM_NAME, name);
	seep_proto_number(&writer->message, FUNCTION_FILE, number_text(writer, function->file));
	send_message(writer, PROFILE_FUNCTION);
}

static void send_comment(struct writer *writer, const char *text)
{
	send_number(writer, PROFILE_COMMENT, number_text(writer, text));
}

static void send_head(struct writer *writer)
{
	const struct seep_view *view = writer->view;
	const struct seep_run *run = view->run;

	send_number(writer, PROFILE_TIME_NS, (uint64_t)run->started_real_ns);
	send_number(writer, PROFILE_DURATION_NS, (uint64_t)(run->snapshot_t_ns > 0
							    ? run->snapshot_t_ns : run->wall_ns));
	send_value_type(writer, PROFILE_PERIOD_TYPE, "space", "bytes");
	send_number(writer, PROFILE_PERIOD, run->sampling.mean_bytes);
	send_comment(writer, seep_profile_verdict(view));
	if (run->command && *run->command)
		send_comment(writer, seep_arena_printf(view->arena, "command: %s",
						       seep_profile_command(view)));
	for (size_t i = 0; i < run->n_notes; i++)
		send_comment(writer, seep_safe_text(view->arena, run->notes[i]));
}

static int write_pprof(const struct seep_view *view, struct seep_err *err)
{
	struct writer writer = {
		.view = view,
		.text_list = SEEP_TABLE(view->arena, const char *),
		.field.arena = view->arena, .message.arena = view->arena,
		.part.arena = view->arena,
	};
	int rc = seep_gzip_open(&writer.gzip, view->out, err);

	if (rc)
		return rc;
	writer.profile = seep_profile_make(view);
	seep_words_init(&writer.texts, view->arena);
	number_text(&writer, "");
	send_types(&writer);
	send_head(&writer);
	send_mappings(&writer);
	for (size_t i = 0; i < writer.profile->n_functions; i++)
		send_function(&writer, i);
	for (size_t i = 0; i < writer.profile->n_locations; i++)
		send_location(&writer, i);
	send_stacks(&writer);
	for (size_t i = 0; i < writer.text_list.n; i++) {
		seep_proto_text(&writer.field, PROFILE_TEXT,
				((const char **)writer.text_list.items)[i]);
		send(&writer);
	}
	seep_gzip_close(&writer.gzip);
	return 0;
}

const struct seep_export_format seep_export_pprof = {
	.name = "pprof",
	.what = "go tool pprof and similar tools: live, allocated, growth",
	.needs_sites = true,
	.binary = true,
	.write = write_pprof,
};
