/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "analyse/gate/calibrate.h"
#include "cli/common/command.h"
#include "cli/common/install.h"
#include "cli/common/options.h"
#include "cli/common/self.h"
#include "cli/extras/opticks_env.h"
#include "cli/run/run_child.h"
#include "cli/run/run_entry.h"
#include "cli/run/run_target.h"
#include "cli/run/run_trace.h"
#include "model/load/load.h"
#include "os/tool/limit.h"
#include "render/sizes.h"
#include "render/text/calibrate_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_WRONG 1
#define SLICE_NS 100000000
#define MEMORY_PART 4       /* of the memory there is, that may be leaked */
#define OVERHEAD_PART 10    /* ... and used by the tracker */
#define BLOCKS 6            /* in a row; fewer say nothing */
#define BLOCK_EVENTS 10     /* unless --block says otherwise */
#define BUDGET_LEAST ((int64_t)4 << 20)
#define LEVEL_LEAST 4096
#define BLOCK_MOST 1000000

struct calibrate_options {
	struct seep_run_trace_plan trace;
	struct seep_child_plan child;
	bool json;
};

static int set_level(void *field, const char *value, struct seep_err *err)
{
	int64_t *level = field;
	int rc = seep_options_size("--level", value, "1MiB or 10MB", level, err);

	if (!rc && *level < LEVEL_LEAST)
		return seep_err_set(err, EINVAL, "--level: '%.100s' is less than a page, so RSS "
				    "would not show it; use 64KiB or more", value);
	return rc;
}

static int set_block(void *field, const char *value, struct seep_err *err)
{
	size_t events;
	int rc = seep_options_count(value, "number of events", &events, err);

	if (!rc && events > BLOCK_MOST)
		return seep_err_set(err, EINVAL, "--block: '%.100s' is more than a million events",
				    value);
	if (!rc)
		*(int64_t *)field = (int64_t)events;
	return rc;
}

#define AT(field) offsetof(struct calibrate_options, field)

static const struct seep_option option_table[] = {
	{ "level", 0, "SIZE",
	  "L. Default: ten times the noise of the first events, or the value of "
	  "G4OKTEST_PROFILE_LEAK_MB and similar variables.",
	  .at = AT(child.calibrate_level), .set = set_level },
	{ "block", 0, "EVENTS", "Initial number of events in a block. Default: 10.",
	  .at = AT(child.calibrate_block), .set = set_block },
	{ "output", 'o', "FILE",
	  "Write the trace to FILE. Default: seep.CMD.PID.seep in the current directory.",
	  .at = AT(trace.output), .set = seep_options_set_trace },
	{ "force", 'f', NULL, "Replace FILE if it exists.", .at = AT(trace.replace) },
	{ "event", 'e', "SOURCE", "What counts as an event, as in seep run: api or time:100ms.",
	  .at = AT(trace.event), .set = seep_run_event_set, .value = seep_run_event_value },
	{ "limit", 0, "SIZE", "Available memory. At most a quarter of it is leaked.",
	  .at = AT(trace.limit_bytes), .set = seep_options_set_limit },
	{ "json", 0, NULL,
	  "Print the result as JSON to standard output. The output of CMD goes to standard error.",
	  .at = AT(json) },
	{ .name = NULL },
};

static int parse(int argc, char **argv, struct calibrate_options *options, struct seep_err *err)
{
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_calibrate, argc, argv, options, &found,
					     err);

	if (status)
		return status;
	if (!found.command || !*found.command) {
		seep_err_set(err, EINVAL, "name the program to run, for example: %.200s calibrate "
			     "-- ./program", seep_self());
		return SEEP_STATUS_FAILED;
	}
	options->trace.command = options->child.argv = found.command;
	return 0;
}

