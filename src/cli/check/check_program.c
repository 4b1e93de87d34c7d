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
#define OPTION_WORDS 14 /* of seep run, at most, its name and -- included */

/* An empty file reserves the name; seep run replaces it. */
static int name_trace(struct seep_check_program *program, struct seep_err *err)
{
	const char *directory = getenv("TMPDIR");
	int fd;

	if (!directory || !*directory)
		directory = "/tmp";
	if (snprintf(program->trace, sizeof(program->trace), "%s/seep.check.XXXXXX" SUFFIX,
		     directory) >= (int)sizeof(program->trace))
		return seep_err_set(err, ENAMETOOLONG, "the path in TMPDIR is too long");
	fd = mkstemps(program->trace, (int)strlen(SUFFIX));
	if (fd < 0)
		return seep_err_set(err, errno, "no file can be created in '%.200s' (%s); name the "
				    "trace with -o FILE", directory, strerror(errno));
	close(fd);
	program->temporary = true;
	return 0;
}

static char *word(struct seep_arena *arena, const char *text)
{
	return seep_arena_copy(arena, text, strlen(text));
}

struct word_list {
	char **words;
	size_t n;
};

/* Adds an option of seep run, if it was given. */
static void add_option(struct word_list *list, const char *name, const char *value,
		       struct seep_arena *arena)
{
	if (!value)
		return;
	list->words[list->n++] = word(arena, name);
	list->words[list->n++] = word(arena, value);
}

/* seep run -q -o TRACE OPTION... -- COMMAND... */
static char **make_words(const struct seep_check_program *program, struct seep_arena *arena,
			 int *n_words)
{
	struct word_list list = { .n = 0 };
	size_t n_command = 0;

	while (program->command[n_command])
		n_command++;
	list.words = seep_arena_array(arena, n_command + OPTION_WORDS + 1, sizeof(*list.words));
	list.words[list.n++] = word(arena, "run");
	list.words[list.n++] = word(arena, "-q");
	if (program->temporary || program->force)
		list.words[list.n++] = word(arena, "-f");
	if (program->keep_pools)
		list.words[list.n++] = word(arena, "--keep-pools");
	if (program->collect)
		list.words[list.n++] = word(arena, "--collect");
	add_option(&list, "--output", program->trace, arena);
	add_option(&list, "--event", program->event, arena);
	add_option(&list, "--sample", program->sample, arena);
	add_option(&list, "--max-overhead", program->max_overhead, arena);
	list.words[list.n++] = word(arena, "--");
	for (size_t i = 0; i < n_command; i++)
		list.words[list.n++] = program->command[i];
	*n_words = (int)list.n;
	return list.words;
}

int seep_check_program_run(struct seep_check_program *program, struct seep_arena *arena,
			   struct seep_err *err)
{
	char **words;
	int n;

	if (seep_child_is_disabled())
		return seep_err_set(err, ECANCELED, "SEEP_DISABLE is set, so nothing would be "
				    "recorded or judged");
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
