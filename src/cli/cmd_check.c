/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/check_baseline.h"
#include "cli/check_program.h"
#include "cli/check_trace.h"
#include "cli/command.h"
#include "cli/newest.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/self.h"
#include "import/import.h"
#include "render/github.h"
#include "render/junit.h"
#include "render/safe.h"
#include "render/sarif.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SEEP_VERSION
#define SEEP_VERSION "unknown"
#endif

#define STATUS_WITHIN 0
#define STATUS_OVER 1
#define EVENTS_LEAST 10          /* fewer say little; --min-events may ask for less */
#define RUN_OPTIONS_MOST 32

struct check_options {
	bool has_budget;
	struct seep_budget budget;
	size_t min_events;
	const char *baseline, *suppress;
	bool strict_suppressions, ignore_status, github;
	const char *junit, *sarif;
	const char *root;        /* of the sources */
	char *path;              /* of a trace, or NULL */
	struct seep_check_program program; /* its command is NULL if there is a trace */
	char *run_options[RUN_OPTIONS_MOST];
	struct seep_import_options import;
};

/* All that is open while a trace is judged. */
struct gate {
	const struct check_options *options;
	struct seep_arena arena;
	struct seep_suppressions suppressions;
	struct seep_baseline baseline;
	struct seep_estimate before; /* the rate of the baseline, in the unit of the budget */
	struct seep_check_trace trace;
	struct seep_view view;
	struct seep_check check;
};

