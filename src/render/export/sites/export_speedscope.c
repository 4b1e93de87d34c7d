/* SPDX-License-Identifier: GPL-3.0-or-later */
/* https://www.speedscope.app: one profile for each quantity. */
#include "render/emitter.h"
#include "render/export/export.h"
#include "render/export/sites/profile_tables.h"

/* The weights of a stack. */
static double weigh_live(const struct seep_profile_stack *stack)
{
	return (double)stack->result->live_bytes;
}

static double weigh_rate(const struct seep_profile_stack *stack)
{
	return stack->rate;
}

static double weigh_blocks(const struct seep_profile_stack *stack)
{
	return (double)stack->result->live_blocks;
}

static double weigh_born(const struct seep_profile_stack *stack)
{
	return (double)stack->result->site->born_bytes;
}

static void emit_frames(struct seep_emitter *e, const struct seep_profile_tables *profile)
{
	seep_emitter_open_object(e, "shared");
	seep_emitter_open_array(e, "frames");
	for (size_t i = 0; i < profile->n_frames; i++) {
		const struct seep_profile_frame *frame = &profile->frames[i];
		const struct seep_profile_function *function =
			&profile->functions[frame->function];

		seep_emitter_open_short_object(e, NULL);
		seep_emitter_string(e, "name", function->name);
		if (*function->file)
			seep_emitter_string(e, "file", function->file);
		if (frame->line)
			seep_emitter_integer(e, "line", frame->line);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
	seep_emitter_close_object(e);
}

static void emit_samples(struct seep_emitter *e, const struct seep_profile_tables *profile,
			 double (*weigh)(const struct seep_profile_stack *stack))
{
	seep_emitter_open_array(e, "samples");
	for (size_t i = 0; i < profile->n_stacks; i++) {
		const struct seep_profile_stack *stack = &profile->stacks[i];

		if (weigh(stack) <= 0)
			continue;
		seep_emitter_open_short_array(e, NULL);
		for (size_t j = stack->n_frames; j-- > 0;)
			seep_emitter_unsigned(e, NULL, stack->frames[j]);
		seep_emitter_close_array(e);
	}
	seep_emitter_close_array(e);
}

static double sum_weights(const struct seep_profile_tables *profile,
			  double (*weigh)(const struct seep_profile_stack *stack))
{
	double sum = 0;

	for (size_t i = 0; i < profile->n_stacks; i++)
		sum += weigh(&profile->stacks[i]);
	return sum;
}

/* Leaves out stacks of weight 0, which the viewer cannot draw. */
static void emit_profile(struct seep_emitter *e, const struct seep_profile_tables *profile,
			 const char *name, const char *unit,
			 double (*weigh)(const struct seep_profile_stack *stack))
{
	double sum = sum_weights(profile, weigh);

	if (sum <= 0)
		return;
	seep_emitter_open_object(e, NULL);
	seep_emitter_string(e, "type", "sampled");
	seep_emitter_string(e, "name", name);
	seep_emitter_string(e, "unit", unit);
	seep_emitter_integer(e, "startValue", 0);
	seep_emitter_number(e, "endValue", sum);
	emit_samples(e, profile, weigh);
	seep_emitter_open_short_array(e, "weights");
	for (size_t i = 0; i < profile->n_stacks; i++)
		if (weigh(&profile->stacks[i]) > 0)
			seep_emitter_number(e, NULL, weigh(&profile->stacks[i]));
	seep_emitter_close_array(e);
	seep_emitter_close_object(e);
}

static int write_speedscope(const struct seep_view *view, struct seep_err *err)
{
	const struct seep_profile_tables *profile = seep_profile_make(view);
	struct seep_emitter e;

	(void)err;
	seep_emitter_init(&e, view->out);
	seep_emitter_open_object(&e, NULL);
	seep_emitter_string(&e, "$schema",
			    "https://www.speedscope.app/file-format-schema.json");
	seep_emitter_string(&e, "exporter", "seep");
	seep_emitter_string(&e, "name", seep_profile_command(view));
	seep_emitter_integer(&e, "activeProfileIndex", 0);
	emit_frames(&e, profile);
	seep_emitter_open_array(&e, "profiles");
	emit_profile(&e, profile, "live bytes", "bytes", weigh_live);
	emit_profile(&e, profile, profile->axis.time ? "growth in bytes per second"
						     : "growth in bytes per event", "bytes",
		     weigh_rate);
	emit_profile(&e, profile, "live blocks", "none", weigh_blocks);
	emit_profile(&e, profile, "allocated bytes", "bytes", weigh_born);
	seep_emitter_close_array(&e);
	seep_emitter_close_object(&e);
	seep_emitter_finish(&e);
	return 0;
}

const struct seep_export_format seep_export_speedscope = {
	.name = "speedscope",
	.what = "www.speedscope.app: live bytes and blocks, growth, allocated bytes",
	.needs_sites = true,
	.write = write_speedscope,
};
