/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/command.h"
#include "cli/common/options.h"
#include "cli/common/self.h"
#include "cli/run/run_target.h"
#include "cli/watch/watch_live.h"
#include "cli/watch/watch_target.h"
#include "cli/watch/watch_tell.h"
#include "os/clock.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define INTERVAL_NS 1000000000
#define INTERVAL_LEAST_NS 1000000
#define TIME_MOST_NS (INT64_MAX / 4)
#define ARGUMENTS_BYTES 32768
#define ARGUMENTS_MAX 1024

struct watch_options {
	struct seep_run_trace_plan trace;
	int64_t for_ns;          /* 0: as long as it lives */
	bool quiet;
	const char *events;      /* REGEX:PATH, or NULL */
	char **command;          /* or NULL, then: */
	pid_t pid;
};

struct watch {
	struct watch_options options;
	struct seep_tree tree;
	struct seep_watch_target target;
	struct seep_watch_trace trace;
	struct seep_watch_events events;
	struct seep_watch_live live;
	struct seep_watch_sample last; /* taken, but not yet written */
	bool has_last;
	struct seep_tree_sum written; /* of the one before */
	int64_t began_ns, began_cpu_ns;
	int failure;             /* -errno: the trace could not be written to its end */
	char exe[PATH_MAX], letters[ARGUMENTS_BYTES];
	char *arguments[ARGUMENTS_MAX + 1];
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, 'f' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "interval", required_argument, NULL, 'i' },
	{ "for", required_argument, NULL, 'F' },
	{ "events-file", required_argument, NULL, 'E' },
	{ "limit", required_argument, NULL, 'l' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Longer than anybody will wait, and short enough to be added to a time. */
static int parse_time(const char *text, int64_t *ns, struct seep_err *err)
{
	int rc = seep_options_duration(text, ns, err);

	if (*ns > TIME_MOST_NS)
		*ns = TIME_MOST_NS;
	return rc;
}

static int parse_interval(const char *text, int64_t *ns, struct seep_err *err)
{
	int rc = parse_time(text, ns, err);

	if (!rc && *ns < INTERVAL_LEAST_NS)
		rc = seep_err_set(err, EINVAL, "--interval: '%.100s' is too short; 1ms is the "
				  "least", text);
	return rc;
}

static int take_option(int c, char **argv, struct watch_options *options, struct seep_err *err)
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
	case 'i':
		return parse_interval(optarg, &options->trace.tick_ns, err);
	case 'F':
		return parse_time(optarg, &options->for_ns, err);
	case 'E':
		options->events = optarg;
		return 0;
	case 'l':
		return seep_options_size("--limit", optarg, "500MB or 2GiB",
					 &options->trace.limit_bytes, err);
	default:
		return seep_options_refuse(c, argv, long_options, err);
	}
}

static bool is_number(const char *text)
{
	return isdigit((unsigned char)*text) && !text[strspn(text, "0123456789")];
}

static int take_pid(const char *text, struct watch_options *options, struct seep_err *err)
{
	long pid = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;

	if (pid < 1)
		return seep_err_set(err, EINVAL, "'%.100s' cannot be the number of a process",
				    text);
	options->pid = (pid_t)pid;
	return 0;
}

/* A number is a process, unless -- says that it is a command. */
static int take_words(int argc, char **argv, struct watch_options *options, struct seep_err *err)
{
	bool marked = optind > 1 && !strcmp(argv[optind - 1], "--");

	if (optind == argc)
		return seep_err_set(err, EINVAL, "what shall be watched?  For example: %.200s "
				    "watch 1234, or %.200s watch -- ./program", seep_self(),
				    seep_self());
	if (marked || !is_number(argv[optind])) {
		options->command = argv + optind;
		return 0;
	}
	if (argc - optind > 1)
		return seep_err_set(err, EINVAL, "one process at a time, with those it starts, and "
				    "options before it: what is '%.100s'?", argv[optind + 1]);
	return take_pid(argv[optind], options, err);
}

