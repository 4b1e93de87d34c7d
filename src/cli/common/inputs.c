/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/inputs.h"
#include "cli/common/newest.h"

void seep_inputs_take(struct seep_inputs *inputs, const struct seep_operands_found *found)
{
	inputs->paths = (const char *const *)found->words;
	inputs->n = found->n;
}

int seep_inputs_find(struct seep_inputs *inputs, struct seep_arena *arena, struct seep_err *err)
{
	if (inputs->n)
		return 0;
	inputs->newest = seep_newest_trace(arena, err);
	if (!inputs->newest)
		return -err->code;
	inputs->paths = &inputs->newest;
	inputs->n = 1;
	return 0;
}
