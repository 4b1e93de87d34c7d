/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/check/check_baseline.h"
#include "cli/check/check_options.h"
#include "cli/check/check_program.h"
#include "cli/check/check_trace.h"
#include "cli/common/command.h"
#include "cli/common/newest.h"
#include "cli/common/output.h"
#include "render/gate/github.h"
#include "render/gate/junit.h"
#include "render/gate/sarif.h"
#include "render/safe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SEEP_VERSION
#define SEEP_VERSION "unknown"
#endif

#define STATUS_WITHIN 0
#define STATUS_OVER 1

/* All that is open while a trace is judged. */
struct gate {
	const struct seep_check_options *options;
	struct seep_arena arena;
	struct seep_suppressions suppressions;
	struct seep_check_trace_plan plan;
	struct seep_baseline baseline;
	struct seep_estimate before; /* the rate of the baseline, in the unit of the budget */
	struct seep_check_trace trace;
	struct seep_view view;
	struct seep_check check;
};

/* Everything that can fail before the program has run for an hour. */
static int prepare(struct gate *gate, struct seep_err *err)
{
	const struct seep_check_options *options = gate->options;
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
	gate->plan = (struct seep_check_trace_plan){
		.analysis = {
			.import = &options->import,
			.material_bytes = options->material_bytes,
		},
		.suppressions = &gate->suppressions,
		.suspects = options->strict,
	};
	if (!rc && options->baseline)
		rc = seep_baseline_read(&gate->baseline, options->baseline, &gate->plan,
					&gate->arena, err);
	seep_suppress_reset(&gate->suppressions);
	return rc;
}

/* What is written must not take the place of what is read, nor of the other file. */
static int check_outputs(const struct seep_check_options *options, struct seep_err *err)
{
	const char *paths[] = { options->junit, options->sarif };
	const struct {
		const char *path, *what;
	} others[] = {
		{ options->path, "the trace" }, { options->program.output, "the trace" },
		{ options->baseline, "the baseline" }, { options->suppress, "the suppressions" },
	};
	int rc = seep_output_check_other(paths[1], paths[0], "the file that --junit writes", err);

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
	const struct seep_run *run = &gate->trace.analysis.run;
	const char *name = gate->options->program.command ? gate->options->program.command[0] : "";

	if (!gate->options->program.command || gate->options->ignore_status || !run->has_exit)
		return 0;
	if (run->exit_signal)
		return seep_err_set(err, ECANCELED, "'%.200s' was killed by signal %d (%s), so the "
				    "run was not judged; use --ignore-status to judge it anyway",
				    name,
				    run->exit_signal, strsignal(run->exit_signal));
	if (run->exit_code)
		return seep_err_set(err, ECANCELED, "'%.200s' exited with status %d, so the run "
				    "was not judged; use --ignore-status to judge it anyway", name,
				    run->exit_code);
	return 0;
}

static int scale_baseline(struct gate *gate, struct seep_err *err)
{
	const struct seep_baseline *baseline = &gate->baseline;
	bool slices = seep_run_has_slices(&gate->trace.analysis.run);

	if (baseline->slices != slices)
		return seep_err_set(err, EINVAL, "the baseline '%.200s' was judged by %s, but "
				    "'%.150s' by %s; they cannot be compared", baseline->path,
				    baseline->slices ? "time" : "its events",
				    gate->trace.analysis.run.path, slices ? "time" : "its events");
	if (baseline->events < (double)gate->options->min_events)
		return seep_err_set(err, EINVAL, "the baseline '%.200s' has only %.0f events; at "
				    "least %zu are needed (--min-events)", baseline->path,
				    baseline->events, gate->options->min_events);
	gate->before = seep_budget_scaled(&baseline->bytes_per_event,
					  gate->check.budget.per_second ? baseline->events_per_s
									: 1);
	gate->check.baseline = &gate->before;
	gate->check.baseline_name = baseline->path;
	return 0;
}

/* Finds the sites that did not grow in the baseline, if both know their sites. */
static void find_new(struct gate *gate, struct seep_budget_question *question)
{
	struct seep_baseline *baseline = &gate->baseline;
	struct seep_compare_side side = { &baseline->known.run, &baseline->known.verdict,
					  baseline->no_builds };
	double scales[] = { question->budget.per_second ? baseline->events_per_s : 1,
			    seep_budget_scale(&question->budget, question->run,
					      question->verdict) };

	if (side.run->has_heap && question->run->has_heap && scales[0] > 0 && scales[1] > 0)
		seep_check_new_find(&gate->trace, &gate->suppressions, &side, scales, question);
}

