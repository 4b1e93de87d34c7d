/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cli/common/analysis.h"
#include "cli/common/command.h"
#include "cli/common/install.h"
#include "cli/common/output.h"
#include "cli/common/self.h"
#include "cli/profiler/run_dumps.h"
#include "cli/profiler/run_info.h"
#include "cli/run/run_follow.h"
#include "cli/run/run_lines.h"
#include "cli/run/run_names.h"
#include "cli/run/run_options.h"
#include "cli/run/run_target.h"
#include "render/safe.h"
#include "render/sizes.h"
#include "render/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT_NS (3 * (int64_t)SEEP_RUN_SLICE_NS)
#define CHILDREN_NAMED 3
#define STRAYS_SLICES 10   /* between two looks at untracked descendants */
#define STRAYS_PERIOD_NS 100000000 /* and at least */

static int find_program(struct seep_target *target, const struct seep_run_options *options,
			struct seep_err *err)
{
	const char *name = options->child.argv[0];
	struct seep_err plain = { 0 };
	int rc = seep_target_find(target, name, &plain);

	if (rc == -ENOENT && options->n_typed && !strchr(name, '/') &&
	    !strcmp(options->typed[options->n_typed - 1], "--follow"))
		return seep_err_set(err, ENOENT, "'%.200s' was not found in PATH; if it is the "
				    "name of a program to follow, write --follow=%.200s", name,
				    name);
	if (rc)
		*err = plain;
	return rc;
}

static int status_of_failure(int code)
{
	return code == ENOENT ? SEEP_STATUS_NOT_FOUND : SEEP_STATUS_NOT_EXECUTABLE;
}

static int run_plainly(const struct seep_run_options *options, const char *path,
		       struct seep_err *err)
{
	if (!options->quiet)
		fputs("seep: SEEP_DISABLE is set: running without the tracker\n", stderr);
	execvp(path, options->child.argv);
	seep_err_set(err, errno, "'%.200s' could not be executed: %s", path, strerror(errno));
	return status_of_failure(err->code);
}

static void announce(const struct seep_run_options *options, const struct seep_run_trace *trace)
{
	char pools[128] = "", heap[128] = "exact heap";

	if (options->quiet)
		return;
	if (!options->child.keep_pools)
		seep_child_pools(pools, sizeof(pools));
	if (options->profiler.kind)
		snprintf(heap, sizeof(heap), "heap by %s", seep_profiler_name(&options->profiler));
	else if (options->child.sample_bytes)
		snprintf(heap, sizeof(heap), "heap sampled 1 per %s",
			 seep_size_format((double)options->child.sample_bytes).text);
	fprintf(stderr, "seep: recording to %s (%s, stamps%s%s)\n", trace->name, heap,
		*pools ? "; pools made visible: " : "", pools);
}

/* slices: time slices may stand for events that the program does not mark. */
static void tell_short(const struct seep_view *view, bool slices)
{
	const struct seep_run *run = view->run;
	const char *time = seep_arena_printf(view->arena, "%s",
					     seep_size_duration((double)run->wall_ns / 1e9).text);

	if (slices)
		fprintf(stderr, run->wall_ns < SHORT_NS || !run->has_heap
				? "seep: too short to judge: it ran for %s"
				: "seep: too idle to judge: it ran for %s and hardly allocated",
			time);
	else
		fprintf(stderr, "seep: nothing to judge: the program marked no events in %s, and "
			"with --event api nothing else counts as one", time);
	if (run->has_heap)
		fprintf(stderr, "; %s in %s blocks were live at the end",
			seep_size_format((double)run->live_bytes).text,
			seep_size_count((double)run->live_blocks).text);
	fputc('\n', stderr);
	for (size_t i = 0; i < run->n_notes; i++)
		fprintf(stderr, "  note    %s\n", seep_safe_text(view->arena, run->notes[i]));
}

static void tell_short_next(const struct seep_view *view, bool slices)
{
	fprintf(stderr, "next: %s (seep.h); to see what it held: %s report --all %s\n",
		slices ? "run it longer, or mark its events"
		       : "run it without --event api, or mark its events",
		view->self, seep_view_trace(view));
}

/* The options for a run like this one; it has to replace the trace of this one. */
static const char *repeat_options(const struct seep_run_options *options, struct seep_arena *arena)
{
	const char *text = options->trace.output && !options->trace.replace ? " -f" : "";

	for (size_t i = 0; i < options->n_typed; i++) {
		const char *word = seep_safe_text(arena, options->typed[i]);

		if (strcmp(word, "--"))
			text = seep_arena_printf(arena, "%s %s", text,
						 seep_safe_shell(arena, word));
	}
	return text;
}

