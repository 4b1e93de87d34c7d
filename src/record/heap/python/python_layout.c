/* SPDX-License-Identifier: MIT */
#include "record/heap/python/python_layout.h"

#include <stddef.h>
#include <string.h>

#define NONE SEEP_PYTHON_NONE
#define COMPACT_MORE 16u /* a text that is not ASCII also has its length and bytes in UTF-8 */

static const struct seep_python_layout known[] = {
	{
		.version = 0x309, .lasti_bytes = 1,
		.key = 584, .finalizing = 16, .interpreters = 32,
		.thread_id = 176, .cframe = NONE, .current = 24,
		.code = 32, .previous = 24, .spot = 104, .is_entry = NONE, .owner = NONE,
		.file = 104, .function = 112, .first_line = 40, .instructions = NONE,
		.text_length = 16, .text_state = 32, .text_ascii = 48, .text_other = 72,
	},
	{
		.version = 0x30a, .lasti_bytes = 2,
		.key = 584, .finalizing = 16, .interpreters = 32,
		.thread_id = 176, .cframe = NONE, .current = 24,
		.code = 32, .previous = 24, .spot = 96, .is_entry = NONE, .owner = NONE,
		.file = 104, .function = 112, .first_line = 40, .instructions = NONE,
		.text_length = 16, .text_state = 32, .text_ascii = 48, .text_other = 72,
	},
	{
		.version = 0x30b,
		.key = 592, .finalizing = 24, .interpreters = 40,
		.thread_id = 152, .cframe = 56, .current = 8,
		.code = 32, .previous = 48, .spot = 56, .is_entry = 68, .owner = 69,
		.file = 112, .function = 128, .first_line = 72, .instructions = 184,
		.text_length = 16, .text_state = 32, .text_ascii = 48, .text_other = 72,
	},
	{
		.version = 0x30c,
		.key = 1544, .finalizing = 24, .interpreters = NONE,
		.thread_id = 136, .cframe = 56, .current = 0,
		.code = 0, .previous = 8, .spot = 56, .is_entry = NONE, .owner = 70,
		.file = 112, .function = 128, .first_line = 68, .instructions = 192,
		.text_length = 16, .text_state = 32, .text_ascii = 40, .text_other = 56,
	},
	{
		.version = 0x30d,
		.key = 2160, .interpreters = NONE, .cframe = NONE, .is_entry = NONE,
	},
};

/* The start of _PyRuntime from 3.13 on, as far as it is used here. */
struct debug_offsets {
	char cookie[8];
	uint64_t version;
	uint64_t free_threaded;
	struct {
		uint64_t size, finalizing, interpreters_head;
	} runtime_state;
	struct {
		uint64_t size, id, next, threads_head, gc, imports_modules, sysdict, builtins;
		uint64_t ceval_gil, gil_runtime_state, gil_enabled, gil_locked, gil_holder;
	} interpreter_state;
	struct {
		uint64_t size, prev, next, interp, current_frame, thread_id, native_thread_id;
		uint64_t datastack_chunk, status;
	} thread_state;
	struct {
		uint64_t size, previous, executable, instr_ptr, localsplus, owner;
	} interpreter_frame;
	struct {
		uint64_t size, filename, name, qualname, linetable, firstlineno, argcount;
		uint64_t localsplusnames, localspluskinds, co_code_adaptive;
	} code_object;
};

/* What it does not say has the same place in all releases of a version. */
static void fill_in(struct seep_python_layout *layout, const struct debug_offsets *offsets)
{
	layout->finalizing = (uint32_t)offsets->runtime_state.finalizing;
	layout->thread_id = (uint32_t)offsets->thread_state.thread_id;
	layout->current = (uint32_t)offsets->thread_state.current_frame;
	layout->code = (uint32_t)offsets->interpreter_frame.executable;
	layout->previous = (uint32_t)offsets->interpreter_frame.previous;
	layout->spot = (uint32_t)offsets->interpreter_frame.instr_ptr;
	layout->owner = (uint32_t)offsets->interpreter_frame.owner;
	layout->file = (uint32_t)offsets->code_object.filename;
	layout->function = (uint32_t)offsets->code_object.qualname;
	layout->first_line = (uint32_t)offsets->code_object.firstlineno;
	layout->instructions = (uint32_t)offsets->code_object.co_code_adaptive;
	layout->text_length = 16;
	layout->text_state = 32;
	layout->text_ascii = 40;
	layout->text_other = layout->text_ascii + COMPACT_MORE;
}

const char *seep_python_layout_find(struct seep_python_layout *layout, uint32_t hex,
				    const unsigned char *runtime)
{
	const struct debug_offsets *offsets = (const void *)runtime;
	size_t i = 0;

	while (i < sizeof(known) / sizeof(known[0]) && known[i].version != hex >> 16)
		i++;
	if (i == sizeof(known) / sizeof(known[0]))
		return "this version is not known";
	*layout = known[i];
	if (layout->version < 0x30d)
		return NULL;
	if (memcmp(offsets->cookie, "xdebugpy", sizeof(offsets->cookie)) ||
	    offsets->version >> 16 != layout->version)
		return "it does not say where its frames are";
	if (offsets->free_threaded)
		return "it is free-threaded";
	fill_in(layout, offsets);
	return NULL;
}