/* New sites, and those that keep more than they did, are to blame; or else all of them. */
static void blame(struct gate *gate)
{
	struct seep_check_trace *trace = &gate->trace;
	double scale = gate->check.answer.scale;
	const struct seep_estimate *beyond = &gate->check.answer.beyond;
	bool over = gate->check.answer.outcome == SEEP_BUDGET_OVER, any = false;
	bool by_total = beyond->known && beyond->low > gate->check.budget.bytes;

	for (size_t i = 0; i < trace->n_findings; i++) {
		struct seep_finding *finding = &trace->findings[i];

		finding->accused = over && !finding->suppressed &&
				  (!gate->check.baseline || finding->fails ||
				   (by_total && finding->rose));
		any = any || finding->accused;
		finding->rate = seep_budget_scaled(&finding->rate, scale > 0 ? scale : 1);
	}
	for (size_t i = 0; i < trace->n_findings && over && !any; i++)
		trace->findings[i].accused = !trace->findings[i].suppressed;
}

/* Those of the baseline are known; their rates are left out, being no part of the budget. */
static void keep_new_suspects(struct gate *gate)
{
	struct seep_check_trace *trace = &gate->trace;
	size_t kept = 0;

	for (size_t i = 0; i < trace->n_suspects; i++)
		if (!gate->check.baseline ||
		    !seep_baseline_knows(&gate->baseline, &trace->suspects[i].fingerprint))
			trace->suspects[kept++] = trace->suspects[i];
	for (size_t i = 0; i < kept; i++)
		trace->suspects[i].is_new = gate->check.baseline;
	trace->suspects_total -= trace->n_suspects - kept;
	trace->n_suspects = kept;
}

static int judge(struct gate *gate, struct seep_err *err)
{
	const struct seep_check_options *options = gate->options;
	struct seep_check *check = &gate->check;
	struct seep_budget_question question = {
		.run = &gate->trace.analysis.run,
		.verdict = &gate->trace.verdict,
		.min_events = (int64_t)options->min_events,
	};

	gate->view = seep_analysis_view(&gate->trace.analysis, stdout);
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
	if (check->baseline)
		find_new(gate, &question);
	seep_budget_judge(&check->answer, &question, &gate->trace.analysis.arena);
	blame(gate);
	keep_new_suspects(gate);
	check->strict = options->strict;
	check->suspects = gate->trace.suspects;
	check->n_suspects = gate->trace.n_suspects;
	check->suspects_total = gate->trace.suspects_total;
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
		if (!strcmp(name, shells[i]) && !seep_run_has_marks(gate->view.run))
			fprintf(stderr, "seep: warning: %s itself was judged, not the programs "
				"that it starts; start the one that matters with exec\n", name);
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

	if (seep_check_trace_open(&gate->trace, path, &gate->plan, err)) {
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
	struct seep_check_options options;
	struct gate gate = { .options = &options };
	int status = seep_check_options_parse(&options, argc, argv, err);

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
	seep_baseline_release(&gate.baseline);
	seep_arena_release(&gate.arena);
	return status;
}

const struct seep_command seep_command_check = {
	.name = "check",
	.summary = "fail if memory grows by more than a budget; for CI and git bisect",
	.operands_text = "[FILE | -- CMD [ARGUMENT]...]",
	.operands = SEEP_OPERANDS_FILE_OR_COMMAND,
	.examples =
		"  seep check --budget 1kB/event -- ./job --events 200\n"
		"  seep check --budget 0 --suppress known.txt --junit seep.xml job.seep\n"
		"  seep check --baseline main.seep -- ./job\n"
		"  git bisect run seep check --budget 64kB/event -- ./job\n",
	.notes =
		"The exit status is 0 if the run is within the budget, 1 if it is over, and 125\n"
		"if seep cannot tell. It is also 125 for usage errors, an unreadable trace, or a\n"
		"CMD that fails.\n",
	.options = seep_check_option_table,
	.run = run_check,
};
