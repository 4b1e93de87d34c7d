/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modules and stacks of a program that CPython runs. */
#include "lifelike.h"

#define PCS 3

static const char *const paths[] = {
	"", "/usr/bin/python3.11", "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0",
	"/usr/lib/x86_64-linux-gnu/libc.so.6",
	"/usr/lib/python3/dist-packages/rows/_rows.cpython-311-x86_64-linux-gnu.so",
};

#define N_PATHS (sizeof(paths) / sizeof(paths[0]))

/* Innermost first: the function that allocates, and those that called it. */
static const struct {
	const char *functions[PCS];
	uint32_t modules[PCS];
} makers[] = {
	[LIFE_BY_INTERPRETER] = { { "PyUnicode_New", "unicode_concatenate",
				    "_PyEval_EvalFrameDefault" }, { 2, 2, 2 } },
	[LIFE_BY_EXTENSION] = { { "parse_row", "rows_parse", "cfunction_call" }, { 4, 4, 2 } },
	[LIFE_BY_COMPILER] = { { "_PyCode_New", "_PyAssemble_MakeCodeObject", "builtin_compile" },
			       { 2, 2, 2 } },
};

static void make_stack(struct life *l, size_t which)
{
	struct seep_arena *arena = &l->c->fake.arena;
	struct seep_stack *stack = &l->stacks[which];
	uint64_t *pcs = seep_arena_array(arena, PCS, sizeof(*pcs));
	size_t i;

	stack->frames = seep_arena_array(arena, PCS, sizeof(*stack->frames));
	stack->modules = makers[which].modules;
	stack->pcs = pcs;
	stack->n_pcs = stack->n_frames = PCS;
	for (i = 0; i < PCS; i++) {
		const char *path = paths[makers[which].modules[i]];

		pcs[i] = ((uint64_t)makers[which].modules[i] << 32) + 256 * which + 16 * i + 8;
		stack->frames[i] = (struct seep_frame){
			.function = makers[which].functions[i], .language = "c",
			.module = strrchr(path, '/') + 1,
		};
	}
}

void life_python(struct life *l)
{
	struct seep_run *run = &l->c->fake.run;
	size_t i;

	run->exe = paths[1];
	run->n_modules = N_PATHS;
	run->modules = seep_arena_array(&l->c->fake.arena, N_PATHS, sizeof(*run->modules));
	for (i = 0; i < N_PATHS; i++)
		run->modules[i] = (struct seep_module){
			.start = (uint64_t)i << 32, .end = ((uint64_t)i << 32) + 0x1000000,
			.path = paths[i],
		};
	for (i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		make_stack(l, i);
}

void life_stack(struct life *l, size_t site, size_t which)
{
	l->c->fake.run.sites[site].stack = l->stacks[which];
}
