/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "analyse/gate/calibrate.h"
#include "cli/common/command.h"
#include "cli/common/install.h"
#include "cli/common/options.h"
#include "cli/common/self.h"
#include "cli/extras/opticks_env.h"
#include "cli/run/run_child.h"
#include "cli/run/run_target.h"
#include "cli/run/run_trace.h"
#include "model/load/load.h"
#include "os/tool/limit.h"
#include "render/sizes.h"
#include "render/text/calibrate_text.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_WRONG 1
#define SLICE_NS 100000000
#define MEMORY_PART 4       /* of the memory there is, that may be lost on purpose */
#define OVERHEAD_PART 10    /* ... and taken by the tracker */
#define BLOCKS 6            /* of a row, which is the least that tells something */
#define BLOCK_EVENTS 10     /* unless --block says otherwise */
#define BUDGET_LEAST ((int64_t)4 << 20)
#define LEVEL_LEAST 4096
#define BLOCK_MOST 1000000

struct calibrate_options {
	struct seep_run_trace_plan trace;
	struct seep_child_plan child;
	bool json;
};

static const struct option long_options[] = {
	{ "level", required_argument, NULL, 'L' },
	{ "block", required_argument, NULL, 'B' },
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, 'f' },
	{ "event", required_argument, NULL, 'e' },
	{ "limit", required_argument, NULL, 'l' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int parse_level(const char *text, struct calibrate_options *options, struct seep_err *err)
{
	int64_t *level = &options->child.calibrate_level;
	int rc = seep_options_size("--level", text, "1MiB or 10MB", level, err);

	if (!rc && *level < LEVEL_LEAST)
		return seep_err_set(err, EINVAL, "--level: '%.100s' is less than a page, and RSS "
				    "would not show it; write 64KiB or more", text);
	return rc;
}

static int parse_block(const char *text, struct calibrate_options *options, struct seep_err *err)
{
	size_t events;
	int rc = seep_options_count(text, "number of events", &events, err);

	if (!rc && events > BLOCK_MOST)
		return seep_err_set(err, EINVAL, "--block: '%.100s' is more than a million events",
				    text);
	if (!rc)
		options->child.calibrate_block = (int64_t)events;
	return rc;
}

static int take_option(int c, char **argv, struct calibrate_options *options, struct seep_err *err)
{
	switch (c) {
	case 'L':
		return parse_level(optarg, options, err);
	case 'B':
		return parse_block(optarg, options, err);
	case 'o':
		options->trace.output = optarg;
		return 0;
	case 'f':
		options->trace.replace = true;
		return 0;
	case 'e':
		return seep_options_event(optarg, &options->trace.ticks, &options->trace.tick_ns,
					  err);
	case 'l':
		return seep_options_size("--limit", optarg, "500MB or 2GiB",
					 &options->trace.limit_bytes, err);
	case 'j':
		options->json = true;
		return 0;
	default:
		return seep_options_refuse(c, argv, long_options, err);
	}
}

static int parse(int argc, char **argv, struct calibrate_options *options, struct seep_err *err)
{
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, "+:o:fe:h", long_options, NULL)) != -1) {
		if (c == 'h')
			return SEEP_STATUS_HELP;
		if (take_option(c, argv, options, err))
			return SEEP_STATUS_FAILED;
	}
	if (optind == argc) {
		seep_err_set(err, EINVAL, "which program shall be run?  For example: %.200s "
			     "calibrate -- ./program", seep_self());
		return SEEP_STATUS_FAILED;
	}
	options->trace.command = options->child.argv = argv + optind;
	return 0;
}

/* What Opticks would be told, unless there is an option that says otherwise. */
static int take_environment(struct calibrate_options *options, struct seep_err *err)
{
	int64_t *level = &options->child.calibrate_level, wanted;
	int rc = seep_run_opticks_level(&wanted, err);

	if (!rc && wanted && !*level && wanted < LEVEL_LEAST)
		return seep_err_set(err, EINVAL, "the environment asks for %" PRId64 " bytes per "
				    "event (..._PROFILE_LEAK_MB), less than a page, and RSS would "
				    "not show it", wanted);
	if (!rc && wanted && !*level)
		*level = wanted;
	return rc;
}