static int parse(int argc, char **argv, struct watch_options *options, struct seep_err *err)
{
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, "+:o:fqi:h", long_options, NULL)) != -1) {
		if (c == 'h')
			return SEEP_STATUS_HELP;
		if (take_option(c, argv, options, err))
			return SEEP_STATUS_FAILED;
	}
	return take_words(argc, argv, options, err) ? SEEP_STATUS_FAILED : 0;
}

/* The command line of a process that runs; its name if it does not show one. */
static void read_command(struct watch *watch)
{
	size_t n = seep_member_arguments(watch->options.pid, watch->letters,
					 sizeof(watch->letters));
	size_t words = 0;

	for (size_t at = 0; at < n && words < ARGUMENTS_MAX; at += strlen(watch->letters + at) + 1)
		watch->arguments[words++] = watch->letters + at;
	if (!words || !*watch->arguments[0]) {
		watch->arguments[0] = watch->tree.members[0].status.name;
		words = words ? words : 1;
	}
	if (!seep_member_exe(watch->options.pid, watch->exe, sizeof(watch->exe)))
		snprintf(watch->exe, sizeof(watch->exe), "%.1000s", watch->arguments[0]);
	watch->options.trace.command = watch->arguments;
	watch->options.trace.exe = watch->exe;
}

static void announce(const struct watch *watch)
{
	struct seep_arena arena;

	if (watch->options.quiet)
		return;
	seep_arena_init(&arena);
	fprintf(stderr, "seep: watching %s (process %ld%s) every %s, recording to %s\n",
		seep_safe_text(&arena, watch->options.trace.command[0]), (long)watch->target.pid,
		watch->target.pid == 1 ? ", the ancestor of all" : "",
		seep_size_duration((double)watch->options.trace.tick_ns / 1e9).text,
		seep_safe_text(&arena, watch->trace.file.name));
	seep_arena_release(&arena);
}

/* A process may be taking itself apart already: its last sample is only for the others' sake. */
static void write_last(struct watch *watch)
{
	if (watch->has_last && !watch->failure) {
		watch->failure = seep_watch_trace_add(&watch->trace, &watch->last);
		watch->written = watch->last.sum;
	}
	watch->has_last = false;
}

static void take_sample(struct watch *watch, int64_t now_ns)
{
	if (watch->events.wanted)
		seep_watch_events_look(&watch->events);
	write_last(watch);
	watch->last = (struct seep_watch_sample){
		.at_ns = now_ns, .sum = watch->tree.sum, .counted = watch->events.seen,
		.done = seep_watch_events_done(&watch->events),
	};
	watch->has_last = true;
	seep_watch_live_draw(&watch->live, &watch->tree.sum, now_ns);
}

/* Samples that a busy machine did not let us take are not made up for. */
static int64_t find_next(const struct watch *watch, int64_t now_ns)
{
	int64_t interval = watch->options.trace.tick_ns;

	return now_ns + interval - (now_ns - watch->began_ns) % interval;
}

static void look_on(struct watch *watch)
{
	int64_t end_ns = watch->options.for_ns ? watch->began_ns + watch->options.for_ns
					       : INT64_MAX;
	int64_t now_ns = watch->began_ns;
	bool over = false;

	while (!over && !watch->failure) {
		int64_t next_ns = find_next(watch, now_ns);

		seep_tree_look(&watch->tree, now_ns);
		if (watch->tree.ended && !watch->target.ours)
			break;
		if (!watch->tree.ended)
			take_sample(watch, now_ns);
		over = seep_watch_target_wait(&watch->target, next_ns < end_ns ? next_ns : end_ns);
		now_ns = seep_clock_mono_ns();
		over = over || now_ns >= end_ns;
	}
	if (!watch->target.ended && !watch->tree.ended)
		write_last(watch);
	seep_run_live_erase(&watch->live.line);
}

