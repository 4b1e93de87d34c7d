/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dispatcher, and the only place that prints errors.
 */
#include "cli/common/command.h"
#include "cli/common/options.h"
#include "cli/common/self.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifndef SEEP_VERSION
#define SEEP_VERSION "unknown"
#endif

static const struct seep_command *const commands[] = {
	&seep_command_run,
	&seep_command_watch,
	&seep_command_report,
	&seep_command_diff,
	&seep_command_check,
	&seep_command_calibrate,
	&seep_command_plot,
	&seep_command_export,
	&seep_command_demo,
	&seep_command_doctor,
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct seep_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static const char *find_similar(const char *name)
{
	const char *similar = NULL;
	size_t nearest = 3;

	for (size_t i = 0; i < COMMANDS; i++) {
		size_t distance = seep_options_distance(name, commands[i]->name);

		if (distance < nearest) {
			nearest = distance;
			similar = commands[i]->name;
		}
	}
	return similar;
}

static void print_overview(FILE *out)
{
	fputs("seep tells whether the memory of a program grows, by how much per event, and which\n"
	      "line of code is behind it.\n\n"
	      "  seep run -- ./program its arguments    run it, then read the verdict\n"
	      "  seep demo                              see what that looks like\n\n"
	      "Commands:\n", out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n`seep help COMMAND` explains one of them.  `seep --version` tells the version.\n",
	      out);
}

static void print_help(const struct seep_command *command)
{
	printf("usage: seep %s%s%s\n\n%s", command->name, *command->usage ? " " : "",
	       command->usage, command->help);
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
	print_help(command);
	return 0;
}

static int give_help(const char *name, struct seep_err *err)
{
	const struct seep_command *command = name ? find_command(name) : NULL;

	if (name && !command)
		return refuse_command(name, err);
	if (command)
		print_help(command);
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

/* A report that did not reach its file must not end with 0.  A closed pipe is no news. */
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

/* The text may quote names from a trace or a directory: nothing in it may drive the terminal. */
static void print_error(struct seep_err *err)
{
	for (char *c = err->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	fprintf(stderr, "seep: %s\n", err->text);
}

int main(int argc, char **argv)
{
	struct seep_err err = { 0 };
	int status;

	gsl_set_error_handler_off(); /* its own calls abort(); ours look at the result */
	status = dispatch(argc, argv, &err);
	if (err.code)
		print_error(&err);
	return check_stdout(status);
}
