/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/check/check_program.h"
#include "cli/common/command.h"
#include "cli/run/run_child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".seep"

/* The name is taken by an empty file, which seep run replaces. */
static int name_trace(struct seep_check_program *program, struct seep_err *err)
{
	const char *directory = getenv("TMPDIR");
	int fd;

	if (!directory || !*directory)
		directory = "/tmp";
	if (snprintf(program->trace, sizeof(program->trace), "%s/seep.check.XXXXXX" SUFFIX,
		     directory) >= (int)sizeof(program->trace))
		return seep_err_set(err, ENAMETOOLONG, "the name of TMPDIR is too long");
	fd = mkstemps(program->trace, (int)strlen(SUFFIX));
	if (fd < 0)
		return seep_err_set(err, errno, "no file can be made in '%.200s' (%s); say where "
				    "the trace goes with -o FILE", directory, strerror(errno));
	close(fd);
	program->temporary = true;
	return 0;
}

static char *word(struct seep_arena *arena, const char *text)
{
	return seep_arena_copy(arena, text, strlen(text));
}

/* seep run -q -o TRACE OPTION... -- COMMAND... */
static char **make_words(const struct seep_check_program *program, struct seep_arena *arena,
			 int *n_words)
{
	size_t n_command = 0, n = 0;
	char **words;

	while (program->command[n_command])
		n_command++;
	words = seep_arena_array(arena, program->n_options + n_command + 8, sizeof(*words));
	words[n++] = word(arena, "run");
	words[n++] = word(arena, "-q");
	if (program->temporary)
		words[n++] = word(arena, "-f");
	words[n++] = word(arena, "-o");
	words[n++] = word(arena, program->trace);
	for (size_t i = 0; i < program->n_options; i++)
		words[n++] = program->options[i];
	words[n++] = word(arena, "--");
	for (size_t i = 0; i < n_command; i++)
		words[n++] = program->command[i];
	*n_words = (int)n;
	return words;
}

int seep_check_program_run(struct seep_check_program *program, struct seep_arena *arena,
			   struct seep_err *err)
{
	char **words;
	int n;

	if (seep_child_is_disabled())
		return seep_err_set(err, ECANCELED, "SEEP_DISABLE is set: nothing would be "
				    "recorded, and nothing can be judged");
	if (program->output)
		snprintf(program->trace, sizeof(program->trace), "%s", program->output);
	else if (name_trace(program, err))
		return -err->code;
	words = make_words(program, arena, &n);
	seep_command_run.run(n, words, err);
	if (!err->code)
		return 0;
	seep_check_program_forget(program);
	return -err->code;
}

void seep_check_program_forget(const struct seep_check_program *program)
{
	if (program->temporary)
		unlink(program->trace);
}