/* Of a process that still runs, what it has is none of what others have. */
static void finish_trace(struct watch *watch)
{
	struct seep_run_trace *file = &watch->trace.file;
	pid_t pid = watch->target.ours ? 0 : watch->target.pid;
	int64_t own = watch->target.ended ? 0 : watch->tree.sum.memory_bytes;
	int64_t now_ns = seep_clock_mono_ns();

	if (!file->writer.header)
		return;
	if (watch->target.ours && watch->target.ended)
		seep_run_trace_exit(file, now_ns - file->writer.header->started_mono_ns,
				    watch->target.child.status);
	if (!watch->tree.ended || watch->target.ours)
		seep_run_trace_limits(file, pid, own, SEEP_LIMIT_LATER);
	seep_watch_tell_trace(&watch->trace, &watch->tree, &watch->events,
			      now_ns - watch->began_ns,
			      seep_clock_read(CLOCK_PROCESS_CPUTIME_ID) - watch->began_cpu_ns);
	if (watch->failure)
		file->writer.header->failure = (uint32_t)-watch->failure;
	seep_writer_close(&file->writer, watch->failure ? SEEP_TRACE_STOPPED : SEEP_TRACE_FINISHED);
}

static void finish(struct watch *watch, struct seep_err *err)
{
	finish_trace(watch);
	if (watch->failure)
		seep_err_set(err, -watch->failure, "the trace '%.300s' could not be written to its "
			     "end: %s", watch->trace.file.path, strerror(-watch->failure));
	if (!watch->options.quiet)
		seep_watch_tell(&watch->trace, &watch->written, err);
}

static int begin(struct watch *watch, pid_t pid, struct seep_err *err)
{
	struct watch_options *options = &watch->options;
	int rc = seep_watch_trace_create(&watch->trace, &options->trace, pid, err);

	if (rc)
		return rc;
	watch->began_ns = seep_clock_mono_ns();
	return 0;
}

static int watch_process(struct watch *watch, struct seep_err *err)
{
	struct watch_options *options = &watch->options;

	if (seep_watch_target_check(&watch->tree, options->pid, err))
		return SEEP_STATUS_FAILED;
	seep_tree_look(&watch->tree, seep_clock_mono_ns());
	options->trace.watched = options->pid;
	options->trace.watched_bytes = watch->tree.sum.memory_bytes;
	read_command(watch);
	if (seep_run_trace_check(&options->trace, err) || begin(watch, options->pid, err))
		return SEEP_STATUS_FAILED;
	if (seep_watch_target_attach(&watch->target, options->pid, err)) {
		seep_run_trace_discard(&watch->trace.file);
		return SEEP_STATUS_FAILED;
	}
	seep_watch_live_init(&watch->live, options->pid, watch->tree.sum.memory_bytes,
			     options->trace.limit_bytes, !options->quiet);
	announce(watch);
	look_on(watch);
	finish(watch, err);
	seep_watch_target_detach(&watch->target);
	return watch->failure ? SEEP_STATUS_FAILED : 0;
}

static int status_of_failure(int code)
{
	return code == ENOENT ? SEEP_STATUS_NOT_FOUND : SEEP_STATUS_NOT_EXECUTABLE;
}

/* Watched or not, its status is what we end with. */
static int wait_for_end(struct watch *watch)
{
	struct seep_child *child = &watch->target.child;

	while (!watch->target.ended)
		watch->target.ended = seep_child_wait_until(child, INT64_MAX);
	return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status)
					  : WEXITSTATUS(child->status);
}

