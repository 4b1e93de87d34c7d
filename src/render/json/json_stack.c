/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/json/json.h"

void seep_json_stack(struct seep_emitter *e, const struct seep_stack *stack)
{
	seep_emitter_open_array(e, "stack");
	for (size_t i = 0; i < stack->n_frames; i++) {
		const struct seep_frame *frame = &stack->frames[i];

		seep_emitter_open_short_object(e, NULL);
		seep_emitter_string(e, "function", frame->function);
		seep_emitter_string(e, "file", frame->file);
		if (frame->line > 0)
			seep_emitter_integer(e, "line", frame->line);
		else
			seep_emitter_null(e, "line");
		seep_emitter_string(e, "module", frame->module);
		seep_emitter_bool(e, "inlined", frame->inlined);
		seep_emitter_string(e, "language", frame->language);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}