/* At the mean of the levels. */
static double bytes_of_row(const struct seep_child_plan *plan)
{
	int64_t events = plan->calibrate_block ? plan->calibrate_block : BLOCK_EVENTS;

	return BLOCKS * (double)events * (double)plan->calibrate_level;
}

/* What is lost must not end the program, nor its neighbours. */
static int find_budget(struct calibrate_options *options, struct seep_err *err)
{
	struct seep_limit_found found;
	int64_t memory = options->trace.limit_bytes, *budget = &options->child.calibrate_bytes;

	if (seep_limit_find("", 0, &found, 1) && (!memory || seep_limit_left(&found) < memory))
		memory = seep_limit_left(&found);
	if (!memory)
		return seep_err_set(err, ENOMEM, "how much memory there is cannot be found out; "
				    "tell it with --limit");
	*budget = memory / MEMORY_PART;
	options->child.overhead_bytes = memory / OVERHEAD_PART;
	if (*budget < BUDGET_LEAST || (double)*budget < bytes_of_row(&options->child))
		return seep_err_set(err, ENOMEM, "of %s a quarter may be leaked on purpose, and "
				    "that is too little%s", seep_size_format((double)memory).text,
				    options->child.calibrate_level ? " for this --level" : "");
	return 0;
}

/* With --json standard output is for that alone: the program's goes to standard error. */
static int put_stdout_aside(const struct calibrate_options *options)
{
	int saved = -1;

	if (!options->json)
		return -1;
	fflush(stdout);
	saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (saved >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	return saved;
}

static void put_stdout_back(int saved)
{
	if (saved < 0)
		return;
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

static void tell_end(const struct calibrate_options *options, int wait_status)
{
	const char *name = options->child.argv[0];

	if (WIFSIGNALED(wait_status))
		fprintf(stderr, "seep: %s was ended by signal %d (%s)\n", name,
			WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	else if (WEXITSTATUS(wait_status))
		fprintf(stderr, "seep: %s ended with status %d\n", name, WEXITSTATUS(wait_status));
}

static int judge(const struct calibrate_options *options, const char *trace, struct seep_err *err)
{
	struct seep_calibrate calibrate;
	struct seep_arena arena;
	struct seep_run run;
	int status = SEEP_STATUS_FAILED;

	seep_arena_init(&arena);
	if (!seep_load_run(&run, trace, &arena, err)) {
		struct seep_view view = {
			.run = &run, .arena = &arena, .out = stderr,
			.style = seep_style_of(stderr), .self = seep_self(),
		};

		seep_calibrate_judge(&calibrate, &run, &arena);
		if (options->json)
			seep_calibrate_text_json(stdout, &run, &calibrate);
		else
			seep_calibrate_text_write(&view, &calibrate);
		if (calibrate.outcome == SEEP_CALIBRATE_RIGHT)
			status = 0;
		else if (calibrate.outcome == SEEP_CALIBRATE_WRONG)
			status = STATUS_WRONG;
	}
	seep_arena_release(&arena);
	return status;
}

static int status_of_failure(int code)
{
	return code == ENOENT ? SEEP_STATUS_NOT_FOUND : SEEP_STATUS_NOT_EXECUTABLE;
}

/* Returns 0 when the program has run to its end, under the tracker. */
static int run_program(struct calibrate_options *options, struct seep_run_trace *trace,
		       struct seep_err *err)
{
	struct seep_strays nobody = { 0 };
	struct seep_child child;
	int saved = put_stdout_aside(options), rc = seep_child_fork(&child, &options->child, err);

	put_stdout_back(saved);
	if (rc)
		return SEEP_STATUS_FAILED;
	if (seep_run_trace_create(trace, &options->trace, child.pid, err)) {
		seep_child_cancel(&child);
		return SEEP_STATUS_FAILED;
	}
	fprintf(stderr, "seep: recording to %s, with a leak on purpose\n", trace->name);
	if (seep_child_release(&child, options->child.path, trace->path, err)) {
		seep_run_trace_discard(trace);
		return status_of_failure(err->code);
	}
	seep_child_wait(&child, trace->writer.header, true, &nobody);
	rc = seep_run_trace_finish(trace, child.status, &child.samples) == SEEP_TRACE_CREATED;
	seep_run_samples_release(&child.samples);
	tell_end(options, child.status);
	if (rc)
		seep_err_set(err, ENOEXEC, "the tracker did not start in '%.200s'; %.100s doctor "
			     "%.100s tells more", options->child.argv[0], seep_self(),
			     options->child.argv[0]);
	return rc ? SEEP_STATUS_FAILED : 0;
}

static int run_calibrate(int argc, char **argv, struct seep_err *err)
{
	struct calibrate_options options = {
		.trace = { .tick_ns = SLICE_NS, .ticks = SEEP_TICKS_SPARE },
	};
	struct seep_run_trace *trace;
	struct seep_target target;
	char library[PATH_MAX];
	int status = parse(argc, argv, &options, err);

	if (status)
		return status;
	if (seep_child_is_disabled()) {
		seep_err_set(err, EINVAL, "SEEP_DISABLE is set: nothing can be calibrated");
		return SEEP_STATUS_FAILED;
	}
	if (take_environment(&options, err) || find_budget(&options, err))
		return SEEP_STATUS_FAILED;
	if (seep_target_find(&target, options.child.argv[0], err))
		return status_of_failure(err->code);
	if (seep_install_tracker(library, err))
		return SEEP_STATUS_FAILED;
	if (seep_target_inspect(&target, err))
		return SEEP_STATUS_NOT_EXECUTABLE;
	if (seep_run_trace_check(&options.trace, err))
		return SEEP_STATUS_FAILED;
	options.trace.exe = options.child.path = target.path;
	options.child.library = library;
	trace = calloc(1, sizeof(*trace));
	status = trace ? run_program(&options, trace, err) : SEEP_STATUS_FAILED;
	if (!status)
		status = judge(&options, trace->name, err);
	free(trace);
	return status;
}

const struct seep_command seep_command_calibrate = {
	.name = "calibrate",
	.summary = "leak on purpose in a program, and see what that is read back as",
	.usage = "[options] [--] CMD [ARGUMENT]...",
	.help =
		"  seep calibrate -- ./detector --events 200\n"
		"  seep calibrate --level 10MB --block 5 -- python3 job.py\n\n"
		"Runs CMD as seep run does.  From the eleventh event on each one leaks 0, L or\n"
		"2L bytes, by blocks of events in the order 0 L 2L 2L L 0, through the program's\n"
		"own allocator.  Tells which part of it heap and RSS show (the gain, which should\n"
		"be 1) and what the program adds by itself, with their 95 % intervals.\n\n"
		"Options:\n"
		"      --level SIZE     L; default ten times the noise of the first events, or\n"
		"                       what G4OKTEST_PROFILE_LEAK_MB or its like say\n"
		"      --block EVENTS   events of a block, at first; default 10\n"
		"  -o, --output FILE    write the trace there; default seep.CMD.PID.seep here\n"
		"  -f, --force          replace FILE if it exists\n"
		"  -e, --event SOURCE   as of seep run: api, or time:100ms\n"
		"      --limit SIZE     the memory there is; a quarter of it is leaked at most\n"
		"      --json           for machines, on standard output; what CMD writes there\n"
		"                       goes to standard error\n\n"
		"The status is 0 if both intervals hold 1 and are narrower than 5 %, 1 if one\n"
		"does not hold 1, 125 if that cannot be told or seep failed, 126: CMD cannot be\n"
		"run or tracked, 127: CMD was not found.\n",
	.run = run_calibrate,
};
