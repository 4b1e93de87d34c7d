/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cli/command.h"
#include "cli/install.h"
#include "cli/options.h"
#include "cli/run_child.h"
#include "cli/run_follow.h"
#include "cli/run_strays.h"
#include "cli/run_target.h"
#include "cli/run_trace.h"
#include "cli/self.h"
#include "cli/study.h"
#include "os/limit_tool.h"
#include "render/safe.h"
#include "render/sizes.h"
#include "render/text.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLICE_NS 100000000 /* unless --event time:... says otherwise */
#define SHORT_NS (3 * (int64_t)SLICE_NS)
#define CHILDREN_NAMED 3
#define OVERHEAD_LEAST 1000000
#define STRAYS_SLICES 10   /* between two looks at untracked descendants */
#define STRAYS_PERIOD_NS 100000000 /* and at least */

struct run_options {
	struct seep_run_trace_plan trace;
	struct seep_child_plan child;
	struct seep_strays strays;
	bool quiet;
	const char *max_overhead; /* a size, or a part of the memory there is; NULL: not given */
	char **typed;            /* the options as the user wrote them */
	size_t n_typed;
};

static int parse_follow(const char *names, struct run_options *options, struct seep_err *err)
{
	if (names && (!*names || strchr(names, '/')))
		return seep_err_set(err, EINVAL, "--follow takes names of programs without their "
				    "directories, such as --follow=worker,python3*");
	options->child.follow = names ? names : "*";
	options->trace.follow_max = SEEP_FOLLOW_MAX;
	return 0;
}

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, 'f' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "event", required_argument, NULL, 'e' },
	{ "keep-pools", no_argument, NULL, 'k' },
	{ "limit", required_argument, NULL, 'l' },
	{ "follow", optional_argument, NULL, 'F' },
	{ "sample", required_argument, NULL, 's' },
	{ "max-overhead", required_argument, NULL, 'm' },
	{ "probe-event", required_argument, NULL, 'p' },
	{ "no-probe", no_argument, NULL, 'P' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_option(int c, char **argv, struct run_options *options, struct seep_err *err)
{
	switch (c) {
	case 'o':
		options->trace.output = optarg;
		return 0;
	case 'f':
		options->trace.replace = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case 'e':
		return seep_options_event(optarg, &options->trace.ticks, &options->trace.tick_ns,
					  err);
	case 'k':
		options->child.keep_pools = true;
		return 0;
	case 'F':
		return parse_follow(optarg, options, err);
	case 'l':
		return seep_options_size("--limit", optarg, "500MB or 2GiB",
					 &options->trace.limit_bytes, err);
	case 's':
		return seep_options_size("--sample", optarg, "64kB or 512kB",
					 &options->child.sample_bytes, err);
	case 'm':
		options->max_overhead = optarg;
		return 0;
	case 'p':
		return seep_options_count(optarg, "number of an event",
					  &options->child.probe_event, err);
	case 'P':
		options->child.no_probe = true;
		return 0;
	default:
		return seep_options_refuse(c, argv, long_options, err);
	}
}

/* Stops at the first word that is no option: the rest is the command's. */
static int parse(int argc, char **argv, struct run_options *options, struct seep_err *err)
{
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, "+:o:fqe:h", long_options, NULL)) != -1) {
		if (c == 'h')
			return SEEP_STATUS_HELP;
		if (take_option(c, argv, options, err))
			return SEEP_STATUS_FAILED;
	}
	if (options->child.probe_event && options->child.no_probe) {
		seep_err_set(err, EINVAL, "--probe-event and --no-probe exclude each other");
		return SEEP_STATUS_FAILED;
	}
	if (optind == argc) {
		seep_err_set(err, EINVAL, "what shall be run?  For example: %.200s run -- "
			     "./program", seep_self());
		return SEEP_STATUS_FAILED;
	}
	options->trace.command = argv + optind;
	options->child.argv = argv + optind;
	options->typed = argv + 1;
	options->n_typed = (size_t)optind - 1;
	return 0;
}

/* The memory at which the program would end; what the tracker takes brings it nearer. */
static int64_t find_memory(const struct run_options *options)
{
	struct seep_limit_found found;
	int64_t given = options->trace.limit_bytes;

	if (!seep_limit_find("", 0, &found, 1))
		return given;
	return given && given < seep_limit_left(&found) ? given : seep_limit_left(&found);
}

