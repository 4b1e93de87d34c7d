/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line per stack, root first, for flame graphs: live bytes at the last snapshot. */
#include "render/export/export.h"
#include "render/export/sites/profile_tables.h"

#include <inttypes.h>

static void write_stack(FILE *out, const struct seep_profile_tables *profile, const char **names,
			const struct seep_profile_stack *stack)
{
	for (size_t i = stack->n_frames; i-- > 0;)
		fprintf(out, "%s%c", names[profile->frames[stack->frames[i]].function],
			i ? ';' : ' ');
	fprintf(out, "%" PRIu64 "\n", stack->result->live_bytes);
}

static int write_folded(const struct seep_view *view, struct seep_err *err)
{
	const struct seep_profile_tables *profile = seep_profile_make(view);
	const char **names = seep_arena_array(view->arena, profile->n_functions, sizeof(*names));

	(void)err;
	for (size_t i = 0; i < profile->n_functions; i++)
		names[i] = seep_profile_replace(view->arena, profile->functions[i].name, ";", ':');
	for (size_t i = 0; i < profile->n_stacks; i++)
		if (profile->stacks[i].result->live_bytes)
			write_stack(view->out, profile, names, &profile->stacks[i]);
	return 0;
}

const struct seep_export_format seep_export_folded = {
	.name = "folded",
	.what = "flame graphs: one line per call stack, with its live bytes",
	.needs_sites = true,
	.write = write_folded,
};
