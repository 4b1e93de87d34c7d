/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames whose names are in the trace itself: those of other profilers. */
#include "model/load/loading.h"

void seep_load_frames_add(struct seep_load *load, const struct seep_rec_frame *record)
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
}

void seep_load_frames_build(struct seep_load *load)
{
	load->run->known_frames = load->frames.items;
	load->run->n_known_frames = load->frames.n;
}
