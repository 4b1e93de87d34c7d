/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dispatcher, and the only place that prints errors.
 */
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/common/options.h"
#include "cli/common/self.h"
#include "os/tool/own_stack.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifndef SEEP_VERSION
#define SEEP_VERSION "unknown"
#endif

static const struct seep_command *find_command(const char *name)
{
	for (size_t i = 0; seep_commands[i]; i++)
		if (!strcmp(seep_commands[i]->name, name))
			return seep_commands[i];
	return NULL;
}

static const char *find_similar(const char *name)
{
	const char *similar = NULL;
	size_t nearest = 3;

	for (size_t i = 0; seep_commands[i]; i++) {
		size_t distance = seep_options_distance(name, seep_commands[i]->name);

		if (distance < nearest) {
			nearest = distance;
			similar = seep_commands[i]->name;
		}
	}
	return similar;
}

static void print_overview(FILE *out)
{
	fputs("seep tells you whether a program's memory grows, by how much per event, and which\n"
	      "line of code is responsible.\n\n"
	      "  seep run -- ./program its arguments    run a program, then read the verdict\n"
	      "  seep demo                              see an example\n\n"
	      "Commands:\n", out);
	for (size_t i = 0; seep_commands[i]; i++)
		fprintf(out, "  %-10s %s\n", seep_commands[i]->name, seep_commands[i]->summary);
	fputs("\n`seep help COMMAND` explains a command.  `seep --version` prints the version.\n",
	      out);
}

static int refuse_command(const char *name, struct seep_err *err)
{
	const char *similar = find_similar(name);

	if (similar)
		seep_err_set(err, EINVAL, "there is no command '%.100s'; did you mean '%.200s %s'?",
			     name, seep_self(), similar);
	else
		seep_err_set(err, EINVAL, "there is no command '%.100s'; see %.200s --help", name,
			     seep_self());
	return SEEP_STATUS_FAILED;
}

static int run_command(int argc, char **argv, struct seep_err *err)
{
	const struct seep_command *command = find_command(argv[0]);
	int status;

	if (!command)
		return refuse_command(argv[0], err);
	status = command->run(argc, argv, err);
	if (status != SEEP_STATUS_HELP)
		return status;
	seep_help_write(stdout, command);
	return 0;
}

static int give_help(const char *name, struct seep_err *err)
{
	const struct seep_command *command = name ? find_command(name) : NULL;

	if (name && !command)
		return refuse_command(name, err);
	if (command)
		seep_help_write(stdout, command);
	else
		print_overview(stdout);
	return 0;
}

static int dispatch(int argc, char **argv, struct seep_err *err)
{
	if (argc < 2) {
		print_overview(stderr);
		return SEEP_STATUS_FAILED;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("seep " SEEP_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return give_help(argc > 2 ? argv[2] : NULL, err);
	return run_command(argc - 1, argv + 1, err);
}

/* A report that was not written must not end with 0.  A closed pipe needs no message. */
static int check_stdout(int status)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (errno != EPIPE)
		fprintf(stderr, "seep: standard output could not be written: %s\n",
			errno ? strerror(errno) : "an earlier write failed");
	return SEEP_STATUS_FAILED;
}

/* The text may quote names from a trace or a directory, so control characters are replaced. */
static void print_error(struct seep_err *err)
{
	for (char *c = err->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	fprintf(stderr, "seep: %s\n", err->text);
}

static int run(int argc, char **argv)
{
	struct seep_err err = { 0 };
	int status;

	gsl_set_error_handler_off(); /* the default handler calls abort(); we check results */
	status = dispatch(argc, argv, &err);
	if (err.code)
		print_error(&err);
	return check_stdout(status);
}

int main(int argc, char **argv)
{
	return seep_own_stack_run(run, argc, argv);
}