/* What to do next: about the program itself, or one that it started. */
static void tell_next(const struct seep_view *view, struct seep_run_follow *follow, bool is_short,
		      bool slices)
{
	const char *elsewhere = NULL;

	if (is_short || !seep_text_has_accused(view))
		elsewhere = seep_run_follow_next(follow, is_short);
	if (elsewhere)
		fprintf(stderr, "%s\n", elsewhere);
	else if (is_short)
		tell_short_next(view, slices);
	else
		seep_text_next(view, false);
}

/* Growth per request says more than growth per second. */
static void propose_events(const struct seep_view *view, const struct seep_run_options *options,
			   bool is_short)
{
	if (!options->trace.event.typed && !options->child.follow &&
	    (is_short || view->verdict->kind != SEEP_KIND_FLAT))
		seep_text_propose(view);
}

/* The verdict on the program itself, then on those it started. */
static void tell_verdict(const struct seep_run_options *options, const struct seep_run_trace *trace,
			 struct seep_analysis *analysis)
{
	struct seep_run_follow follow = { .n = 0 };
	struct seep_view view = seep_analysis_view(analysis, stderr);
	bool is_short = seep_analysis_is_short(analysis);
	bool slices = options->trace.event.ticks != SEEP_TICKS_OFF;

	view.run_options = repeat_options(options, &analysis->arena);
	if (options->child.follow || is_short || !seep_text_has_accused(&view))
		seep_run_follow_judge(&follow, trace->name, trace->started_real_ns,
				      options->material_bytes);
	if (is_short) {
		tell_short(&view, slices);
	} else {
		seep_analysis_resolve_text(analysis, false);
		seep_text_evidence(&view, false);
	}
	if (options->child.follow) {
		seep_run_follow_tell(&follow, trace);
		seep_strays_tell(&options->strays);
	}
	tell_next(&view, &follow, is_short, slices);
	propose_events(&view, options, is_short);
	seep_run_follow_release(&follow);
}

/* Tells the verdict, unless silent; then puts the names of functions into the trace. */
static void judge(const struct seep_run_options *options, const struct seep_run_trace *trace,
		  bool silent, struct seep_err *err)
{
	const struct seep_analysis_options how = { .material_bytes = options->material_bytes };
	const char *path = trace->name;
	struct seep_stored_names names;
	struct seep_analysis analysis;
	struct seep_err ignored = { 0 };
	bool stores = !seep_stored_names_open(&names, path, &ignored);

	if (!seep_analysis_open_as(&analysis, &path, 1, &how, silent ? &ignored : err)) {
		if (!silent)
			tell_verdict(options, trace, &analysis);
		if (stores)
			seep_run_names_add(&names, &analysis);
		seep_analysis_close(&analysis);
	}
	if (stores)
		seep_stored_names_close(&names);
	seep_run_names_store_children(trace);
}

/* What the dumps say, as one series. */
static void tell_dumps(const struct seep_run_options *options, const struct seep_run_dumps *dumps,
		       const struct seep_run_dumps_of *run, struct seep_arena *arena,
		       struct seep_err *err)
{
	const char **paths = seep_arena_array(arena, dumps->n + 1, sizeof(*paths));
	const char *folder = seep_run_dumps_folder(run, arena);
	const struct seep_analysis_options how = { .material_bytes = options->material_bytes };
	struct seep_analysis analysis;
	struct seep_view view;

	paths[0] = folder;
	for (size_t i = 0; !folder && i < dumps->n; i++)
		paths[i] = dumps->items[i].path;
	seep_run_dumps_tell(dumps, run, arena);
	if (!dumps->n || seep_analysis_open_as(&analysis, paths, folder ? 1 : dumps->n, &how, err))
		return;
	view = seep_analysis_view(&analysis, stderr);
	view.run_options = repeat_options(options, &analysis.arena);
	seep_analysis_resolve_text(&analysis, false);
	seep_text_evidence(&view, false);
	seep_text_next(&view, false);
	seep_analysis_close(&analysis);
}

static void tell_signal(int number)
{
	const char *name = sigabbrev_np(number);

	if (name)
		fprintf(stderr, "seep: the program was killed by SIG%s (%s)\n", name,
			strsignal(number));
	else
		fprintf(stderr, "seep: the program was killed by signal %d\n", number);
}