/* The leak that the environment asks Opticks for, unless --level is given. */
static int take_environment(struct calibrate_options *options, struct seep_err *err)
{
	int64_t *level = &options->child.calibrate_level, wanted;
	int rc = seep_run_opticks_level(&wanted, err);

	if (!rc && wanted && !*level && wanted < LEVEL_LEAST)
		return seep_err_set(err, EINVAL, "the environment asks for %" PRId64 " bytes per "
				    "event (..._PROFILE_LEAK_MB), which is less than a page, so "
				    "RSS would not show it", wanted);
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

/* The injected leak must not get the program or others on the machine killed. */
static int find_budget(struct calibrate_options *options, struct seep_err *err)
{
	struct seep_limit_found found;
	int64_t memory = options->trace.limit_bytes, *budget = &options->child.calibrate_bytes;

	if (seep_limit_find("", 0, &found, 1) && (!memory || seep_limit_left(&found) < memory))
		memory = seep_limit_left(&found);
	if (!memory)
		return seep_err_set(err, ENOMEM, "the amount of available memory is unknown; set "
				    "it with --limit");
	*budget = memory / MEMORY_PART;
	options->child.overhead_bytes = memory / OVERHEAD_PART;
	if (*budget < BUDGET_LEAST || (double)*budget < bytes_of_row(&options->child))
		return seep_err_set(err, ENOMEM, "seep calibrate leaks at most a quarter of the "
				    "available %s, which is not enough%s",
				    seep_size_format((double)memory).text,
				    options->child.calibrate_level ? " for this --level" : "");
	return 0;
}

/* With --json, standard output is for the JSON only; the program's own goes to stderr. */
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
		fprintf(stderr, "seep: %s was killed by signal %d (%s)\n", name,
			WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	else if (WEXITSTATUS(wait_status))
		fprintf(stderr, "seep: %s exited with status %d\n", name, WEXITSTATUS(wait_status));
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
	fprintf(stderr, "seep: recording to %s, with an injected leak\n", trace->name);
	seep_run_trace_share(trace);
	if (seep_child_release(&child, options->child.path, trace, err)) {
		seep_run_trace_discard(trace);
		return status_of_failure(err->code);
	}
	seep_child_wait(&child, trace, true, &nobody);
	rc = seep_run_trace_finish(trace, child.status, &child.samples) == SEEP_TRACE_CREATED;
	seep_run_samples_release(&child.samples);
	tell_end(options, child.status);
	if (trace->lost)
		rc = seep_run_trace_refuse(trace, err);
	else if (rc)
		seep_err_set(err, ENOEXEC, "the tracker did not start in '%.200s'; for details, "
			     "run: %.100s doctor %.100s", options->child.argv[0], seep_self(),
			     options->child.argv[0]);
	return rc ? SEEP_STATUS_FAILED : 0;
}

static int run_calibrate(int argc, char **argv, struct seep_err *err)
{
	struct calibrate_options options = {
		.trace.event = { .tick_ns = SLICE_NS, .ticks = SEEP_TICKS_SPARE },
	};
	struct seep_run_trace *trace;
	struct seep_target target;
	struct seep_arena arena;
	char library[PATH_MAX];
	int status = parse(argc, argv, &options, err);

	if (status)
		return status;
	if (seep_child_is_disabled()) {
		seep_err_set(err, EINVAL, "SEEP_DISABLE is set, so nothing can be calibrated");
		return SEEP_STATUS_FAILED;
	}
	if (options.trace.event.source >= SEEP_SOURCE_LINES) {
		seep_err_set(err, EINVAL, "seep calibrate cannot take events from lines; use "
			     "--event api or time:100ms");
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
	seep_arena_init(&arena);
	if (seep_run_entry_plan(target.binary, &options.trace.event, NULL, NULL, &arena,
				&options.child.entries, err)) {
		seep_arena_release(&arena);
		return SEEP_STATUS_FAILED;
	}
	options.trace.exe = options.child.path = target.path;
	options.child.library = library;
	trace = calloc(1, sizeof(*trace));
	status = trace ? run_program(&options, trace, err) : SEEP_STATUS_FAILED;
	if (!status)
		status = judge(&options, trace->name, err);
	free(trace);
	seep_arena_release(&arena);
	return status;
}

const struct seep_command seep_command_calibrate = {
	.name = "calibrate",
	.summary = "inject a known leak and check that seep measures it correctly",
	.operands_text = "[--] CMD [ARGUMENT]...",
	.operands = SEEP_OPERANDS_COMMAND,
	.examples =
		"  seep calibrate -- ./detector --events 200\n"
		"  seep calibrate --level 10MB --block 5 -- python3 job.py\n\n"
		"Runs CMD as seep run does. From the eleventh event on, each event leaks 0, L or\n"
		"2L bytes through the program's own allocator, in blocks of events in the order\n"
		"0 L 2L 2L L 0. Prints the part of the leak that heap and RSS show (the gain,\n"
		"which should be 1) and the growth of the program itself, with 95 % intervals.\n",
	.notes =
		"The exit status is 0 if both intervals contain 1 and are narrower than 5 %, 1 if\n"
		"one does not contain 1, 125 if there is not enough data or seep failed, 126 if\n"
		"CMD cannot be run or tracked, 127 if it was not found.\n",
	.options = option_table,
	.run = run_calibrate,
};
