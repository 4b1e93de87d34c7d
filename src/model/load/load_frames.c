/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames whose names are in the trace itself: those of other profilers, and lines of Python
 * functions.  A line may come before its function, or more than once; the last one counts.
 */
#include "model/load/loading.h"

#define UNKNOWN "(unknown)"

void seep_load_frames_begin(struct seep_load *load)
{
	load->frames = SEEP_TABLE(load->arena, struct seep_named_frame);
	load->functions = SEEP_TABLE(&load->scratch, struct seep_load_function);
	load->lines = SEEP_TABLE(&load->scratch, struct seep_rec_line);
}

static void add_frame(struct seep_load *load, const struct seep_rec_frame *record)
{
	const char *text = (const char *)(record + 1);
	struct seep_named_frame *frame;

	if (record->pc < SEEP_PC_NAMED)
		return;
	frame = seep_table_add(&load->frames);
	frame->pc = record->pc;
	frame->line = record->line <= INT32_MAX ? (int)record->line : 0;
	frame->function = seep_arena_copy(load->arena, text, record->function_bytes);
	text += record->function_bytes;
	frame->file = seep_arena_copy(load->arena, text, record->file_bytes);
	text += record->file_bytes;
	frame->module = seep_arena_copy(load->arena, text, record->module_bytes);
	frame->language = "c";
}

static void add_function(struct seep_load *load, const struct seep_rec_function *record)
{
	const char *text = (const char *)(record + 1);
	struct seep_load_function *function;

	if (!record->id || !seep_load_plausible(load, record->id, sizeof(*record)))
		return;
	function = seep_table_at(&load->functions, record->id);
	function->name = seep_arena_copy(load->arena, text, record->name_bytes);
	function->file = seep_arena_copy(load->arena, text + record->name_bytes,
					 record->file_bytes);
}

static void add_lines(struct seep_load *load, const struct seep_rec_lines *record)
{
	const struct seep_rec_line *from = (const void *)(record + 1);
	uint64_t last = (uint64_t)record->first + record->count;
	uint32_t i;

	if (!record->count || !record->first || !seep_load_plausible(load, last, sizeof(*from)))
		return;
	for (i = 0; i < record->count; i++) {
		struct seep_rec_line *line = seep_table_at(&load->lines, record->first + i);

		*line = from[i];
	}
}

void seep_load_frames_add(struct seep_load *load, const struct seep_reader_record *record)
{
	switch (record->kind) {
	case SEEP_REC_FRAME:
		add_frame(load, record->payload);
		break;
	case SEEP_REC_FUNCTION:
		add_function(load, record->payload);
		break;
	case SEEP_REC_LINES:
		add_lines(load, record->payload);
		break;
	}
}

static void build_line(struct seep_load *load, uint32_t number)
{
	const struct seep_rec_line *line = (const struct seep_rec_line *)load->lines.items + number;
	const struct seep_load_function *functions = load->functions.items;
	struct seep_named_frame *frame = seep_table_add(&load->frames);

	*frame = (struct seep_named_frame){
		.pc = SEEP_PC_NAMED + number,
		.function = UNKNOWN,
		.file = "",
		.module = "",
		.language = "python",
		.line = line->line <= INT32_MAX ? (int)line->line : 0,
	};
	if (line->function < load->functions.n && functions[line->function].name) {
		frame->function = functions[line->function].name;
		frame->file = functions[line->function].file;
	}
}

void seep_load_frames_build(struct seep_load *load)
{
	uint32_t i;

	for (i = 1; i < load->lines.n; i++)
		build_line(load, i);
	load->run->n_python_lines = load->lines.n ? load->lines.n - 1 : 0;
	load->run->known_frames = load->frames.items;
	load->run->n_known_frames = load->frames.n;
}