static void tell_children(const struct seep_run_trace *trace)
{
	struct seep_run_children children;

	seep_run_trace_children(trace->name, trace->started_real_ns, &children);
	if (!children.n)
		return;
	fprintf(stderr, "seep: %zu child process%s wrote %s: ", children.n,
		children.n == 1 ? "" : "es",
		children.n == 1 ? "a trace of its own" : "traces of their own");
	for (size_t i = 0; i < children.n && i < CHILDREN_NAMED; i++)
		fprintf(stderr, "%s%s.%" PRIu64, i ? ", " : "", trace->name, children.pids[i]);
	if (children.n > CHILDREN_NAMED)
		fprintf(stderr, " and %zu more", children.n - CHILDREN_NAMED);
	fputc('\n', stderr);
}

/* Whether there is something to be judged; what is said of any program that has ended. */
static bool tell_end(const struct seep_run_options *options, const struct seep_run_trace *trace,
		     enum seep_trace_state state, int wait_status, struct seep_err *err)
{
	if (state == SEEP_TRACE_CREATED) {
		seep_err_set(err, ENOEXEC, "the tracker did not start in '%.200s' (%s); for "
			     "details, run: %.100s doctor %.100s", options->child.argv[0],
			     WIFSIGNALED(wait_status) ? "it was killed too early"
						      : "the loader rejected it, a seccomp filter "
							"was installed before it, or it never ran",
			     seep_self(), options->child.argv[0]);
		return false;
	}
	if (trace->lost) {
		seep_run_trace_refuse(trace, err);
		return false;
	}
	if (options->quiet)
		return false;
	if (WIFSIGNALED(wait_status))
		tell_signal(WTERMSIG(wait_status));
	if (!options->child.follow)
		tell_children(trace);
	return true;
}

/* Places for the dumps, and the first words about the run, before it begins. */
static int prepare(struct seep_run_options *options, const struct seep_run_trace *trace,
		   struct seep_run_info *info, struct seep_err *err)
{
	struct seep_profiler *profiler = &options->profiler;
	int rc = 0;

	if (profiler->kind)
		rc = seep_profiler_place(profiler, trace->path, err);
	if (!rc && profiler->kind)
		rc = seep_profiler_make_folder(profiler, options->trace.replace, err);
	info->trace = trace->path;
	if (!rc && info->path)
		rc = seep_run_info_write(info, err);
	return rc;
}

/* The program has ended; its dumps are there. */
static void conclude(struct seep_run_options *options, const struct seep_run_trace *trace,
		     enum seep_trace_state state, struct seep_run_info *info, struct seep_err *err)
{
	struct seep_run_dumps_of run = {
		.profiler = &options->profiler, .trace = trace->name,
		.pid = info->pid, .events = trace->events,
		.started_real_ns = trace->started_real_ns, .ended = WIFEXITED(info->status),
	};
	struct seep_run_dumps dumps = { .n = 0 };
	struct seep_arena arena;
	bool tells;

	seep_arena_init(&arena);
	if (options->profiler.kind)
		seep_run_dumps_find(&dumps, &run, &arena);
	info->ended = true;
	info->dumps = &dumps;
	if (info->path)
		seep_run_info_write(info, err);
	if (state != SEEP_TRACE_CREATED && !trace->lost)
		seep_run_opticks_write(&options->opticks, trace->path, options->quiet, err);
	tells = tell_end(options, trace, state, info->status, err);
	if (tells && options->child.lines)
		seep_run_lines_tell(options->child.lines, &arena);
	if (tells && options->profiler.kind)
		tell_dumps(options, &dumps, &run, &arena, err);
	else if (!options->profiler.kind && state != SEEP_TRACE_CREATED && !trace->lost)
		judge(options, trace, !tells, err);
	seep_profiler_drop_folder(&options->profiler);
	seep_arena_release(&arena);
}

/* Lets the program run, and waits until it and its output have ended.  Returns 0 or our status. */
static int run_child(struct seep_run_options *options, struct seep_child *child,
		     struct seep_run_trace *trace, struct seep_err *err)
{
	struct seep_lines *lines = options->child.lines ? &options->lines : NULL;

	if (lines && seep_lines_start(lines, trace->told, err)) {
		seep_child_cancel(child);
		return SEEP_STATUS_FAILED;
	}
	if (seep_child_release(child, options->child.path, trace, err)) {
		if (lines)
			seep_lines_finish(lines);
		return status_of_failure(err->code);
	}
	seep_child_wait(child, trace, !options->quiet, &options->strays);
	if (lines)
		seep_lines_finish(lines);
	return 0;
}

static int run_tracked(struct seep_run_options *options, struct seep_run_info *info,
		       struct seep_err *err)
{
	struct seep_run_trace *trace = calloc(1, sizeof(*trace));
	struct seep_child child;
	struct seep_arena arena; /* of the notes */
	enum seep_trace_state state;
	int status = SEEP_STATUS_FAILED;