static int start(struct watch *watch, const struct seep_target *program, struct seep_err *err)
{
	struct seep_child_plan plan = { .path = program->path, .argv = watch->options.command };
	struct seep_child *child = &watch->target.child;

	watch->options.trace.command = watch->options.command;
	watch->options.trace.exe = program->path;
	if (seep_run_trace_check(&watch->options.trace, err) || seep_child_fork(child, &plan, err))
		return SEEP_STATUS_FAILED;
	watch->target.ours = true;
	watch->target.pid = child->pid;
	if (begin(watch, child->pid, err)) {
		seep_child_cancel(child);
		return SEEP_STATUS_FAILED;
	}
	announce(watch);
	if (seep_child_release(child, program->path, watch->trace.file.path, err)) {
		seep_run_trace_discard(&watch->trace.file);
		return status_of_failure(err->code);
	}
	return 0;
}

static int watch_command(struct watch *watch, struct seep_err *err)
{
	struct seep_target program;
	int status;

	if (seep_target_find(&program, watch->options.command[0], err))
		return status_of_failure(err->code);
	status = start(watch, &program, err);
	if (status)
		return status;
	if (seep_tree_open(&watch->tree, watch->target.pid))
		watch->tree.ended = true;
	seep_watch_live_init(&watch->live, 0, 0, watch->options.trace.limit_bytes,
			     !watch->options.quiet);
	look_on(watch);
	finish(watch, err);
	return wait_for_end(watch);
}

static int run_watch(int argc, char **argv, struct seep_err *err)
{
	struct watch *watch = calloc(1, sizeof(*watch));
	int status = SEEP_STATUS_FAILED;

	if (!watch) {
		seep_err_set(err, ENOMEM, "out of memory");
		return SEEP_STATUS_FAILED;
	}
	watch->options.trace.tick_ns = INTERVAL_NS;
	watch->options.trace.ticks = SEEP_TICKS_ONLY;
	watch->began_cpu_ns = seep_clock_read(CLOCK_PROCESS_CPUTIME_ID);
	status = parse(argc, argv, &watch->options, err);
	if (!status && watch->options.events &&
	    seep_watch_events_init(&watch->events, watch->options.events, err))
		status = SEEP_STATUS_FAILED;
	if (!status)
		status = watch->options.command ? watch_command(watch, err)
						: watch_process(watch, err);
	seep_watch_events_release(&watch->events);
	seep_tree_close(&watch->tree);
	free(watch);
	return status;
}

const struct seep_command seep_command_watch = {
	.name = "watch",
	.summary = "look at a process and its children from outside, then tell the verdict",
	.usage = "[options] PID | [options] [--] CMD [ARGUMENT]...",
	.help =
		"  seep watch 1234                          until it ends, or Ctrl-C\n"
		"  seep watch --for 1h --interval 10s 1234\n"
		"  seep watch -- ./job.sh\n"
		"  seep watch --events-file '([0-9]+) events read:heartbeat.txt' 1234\n\n"
		"Nothing is loaded into the program, and it need not be started anew: memory is\n"
		"read from /proc, of all its children as well.  So it is seen whether it grows,\n"
		"how fast, and when memory ends; not which line of the program does it.\n\n"
		"Options:\n"
		"  -o, --output FILE    write the trace there; default seep.CMD.PID.seep here\n"
		"  -f, --force          replace FILE if it exists\n"
		"  -q, --quiet          say nothing unless something fails\n"
		"  -i, --interval TIME  from one look to the next, such as 100ms or 1min (1s);\n"
		"                       at 1s it takes less than 0.1 % of a core\n"
		"      --for TIME       watch no longer than this\n"
		"      --events-file REGEX:PATH  a file in which the program tells how many\n"
		"                       events it has done: the number in the first group of\n"
		"                       the last match; rates are per event then\n"
		"      --limit SIZE     memory at which the program would be killed\n"
		"Sizes are 64kB or 64K (1000), 64KiB (1024), and so on with M, G and T.\n\n"
		"The status is that of CMD (128 + n if signal n ended it); 0 for a PID; 125 if\n"
		"seep fails, 126 and 127 if CMD cannot be executed or is not found.\n",
	.run = run_watch,
};
