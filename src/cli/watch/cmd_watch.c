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

#include <errno.h>
#include <limits.h>
#include <stddef.h>
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

/* Longer than anyone will wait, and short enough to be added to a time. */
static int set_time(void *field, const char *value, struct seep_err *err)
{
	int64_t *ns = field;
	int rc = seep_options_duration(value, ns, err);

	if (*ns > TIME_MOST_NS)
		*ns = TIME_MOST_NS;
	return rc;
}

static int set_interval(void *field, const char *value, struct seep_err *err)
{
	int rc = set_time(field, value, err);

	if (!rc && *(int64_t *)field < INTERVAL_LEAST_NS)
		rc = seep_err_set(err, EINVAL, "--interval: '%.100s' is too short; the minimum is "
				  "1ms", value);
	return rc;
}

#define AT(field) offsetof(struct watch_options, field)

static const struct seep_option option_table[] = {
	{ "output", 'o', "FILE",
	  "Write the trace to FILE. Default: seep.CMD.PID.seep in the current directory.",
	  .at = AT(trace.output), .set = seep_options_set_trace },
	{ "force", 'f', NULL, "Replace FILE if it exists.", .at = AT(trace.replace) },
	{ "quiet", 'q', NULL, "Print nothing unless something fails.", .at = AT(quiet) },
	{ "interval", 'i', "TIME",
	  "Time between two samples, such as 100ms or 1min. Default: 1s, which takes less than "
	  "0.1 % of a core.",
	  .at = AT(trace.event.tick_ns), .set = set_interval },
	{ "for", 0, "TIME", "Stop watching after this time.", .at = AT(for_ns), .set = set_time },
	{ "events-file", 0, "REGEX:PATH",
	  "A file in which the program reports how many events it has done: the number in the "
	  "group event, or the first group, of the last match. Rates are then per event.",
	  .at = AT(events) },
	{ "limit", 0, "SIZE", "The memory limit at which the program would be killed.",
	  .at = AT(trace.limit_bytes), .set = seep_options_set_limit },
	{ .name = NULL },
};

static int take_pid(const char *text, struct watch_options *options, struct seep_err *err)
{
	long pid = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;

	if (pid < 1)
		return seep_err_set(err, EINVAL, "'%.100s' is not a valid process number", text);
	options->pid = (pid_t)pid;
	return 0;
}

static int take_operands(const struct seep_operands_found *found, struct watch_options *options,
			 struct seep_err *err)
{
	bool has_command = found->command && *found->command;

	if (!found->n && !has_command)
		return seep_err_set(err, EINVAL, "name a process or a program to watch, for "
				    "example: %.200s watch 1234, or %.200s watch -- ./program",
				    seep_self(), seep_self());
	if (found->n > 1 || (found->n && found->command))
		return seep_err_set(err, EINVAL, "unexpected argument '%.100s': seep watch follows "
				    "one process and its children",
				    found->n > 1 ? found->words[1] : has_command ? *found->command
										 : "--");
	if (found->n)
		return take_pid(found->words[0], options, err);
	options->command = found->command;
	return 0;
}

static int parse(int argc, char **argv, struct watch_options *options, struct seep_err *err)
{
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_watch, argc, argv, options, &found, err);

	if (!status && take_operands(&found, options, err))
		status = SEEP_STATUS_FAILED;
	return status;
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
		watch->target.pid == 1 ? ", the parent of all others" : "",
		seep_size_duration((double)watch->options.trace.event.tick_ns / 1e9).text,
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
	int64_t interval = watch->options.trace.event.tick_ns;

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
	if (!watch->failure)
		watch->failure = seep_writer_publish(&file->writer);
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
	if (watch->failure == -ESTALE || seep_run_trace_is_replaced(&watch->trace.file)) {
		seep_run_trace_refuse(&watch->trace.file, err);
		watch->failure = -ESTALE;
		return;
	}
	if (watch->failure)
		seep_err_set(err, -watch->failure, "the trace '%.300s' is incomplete: writing "
			     "failed: %s", watch->trace.file.path, strerror(-watch->failure));
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
	if (seep_child_release(child, program->path, &watch->trace.file, err)) {
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
	watch->options.trace.event.tick_ns = INTERVAL_NS;
	watch->options.trace.event.ticks = SEEP_TICKS_ONLY;
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
	.summary = "watch a process and its children from outside, then print the verdict",
	.operands_text = "PID | [--] CMD [ARGUMENT]...",
	.operands = SEEP_OPERANDS_PID_OR_COMMAND,
	.examples =
		"  seep watch 1234                          until it ends, or Ctrl-C\n"
		"  seep watch 1234 --for 1h --interval 10s\n"
		"  seep watch -- ./job.sh\n"
		"  seep watch --events-file '([0-9]+) events read:heartbeat.txt' 1234\n\n"
		"Nothing is loaded into the program, and it need not be restarted: memory is\n"
		"read from /proc, for the process and all its children. The verdict says whether\n"
		"memory grows, how fast, and when it will run out, but not which line is\n"
		"responsible.\n",
	.notes =
		"Sizes: 64kB or 64K is 64000 bytes, 64KiB is 65536; likewise with M, G and T.\n\n"
		"The exit status is that of CMD, or 128 + n if signal n ended it; 0 for a PID;\n"
		"125 if seep failed, 126 if CMD cannot be run, 127 if it was not found.\n",
	.options = option_table,
	.run = run_watch,
};