	seep_arena_init(&arena);
	if (!trace || seep_child_fork(&child, &options->child, err))
		goto out;
	if (seep_run_trace_create(trace, &options->trace, child.pid, err)) {
		seep_child_cancel(&child);
		goto out;
	}
	info->pid = child.pid;
	if (prepare(options, trace, info, err)) {
		seep_child_cancel(&child);
		seep_run_trace_discard(trace);
		goto out;
	}
	announce(options, trace);
	seep_run_trace_share(trace);
	status = run_child(options, &child, trace, err);
	if (status) {
		seep_run_trace_discard(trace);
		seep_profiler_drop_folder(&options->profiler);
		goto out;
	}
	if (options->child.lines)
		seep_run_lines_note(&options->lines, trace, &arena);
	info->status = child.status;
	state = seep_run_trace_finish(trace, child.status, &child.samples);
	seep_run_samples_release(&child.samples);
	conclude(options, trace, state, info, err);
	status = WIFSIGNALED(child.status) ? 128 + WTERMSIG(child.status)
					   : WEXITSTATUS(child.status);
out:
	seep_arena_release(&arena);
	free(trace);
	return status;
}

/* What could fail, asked before anything is started. */
static int check_outputs(struct seep_run_options *options, struct seep_err *err)
{
	if (options->run_info &&
	    (seep_output_check(options->run_info, err) ||
	     seep_output_check_other(options->run_info, options->trace.output, "the trace", err)))
		return -err->code;
	if (seep_run_opticks_plan(&options->opticks, err))
		return -err->code;
	if (options->profiler.kind && seep_profiler_prepare(&options->profiler, err))
		return -err->code;
	return seep_run_trace_check(&options->trace, err);
}

static int run_run(int argc, char **argv, struct seep_err *err)
{
	struct seep_run_options options;
	struct seep_run_info info = { .path = NULL };
	struct seep_target target;
	struct seep_arena arena;
	char library[PATH_MAX];
	int status = seep_run_options_parse(&options, argc, argv, err);

	if (status)
		return status;
	if (find_program(&target, &options, err))
		return status_of_failure(err->code);
	if (seep_child_is_disabled())
		return run_plainly(&options, target.path, err);
	if (seep_install_tracker(library, err))
		return SEEP_STATUS_FAILED;
	if (seep_target_inspect(&target, err))
		return SEEP_STATUS_NOT_EXECUTABLE;
	if (check_outputs(&options, err))
		return SEEP_STATUS_FAILED;
	seep_arena_init(&arena);
	if (seep_run_entry_plan(target.binary, &options.trace.event, &options.stamps,
				&options.pools, &arena, &options.child.entries, err)) {
		seep_arena_release(&arena);
		return SEEP_STATUS_FAILED;
	}
	info.path = options.run_info;
	info.exe = target.binary;
	options.trace.exe = target.path;
	options.child.path = target.path;
	options.child.library = library;
	options.strays.names = options.child.follow;
	options.strays.library = library;
	options.strays.period_ns = STRAYS_SLICES * options.trace.event.tick_ns;
	if (options.strays.period_ns < STRAYS_PERIOD_NS)
		options.strays.period_ns = STRAYS_PERIOD_NS;
	if (!seep_run_lines_open(&options.lines, &options.child, &options.trace.event, err))
		status = run_tracked(&options, &info, err);
	else
		status = SEEP_STATUS_FAILED;
	if (options.child.lines)
		seep_lines_close(&options.lines);
	seep_arena_release(&arena);
	return status;
}

const struct seep_command seep_command_run = {
	.name = "run",
	.summary = "run a program with the tracker, then print the verdict",
	.operands_text = "[--] CMD [ARGUMENT]...",
	.operands = SEEP_OPERANDS_COMMAND,
	.examples =
		"  seep run -- ./detector --events 200\n"
		"  seep run -o before.seep -- python3 job.py\n"
		"  seep run --event time:1s --limit 2GiB -- ./server\n",
	.notes =
		"Sizes: 64kB or 64K is 64000 bytes, 64KiB is 65536; likewise with M, G and T.\n\n"
		"The exit status is that of CMD, or 128 + n if signal n ended it; 125 if seep\n"
		"failed, 126 if CMD cannot be run or tracked, 127 if it was not found. Messages\n"
		"from seep go to standard error. With SEEP_DISABLE=1 in the environment, CMD\n"
		"runs without the tracker.\n",
	.options = seep_run_option_table,
	.run = run_run,
};