/* A part of little memory is not refused unless it was asked for. */
static int find_ceiling(struct run_options *options, struct seep_err *err)
{
	const char *text = options->max_overhead ? options->max_overhead : "10%";
	int64_t memory = find_memory(options), *bytes = &options->child.overhead_bytes;
	int rc = seep_options_share("--max-overhead", text, memory, bytes, err);

	if (rc || *bytes >= OVERHEAD_LEAST || (!*bytes && !memory))
		return rc;
	if (options->max_overhead)
		return seep_err_set(err, EINVAL, "--max-overhead: '%.100s' is too little; the "
				    "tracker needs %s at least", text,
				    seep_size_format(OVERHEAD_LEAST).text);
	*bytes = OVERHEAD_LEAST;
	return 0;
}

static int find_program(struct seep_target *target, const struct run_options *options,
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

static int run_plainly(const struct run_options *options, const char *path, struct seep_err *err)
{
	if (!options->quiet)
		fputs("seep: SEEP_DISABLE is set: running without the tracker\n", stderr);
	execvp(path, options->child.argv);
	seep_err_set(err, errno, "'%.200s' could not be executed: %s", path, strerror(errno));
	return status_of_failure(err->code);
}

static void announce(const struct run_options *options, const struct seep_run_trace *trace)
{
	char pools[128] = "", heap[128] = "exact heap";

	if (options->quiet)
		return;
	if (!options->child.keep_pools)
		seep_child_pools(pools, sizeof(pools));
	if (options->child.sample_bytes)
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
		fprintf(stderr, "seep: too %s to judge: %s, %zu time slice%s with allocations",
			run->wall_ns < SHORT_NS ? "short" : "idle", time, run->n_events,
			run->n_events == 1 ? "" : "s");
	else
		fprintf(stderr, "seep: nothing to judge: the program marked no event in %s, and "
			"--event api takes nothing else for one", time);
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
	fprintf(stderr, "next: %s (seep.h); what it held: %s report --all %s\n",
		slices ? "run it longer, or mark its events"
		       : "run it without --event api, or mark its events",
		view->self, seep_view_trace(view));
}

/* The options for a run like this one; it has to replace the trace of this one. */
static const char *repeat_options(const struct run_options *options, struct seep_arena *arena)
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

/* What to do next: whoever is guilty, the program itself or one that it started. */
static void tell_next(const struct seep_view *view, struct seep_run_follow *follow, bool is_short,
		      bool slices)
{
	const char *elsewhere = NULL;

	if (is_short || !seep_text_has_culprit(view))
		elsewhere = seep_run_follow_next(follow, is_short);
	if (elsewhere)
		fprintf(stderr, "%s\n", elsewhere);
	else if (is_short)
		tell_short_next(view, slices);
	else
		seep_text_next(view);
}

/* The verdict on the program itself, then on those it started. */
static void tell_verdict(const struct run_options *options, const struct seep_run_trace *trace,
			 struct seep_err *err)
{
	struct seep_run_follow follow = { .n = 0 };
	struct seep_study study;
	struct seep_view view;
	bool is_short, slices = options->trace.ticks != SEEP_TICKS_OFF;

	if (seep_study_open(&study, trace->name, err))
		return;
	view = seep_study_view(&study, stderr);
	view.run_options = repeat_options(options, &study.arena);
	is_short = seep_study_is_short(&study);
	if (options->child.follow || is_short || !seep_text_has_culprit(&view))
		seep_run_follow_judge(&follow, trace->name, trace->started_real_ns);
	if (is_short) {
		tell_short(&view, slices);
	} else {
		seep_study_resolve_text(&study, false);
		seep_text_evidence(&view, false);
	}
	if (options->child.follow) {
		seep_run_follow_tell(&follow, trace);
		seep_strays_tell(&options->strays);
	}
	tell_next(&view, &follow, is_short, slices);
	seep_run_follow_release(&follow);
	seep_study_close(&study);
}

static void tell_signal(int number)
{
	const char *name = sigabbrev_np(number);

	if (name)
		fprintf(stderr, "seep: the program was ended by SIG%s (%s)\n", name,
			strsignal(number));
	else
		fprintf(stderr, "seep: the program was ended by signal %d\n", number);
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

/* Everything that is said once the program has ended. */
static void tell_end(const struct run_options *options, const struct seep_run_trace *trace,
		     enum seep_trace_state state, int wait_status, struct seep_err *err)
{
	if (state == SEEP_TRACE_CREATED) {
		seep_err_set(err, ENOEXEC, "the tracker did not start in '%.200s' (%s); "
			     "%.100s doctor %.100s tells more", options->child.argv[0],
			     WIFSIGNALED(wait_status) ? "it was killed too early"
						      : "the loader refused it, or it never ran",
			     seep_self(), options->child.argv[0]);
		return;
	}
	if (options->quiet)
		return;
	if (WIFSIGNALED(wait_status))
		tell_signal(WTERMSIG(wait_status));
	if (!options->child.follow)
		tell_children(trace);
	tell_verdict(options, trace, err);
}

static int run_tracked(struct run_options *options, struct seep_err *err)
{
	struct seep_run_trace *trace = calloc(1, sizeof(*trace));
	struct seep_child child;
	enum seep_trace_state state;
	int status = SEEP_STATUS_FAILED;

	if (!trace || seep_child_fork(&child, &options->child, err))
		goto out;
	if (seep_run_trace_create(trace, &options->trace, child.pid, err)) {
		seep_child_cancel(&child);
		goto out;
	}
	announce(options, trace);
	if (seep_child_release(&child, options->child.path, trace->path, err)) {
		seep_run_trace_discard(trace);
		status = status_of_failure(err->code);
		goto out;
	}
	seep_child_wait(&child, trace->writer.header, !options->quiet, &options->strays);
	state = seep_run_trace_finish(trace, child.status);
	tell_end(options, trace, state, child.status, err);
	status = WIFSIGNALED(child.status) ? 128 + WTERMSIG(child.status)
					   : WEXITSTATUS(child.status);
out:
	free(trace);
	return status;
}

static int run_run(int argc, char **argv, struct seep_err *err)
{
	struct run_options options = {
		.trace = { .tick_ns = SLICE_NS, .ticks = SEEP_TICKS_SPARE },
	};
	struct seep_target target;
	char library[PATH_MAX];
	int status = parse(argc, argv, &options, err);

	if (status)
		return status;
	if (find_ceiling(&options, err))
		return SEEP_STATUS_FAILED;
	if (find_program(&target, &options, err))
		return status_of_failure(err->code);
	if (seep_child_is_disabled())
		return run_plainly(&options, target.path, err);
	if (seep_install_tracker(library, err))
		return SEEP_STATUS_FAILED;
	if (seep_target_inspect(&target, err))
		return SEEP_STATUS_NOT_EXECUTABLE;
	if (seep_run_trace_check(&options.trace, err))
		return SEEP_STATUS_FAILED;
	options.trace.exe = target.path;
	options.child.path = target.path;
	options.child.library = library;
	options.strays.names = options.child.follow;
	options.strays.library = library;
	options.strays.period_ns = STRAYS_SLICES * options.trace.tick_ns;
	if (options.strays.period_ns < STRAYS_PERIOD_NS)
		options.strays.period_ns = STRAYS_PERIOD_NS;
	return run_tracked(&options, err);
}

const struct seep_command seep_command_run = {
	.name = "run",
	.summary = "run a program under the tracker, then tell the verdict",
	.usage = "[options] [--] CMD [ARGUMENT]...",
	.help =
		"  seep run -- ./detector --events 200\n"
		"  seep run -o before.seep -- python3 job.py\n"
		"  seep run --event time:1s --limit 2GiB -- ./server\n\n"
		"Options:\n"
		"  -o, --output FILE    write the trace there; default seep.CMD.PID.seep here\n"
		"  -f, --force          replace FILE if it exists\n"
		"  -q, --quiet          say nothing unless something fails\n"
		"  -e, --event SOURCE   api: only what the program marks with seep.h;\n"
		"                       time:DURATION: time slices (default: api if the program\n"
		"                       marks events, else time:100ms)\n"
		"      --keep-pools     do not make Python, GLib and libstdc++ use malloc\n"
		"      --follow[=NAMES] track the programs that CMD starts, too; only those\n"
		"                       whose names match, such as --follow=worker,python3*\n"
		"      --limit SIZE     memory at which the program would be killed\n"
		"      --sample BYTES   track one block per so many bytes, by chance, such as\n"
		"                       512kB, not all: estimates, at little cost\n"
		"      --max-overhead SIZE  memory that the tracker itself may take, or its part\n"
		"                       of what there is (10%); near it blocks are sampled\n"
		"      --probe-event N  ask the allocator what it can give back after the Nth\n"
		"                       event, not at the end of the program\n"
		"      --no-probe       do not ask\n"
		"Sizes are 64kB or 64K (1000), 64KiB (1024), and so on with M, G and T.\n\n"
		"The status is that of CMD, 128 + n if signal n ended it; 125: seep failed,\n"
		"126: CMD cannot be run or tracked, 127: CMD was not found.  All that seep says\n"
		"goes to stderr.  With SEEP_DISABLE=1 in the environment CMD runs untracked.\n",
	.run = run_run,
};
