/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/check/check_options.h"
#include "cli/common/command.h"
#include "cli/common/options.h"
#include "cli/common/self.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#define EVENTS_LEAST 10          /* fewer say little; --min-events may ask for less */

static const struct option long_options[] = {
	{ "budget", required_argument, NULL, 'b' },
	{ "baseline", required_argument, NULL, 'B' },
	{ "suppress", required_argument, NULL, 's' },
	{ "strict", no_argument, NULL, 't' },
	{ "strict-suppressions", no_argument, NULL, 'S' },
	{ "material", required_argument, NULL, 'M' },
	{ "min-events", required_argument, NULL, 'n' },
	{ "junit", required_argument, NULL, 'J' },
	{ "sarif", required_argument, NULL, 'R' },
	{ "github", no_argument, NULL, 'G' },
	{ "source-root", required_argument, NULL, 'r' },
	{ "ignore-status", no_argument, NULL, 'i' },
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, 'f' },
	{ "event", required_argument, NULL, 'e' },
	{ "keep-pools", no_argument, NULL, 'k' },
	{ "sample", required_argument, NULL, 'a' },
	{ "max-overhead", required_argument, NULL, 'm' },
	{ "unit", required_argument, NULL, 'u' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Options that are meant for seep run, which knows what is wrong with them. */
static int pass_on(int c, struct seep_check_options *options, struct seep_err *err)
{
	static char event[] = "--event", sample[] = "--sample", overhead[] = "--max-overhead";
	static char force[] = "-f", pools[] = "--keep-pools";
	struct seep_check_program *program = &options->program;

	if (program->n_options + 2 > SEEP_CHECK_RUN_OPTIONS)
		return seep_err_set(err, E2BIG, "there are too many options");
	program->options = options->run_options;
	program->options[program->n_options++] = c == 'e' ? event : c == 'a' ? sample :
						 c == 'm' ? overhead : c == 'f' ? force : pools;
	if (c == 'e' || c == 'a' || c == 'm')
		program->options[program->n_options++] = optarg;
	return 0;
}

static int take_file(int c, struct seep_check_options *options)
{
	const char **files[] = { &options->baseline, &options->suppress, &options->junit,
				 &options->sarif, &options->root, &options->program.output };

	*files[strchr("BsJRro", c) - "BsJRro"] = optarg;
	return 0;
}

static int take_option(int c, char **argv, struct seep_check_options *options,
		       struct seep_err *err)
{
	switch (c) {
	case 'b':
		options->has_budget = true;
		return seep_options_budget("--budget", optarg, &options->budget, err);
	case 'n':
		return seep_options_count(optarg, "number of events", &options->min_events, err);
	case 'u':
		return seep_options_unit(optarg, &options->import.unit_bytes, err);
	case 'M':
		return seep_options_material(optarg, &options->material_bytes, err);
	case 't': case 'S': case 'G': case 'i':
		*(c == 't' ? &options->strict : c == 'S' ? &options->strict_suppressions :
		  c == 'G' ? &options->github : &options->ignore_status) = true;
		return 0;
	case 'f': case 'e': case 'k': case 'a': case 'm':
		return pass_on(c, options, err);
	case 'B': case 's': case 'J': case 'R': case 'r': case 'o':
		return take_file(c, options);
	default:
		return seep_options_refuse(c, argv, long_options, err);
	}
}

/* What stands behind the first "--" is the command; options may stand on both sides of FILE. */
static int split_command(int argc, char **argv, struct seep_check_options *options)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		options->program.command = argv + i + 1;
		return i;
	}
	return argc;
}

static int check_usage(int argc, char **argv, const struct seep_check_options *options,
		       struct seep_err *err)
{
	if (argc - optind > 1)
		return seep_err_set(err, EINVAL, "one trace at a time: what is '%.100s'?  A "
				    "command stands behind --", argv[optind + 1]);
	if (options->program.command && !*options->program.command)
		return seep_err_set(err, EINVAL, "what shall be run?  There is nothing behind --");
	if (options->program.command && argc > optind)
		return seep_err_set(err, EINVAL, "either a trace or a command: what is '%.100s'?",
				    argv[optind]);
	if (!options->program.command && (options->program.n_options || options->program.output))
		return seep_err_set(err, EINVAL, "there is an option for a command that is run, "
				    "but no command: it stands behind --");
	if (!options->has_budget && !options->baseline)
		return seep_err_set(err, EINVAL, "how much may it grow?  For example: %.200s check "
				    "--budget 1kB/event", seep_self());
	if (options->strict_suppressions && !options->suppress)
		return seep_err_set(err, EINVAL, "--strict-suppressions needs --suppress FILE");
	return 0;
}

int seep_check_options_parse(struct seep_check_options *options, int argc, char **argv,
			     struct seep_err *err)
{
	int c;

	*options = (struct seep_check_options){ .min_events = EVENTS_LEAST };
	argc = split_command(argc, argv, options);
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":b:o:fe:u:h", long_options, NULL)) != -1) {
		if (c == 'h')
			return SEEP_STATUS_HELP;
		if (take_option(c, argv, options, err))
			return SEEP_STATUS_FAILED;
	}
	if (check_usage(argc, argv, options, err))
		return SEEP_STATUS_FAILED;
	options->path = optind < argc ? argv[optind] : NULL;
	return 0;
}