static const struct option long_options[] = {
	{ "budget", required_argument, NULL, 'b' },
	{ "baseline", required_argument, NULL, 'B' },
	{ "suppress", required_argument, NULL, 's' },
	{ "strict-suppressions", no_argument, NULL, 'S' },
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
static int pass_on(int c, struct check_options *options, struct seep_err *err)
{
	static char event[] = "--event", sample[] = "--sample", overhead[] = "--max-overhead";
	static char force[] = "-f", pools[] = "--keep-pools";
	struct seep_check_program *program = &options->program;

	if (program->n_options + 2 > RUN_OPTIONS_MOST)
		return seep_err_set(err, E2BIG, "there are too many options");
	program->options = options->run_options;
	program->options[program->n_options++] = c == 'e' ? event : c == 'a' ? sample :
						 c == 'm' ? overhead : c == 'f' ? force : pools;
	if (c == 'e' || c == 'a' || c == 'm')
		program->options[program->n_options++] = optarg;
	return 0;
}

static int take_file(int c, struct check_options *options)
{
	const char **files[] = { &options->baseline, &options->suppress, &options->junit,
				 &options->sarif, &options->root, &options->program.output };

	*files[strchr("BsJRro", c) - "BsJRro"] = optarg;
	return 0;
}

static int take_option(int c, char **argv, struct check_options *options, struct seep_err *err)
{
	switch (c) {
	case 'b':
		options->has_budget = true;
		return seep_options_budget("--budget", optarg, &options->budget, err);
	case 'n':
		return seep_options_count(optarg, "number of events", &options->min_events, err);
	case 'u':
		return seep_options_unit(optarg, &options->import.unit_bytes, err);
	case 'S': case 'G': case 'i':
		*(c == 'S' ? &options->strict_suppressions : c == 'G' ? &options->github :
		  &options->ignore_status) = true;
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
static int split_command(int argc, char **argv, struct check_options *options)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		options->program.command = argv + i + 1;
		return i;
	}
	return argc;
}

static int check_usage(int argc, char **argv, const struct check_options *options,
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

static int parse(int argc, char **argv, struct check_options *options, struct seep_err *err)
{
	int c;

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

/* Everything that can fail before the program has run for an hour. */
static int prepare(struct gate *gate, struct seep_err *err)
{
	const struct check_options *options = gate->options;
	int rc = 0;

	if (options->junit)
		rc = seep_output_check(options->junit, err);
	if (!rc && options->sarif)
		rc = seep_output_check(options->sarif, err);
	if (!rc && options->root && access(options->root, X_OK))
		rc = seep_err_set(err, errno, "--source-root: there is no directory '%.200s'",
				  options->root);
	if (!rc && options->suppress)
		rc = seep_suppress_read(&gate->suppressions, options->suppress, &gate->arena, err);
	if (!rc && options->baseline)
		rc = seep_baseline_read(&gate->baseline, options->baseline, &options->import,
					&gate->suppressions, &gate->arena, err);
	seep_suppress_reset(&gate->suppressions);
	return rc;
}

/* What is written must not take the place of what is read, nor of the other file. */
static int check_outputs(const struct check_options *options, struct seep_err *err)
{
	const char *paths[] = { options->junit, options->sarif };
	const struct {
		const char *path, *what;
	} others[] = {
		{ options->path, "the trace" }, { options->program.output, "the trace" },
		{ options->baseline, "the baseline" }, { options->suppress, "the suppressions" },
	};
	int rc = seep_output_check_other(paths[1], paths[0], "what --junit writes", err);

	for (size_t i = 0; i < 2 * sizeof(others) / sizeof(others[0]) && !rc; i++)
		rc = seep_output_check_other(paths[i % 2], others[i / 2].path, others[i / 2].what,
					     err);
	return rc;
}

/* The directory that holds .git, from here upwards; else this one.  NULL if it has no name. */
static const char *find_root(struct gate *gate)
{
	const char *given = gate->options->root ? gate->options->root : ".";
	char *here = realpath(given, NULL), *end;
	const char *root = here ? seep_arena_copy(&gate->arena, here, strlen(here)) : NULL;

	while (here && !gate->options->root && *here) {
		if (!access(seep_arena_printf(&gate->arena, "%s/.git", here), F_OK)) {
			root = seep_arena_copy(&gate->arena, here, strlen(here));
			break;
		}
		end = strrchr(here, '/');
		*end = 0;
	}
	free(here);
	return root;
}

/* A run that went wrong is not the one that should have been judged. */
static int check_status(const struct gate *gate, struct seep_err *err)
{
	const struct seep_run *run = &gate->trace.study.run;
	const char *name = gate->options->program.command ? gate->options->program.command[0] : "";

	if (!gate->options->program.command || gate->options->ignore_status || !run->has_exit)
		return 0;
	if (run->exit_signal)
		return seep_err_set(err, ECANCELED, "'%.200s' was ended by signal %d (%s), so "
				    "nothing was judged; --ignore-status judges all the same", name,
				    run->exit_signal, strsignal(run->exit_signal));
	if (run->exit_code)
		return seep_err_set(err, ECANCELED, "'%.200s' ended with status %d, so nothing was "
				    "judged; --ignore-status judges all the same", name,
				    run->exit_code);
	return 0;
}

static int scale_baseline(struct gate *gate, struct seep_err *err)
{
	const struct seep_baseline *baseline = &gate->baseline;
	bool slices = !strcmp(gate->trace.study.run.event_source, "time");

	if (baseline->slices != slices)
		return seep_err_set(err, EINVAL, "the events of the baseline '%.200s' are %s, and "
				    "those of '%.150s' are %s; they cannot be compared",
				    baseline->path, baseline->slices ? "time slices" : "marked",
				    gate->trace.study.run.path, slices ? "time slices" : "marked");
	if (baseline->events < (double)gate->options->min_events)
		return seep_err_set(err, EINVAL, "the baseline '%.200s' has only %.0f events; %zu "
				    "are wanted (--min-events)", baseline->path, baseline->events,
				    gate->options->min_events);
	gate->before = seep_budget_scaled(&baseline->bytes_per_event,
					  gate->check.budget.per_second ? baseline->events_per_s
									: 1);
	gate->check.baseline = &gate->before;
	gate->check.baseline_name = baseline->path;
	return 0;
}

/* New sites, and those that keep more than they did, are to blame; or else all of them. */
static void blame(struct gate *gate)
{
	struct seep_check_trace *trace = &gate->trace;
	double scale = gate->check.answer.scale;
	bool over = gate->check.answer.outcome == SEEP_BUDGET_OVER, any = false;

	for (size_t i = 0; i < trace->n_findings; i++) {
		struct seep_finding *finding = &trace->findings[i];
		const struct seep_baseline_site *site = NULL;
		struct seep_estimate more = finding->rate;

		if (gate->check.baseline)
			site = seep_baseline_find(&gate->baseline, &finding->fingerprint);
		if (site)
			more = seep_budget_subtract(&finding->rate, &site->bytes_per_event);
		finding->is_new = gate->check.baseline && !site && !finding->suppressed;
		finding->blamed = over && !finding->suppressed && (!site || more.low > 0);
		any = any || finding->blamed;
		finding->rate = seep_budget_scaled(&finding->rate, scale > 0 ? scale : 1);
	}
	for (size_t i = 0; i < trace->n_findings && over && !any; i++)
		trace->findings[i].blamed = !trace->findings[i].suppressed;
}

static int judge(struct gate *gate, struct seep_err *err)
{
	const struct check_options *options = gate->options;
	struct seep_check *check = &gate->check;
	struct seep_budget_question question = {
		.run = &gate->trace.study.run,
		.verdict = &gate->trace.verdict,
		.min_events = (int64_t)options->min_events,
	};

	gate->view = seep_study_view(&gate->trace.study, stdout);
	check->view = &gate->view;
	check->verdict = &gate->trace.verdict;
	check->budget = seep_budget_settle(options->budget, question.run);
	check->root = find_root(gate);
	check->version = SEEP_VERSION;
	check->n_unused = seep_suppress_unused(&gate->suppressions);
	check->unused_fail = options->strict_suppressions;
	if (options->baseline && scale_baseline(gate, err))
		return -err->code;
	question.budget = check->budget;
	question.baseline = check->baseline;
	seep_budget_judge(&check->answer, &question, &gate->trace.study.arena);
	blame(gate);
	check->findings = gate->trace.findings;
	check->n_findings = gate->trace.n_findings;
	check->keeps_trace = !options->program.temporary ||
			     seep_check_outcome(check) != SEEP_BUDGET_WITHIN;
	return 0;
}

/* Both files, or none. */
static int write_files(const struct gate *gate, struct seep_err *err)
{
	struct seep_output *outputs = calloc(2, sizeof(*outputs));
	const char *paths[] = { gate->options->junit, gate->options->sarif };
	int rc = outputs ? 0 : seep_err_set(err, ENOMEM, "out of memory");

	for (size_t i = 0; i < 2 && !rc; i++) {
		if (!paths[i])
			continue;
		rc = seep_output_open(&outputs[i], paths[i], err);
		if (rc)
			break;
		if (!i)
			seep_junit_write(outputs[i].out, &gate->check);
		else
			seep_sarif_write(outputs[i].out, &gate->check);
		rc = seep_output_finish(&outputs[i], err);
	}
	for (size_t i = 0; i < 2 && !rc; i++)
		if (paths[i])
			rc = seep_output_commit(&outputs[i], err);
	for (size_t i = 0; i < 2 && outputs; i++)
		seep_output_abandon(&outputs[i]);
	free(outputs);
	return rc;
}

static void warn_of_unused(const struct gate *gate)
{
	const struct seep_suppressions *list = &gate->suppressions;

	for (size_t i = 0; i < list->n; i++)
		if (!list->items[i].sites)
			fprintf(stderr, "seep: warning: %s:%zu: the suppression '%s' matches no "
				"site that grows\n", seep_safe_text(gate->view.arena, list->path),
				list->items[i].line,
				seep_safe_text(gate->view.arena, list->items[i].pattern));
}

/* A script that starts the program of interest and waits for it is flat in any case. */
static void warn_of_shell(const struct gate *gate)
{
	static const char *const shells[] = { "sh", "dash", "bash", "ksh", "zsh", "busybox",
					      "make", "gmake", "ninja", "ctest" };
	const char *name = seep_check_program(&gate->check);

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(name, shells[i]) && strcmp(gate->view.run->event_source, "api"))
			fprintf(stderr, "seep: warning: it is %s itself that was judged, and no "
				"program that it starts; exec the one that matters\n", name);
}

static int tell(const struct gate *gate, struct seep_err *err)
{
	static const int statuses[] = {
		[SEEP_BUDGET_WITHIN] = STATUS_WITHIN,
		[SEEP_BUDGET_OVER] = STATUS_OVER,
		[SEEP_BUDGET_OPEN] = SEEP_STATUS_FAILED,
	};

	if (write_files(gate, err))
		return SEEP_STATUS_FAILED;
	seep_check_text(&gate->check);
	if (gate->options->github)
		seep_github_write(stdout, &gate->check);
	fflush(stdout);
	warn_of_unused(gate);
	warn_of_shell(gate);
	return statuses[seep_check_outcome(&gate->check)];
}

/* Somebody who forgot the -- has named a program. */
static void hint_at_command(const char *path, struct seep_err *err)
{
	struct seep_err plain = *err;

	if (access(path, X_OK) || plain.code == ENOENT || plain.code == EISDIR)
		return;
	err->code = 0;
	seep_err_set(err, plain.code, "%.300s; to run it, write -- before it", plain.text);
}

static int judge_trace(struct gate *gate, const char *path, struct seep_err *err)
{
	int status = SEEP_STATUS_FAILED;

	if (seep_check_trace_open(&gate->trace, path, &gate->options->import, &gate->suppressions,
				  err)) {
		if (!gate->options->program.command)
			hint_at_command(path, err);
		return status;
	}
	if (!check_status(gate, err) && !judge(gate, err))
		status = tell(gate, err);
	seep_check_trace_close(&gate->trace);
	return status;
}

static int run_program(struct gate *gate, struct seep_check_program *program,
		       struct seep_err *err)
{
	int status;

	if (seep_check_program_run(program, &gate->arena, err))
		return SEEP_STATUS_FAILED;
	status = judge_trace(gate, program->trace, err);
	if (err->code || !gate->check.keeps_trace)
		seep_check_program_forget(program);
	return status;
}

static int run_check(int argc, char **argv, struct seep_err *err)
{
	struct check_options options = { .min_events = EVENTS_LEAST };
	struct gate gate = { .options = &options };
	int status = parse(argc, argv, &options, err);

	if (status)
		return status;
	seep_arena_init(&gate.arena);
	status = SEEP_STATUS_FAILED;
	if (!prepare(&gate, err)) {
		if (!options.path && !options.program.command)
			options.path = seep_newest_trace(&gate.arena, err);
		if (err->code || check_outputs(&options, err))
			status = SEEP_STATUS_FAILED;
		else if (options.program.command)
			status = run_program(&gate, &options.program, err);
		else
			status = judge_trace(&gate, options.path, err);
	}
	seep_arena_release(&gate.arena);
	return status;
}

const struct seep_command seep_command_check = {
	.name = "check",
	.summary = "fail if the memory grows by more than a budget, for CI and git bisect",
	.usage = "--budget SIZE/event [options] [FILE | -- CMD [ARGUMENT]...]",
	.help =
		"  seep check --budget 1kB/event -- ./job --events 200\n"
		"  seep check --budget 0 --suppress known.txt --junit seep.xml job.seep\n"
		"  seep check --baseline main.seep -- ./job\n"
		"  git bisect run seep check --budget 64kB/event -- ./job\n\n"
		"Options:\n"
		"  -b, --budget SIZE/event  what it may grow by, or SIZE/s; 0: by nothing\n"
		"      --baseline FILE   a trace, or a report as JSON: only more than that counts\n"
		"      --suppress FILE   functions whose sites do not count, one pattern a line\n"
		"      --strict-suppressions  those that match nothing fail\n"
		"      --min-events N    fewer cannot tell (10)\n"
		"      --junit FILE      write the result as JUnit XML\n"
		"      --sarif FILE      ... as SARIF 2.1.0\n"
		"      --github          print annotations for GitHub, too\n"
		"      --source-root DIR files below it are named relative to it (the repository)\n"
		"      --ignore-status   judge also if CMD fails\n"
		"  -u, --unit UNIT       of memory in a FILE that does not tell: KiB, kB, MiB, B\n"
		"For CMD, as in seep run: -o FILE, -f, --event, --keep-pools, --sample,\n"
		"--max-overhead.  Without -o the trace is temporary, and kept unless it passed.\n\n"
		"The status is 0: within the budget, 1: over it, 125: cannot tell, which is also\n"
		"that of wrong usage, of a trace that cannot be read, and of CMD failing.\n",
	.run = run_check,
};
