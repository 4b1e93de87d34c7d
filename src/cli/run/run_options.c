/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/command.h"
#include "cli/common/options.h"
#include "cli/common/self.h"
#include "cli/run/run_follow.h"
#include "cli/run/run_options.h"
#include "os/tool/limit.h"
#include "render/sizes.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define OVERHEAD_LEAST 1000000
#define DUMP_PERIOD_USUAL 100

static int set_follow(void *field, const char *names, struct seep_err *err)
{
	struct seep_run_options *options = field;

	if (names && (!*names || strchr(names, '/')))
		return seep_err_set(err, EINVAL, "--follow takes program names without "
				    "directories, such as --follow=worker,python3*");
	options->child.follow = names ? names : "*";
	options->trace.follow_max = SEEP_FOLLOW_MAX;
	return 0;
}

static const char *python_value(size_t i)
{
	static const char *const values[] = { "on", "off" };

	return i < sizeof(values) / sizeof(values[0]) ? values[i] : NULL;
}

static int set_python(void *field, const char *value, struct seep_err *err)
{
	bool *no_python = field;

	if (strcmp(value, "on") && strcmp(value, "off"))
		return seep_err_set(err, EINVAL, "--python: '%.100s' is not valid; write on or off",
				    value);
	*no_python = !strcmp(value, "off");
	return 0;
}

static int set_sample(void *field, const char *value, struct seep_err *err)
{
	return seep_options_size("--sample", value, "64kB or 512kB", field, err);
}

#define AT(field) offsetof(struct seep_run_options, field)

const struct seep_option seep_run_option_table[] = {
	{ "output", 'o', "FILE",
	  "Write the trace to FILE. Default: seep.CMD.PID.seep in the current directory.",
	  .at = AT(trace.output), .set = seep_options_set_trace },
	{ "force", 'f', NULL, "Replace FILE if it exists.", .at = AT(trace.replace) },
	{ "quiet", 'q', NULL, "Print nothing unless something fails.", .at = AT(quiet) },
	{ "event", 'e', "SOURCE",
	  "What counts as an event. api: what the program marks with seep.h; time:DURATION: slices "
	  "of time; fn:NAME: calls of a function; call:NAME: returns of a function of the C "
	  "library, such as epoll_wait; lines:REGEX: lines of output that match; "
	  "file:REGEX:PATH: lines of a log file. "
	  "Default: api if the program marks events, else time:10ms.",
	  .at = AT(trace.event), .set = seep_run_event_set, .value = seep_run_event_value },
	{ "stamp", 0, "fn:NAME",
	  "A new phase of the event begins at each call of function NAME. May be repeated.",
	  .at = AT(stamps), .set = seep_run_entry_set_stamp },
	{ "alloc-fn", 0, "NAME[:SIZE]",
	  "Function NAME allocates from a pool: what it returns is a block, as from malloc. SIZE "
	  "is the number of its argument with the size, or =BYTES. May be repeated.",
	  .at = AT(pools), .set = seep_run_entry_set_alloc },
	{ "free-fn", 0, "NAME[:BLOCK]",
	  "Function NAME gives a block back to a pool. BLOCK is the number of its argument. May be "
	  "repeated.",
	  .at = AT(pools), .set = seep_run_entry_set_free },
	{ "keep-pools", 0, NULL,
	  "Leave the memory pools of Python, GLib and libstdc++ as they are.",
	  .at = AT(child.keep_pools) },
	{ "collect", 0, NULL,
	  "Collect garbage before each event of a Python program that marks events with seep.py. "
	  "Memory that still grows is then not garbage.",
	  .at = AT(child.collect) },
	{ "python", 0, "on|off",
	  "Show the functions of a Python program in stacks. Default: on.",
	  .at = AT(child.no_python), .set = set_python, .value = python_value },
	{ "follow", 0, "[=NAMES]",
	  "Also track the programs that CMD starts: all, or only those whose names match, as in "
	  "--follow=worker,python3*.",
	  .set = set_follow },
	{ "limit", 0, "SIZE", "The memory limit at which the program would be killed.",
	  .at = AT(trace.limit_bytes), .set = seep_options_set_limit },
	{ "sample", 0, "BYTES",
	  "Track one block per BYTES allocated, chosen at random, instead of every block. 512kB "
	  "costs little; figures become estimates.",
	  .at = AT(child.sample_bytes), .set = set_sample },
	{ "max-overhead", 0, "SIZE",
	  "Memory that the tracker itself may use, as a size or a percentage of the limit. Close "
	  "to it, only a sample of the new blocks is tracked. Default: 10%.",
	  .at = AT(max_overhead) },
	{ "probe-event", 0, "N",
	  "Ask the allocator to give back free memory after event N, not at the end.",
	  .at = AT(child.probe_event), .set = seep_options_set_event_number },
	{ "no-probe", 0, NULL, "Do not ask the allocator to give back free memory.",
	  .at = AT(child.no_probe) },
	{ "profiler", 0, "NAME",
	  "Use the heap profiler of jemalloc or tcmalloc instead of seep's tracker. It dumps the "
	  "heap at the end of events.",
	  .at = AT(profiler), .set = seep_profiler_set, .value = seep_profiler_value },
	{ "dump-from", 0, "N",
	  "The first event to dump. Default: 1. Without --profiler, a dump is a snapshot in "
	  "the trace.",
	  .at = AT(child.dump_from), .set = seep_options_set_event_number },
	{ "dump-until", 0, "N",
	  "The last event to dump. It is dumped twice, as in Gaudi. Default: none.",
	  .at = AT(child.dump_until), .set = seep_options_set_event_number },
	{ "dump-period", 0, "N", "The number of events from one dump to the next. Default: 100.",
	  .at = AT(child.dump_period), .set = seep_options_set_events },
	{ "material", 0, "SIZE",
	  "Minimum size at which memory that a site keeps only occasionally counts as a leak. "
	  "Default: a small fraction of the live heap.",
	  .at = AT(material_bytes), .set = seep_options_set_material },
	{ "run-info", 0, "FILE", "Write pid, exe, retcode and dumps of the run as JSON.",
	  .at = AT(run_info) },
	{ .name = NULL },
};

/* Some options need the tracker, which a profiler replaces. */
static int check_profiler(struct seep_run_options *options, struct seep_err *err)
{
	const struct seep_child_plan *child = &options->child;
	const char *option = child->follow ? "--follow"
			   : child->sample_bytes ? "--sample"
			   : options->max_overhead ? "--max-overhead"
			   : child->probe_event ? "--probe-event"
			   : child->collect ? "--collect"
			   : options->stamps.n ? "--stamp"
			   : options->pools.n ? "--alloc-fn"
			   : options->trace.event.source != SEEP_SOURCE_API ? "this --event"
			   : options->trace.event.ticks == SEEP_TICKS_ONLY ? "--event time:" : NULL;

	if (!options->profiler.kind)
		return 0;
	options->child.profiler = &options->profiler;
	if (option)
		return seep_err_set(err, EINVAL, "%s needs seep's own tracker, which --profiler %s "
				    "replaces", option,
				    seep_profiler_name(&options->profiler));
	return 0;
}

/* The defaults are those of Gaudi. */
static int complete_schedule(struct seep_run_options *options, struct seep_err *err)
{
	struct seep_child_plan *child = &options->child;

	if (!options->profiler.kind && !child->dump_from && !child->dump_until &&
	    !child->dump_period)
		return 0;
	if (!child->dump_from)
		child->dump_from = 1;
	if (!child->dump_period)
		child->dump_period = DUMP_PERIOD_USUAL;
	if (child->dump_until && child->dump_until < child->dump_from)
		return seep_err_set(err, EINVAL, "--dump-until %zu is before --dump-from %zu",
				    child->dump_until, child->dump_from);
	return 0;
}

static int parse(int argc, char **argv, struct seep_run_options *options,
		 struct seep_err *err)
{
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_run, argc, argv, options, &found, err);

	if (status)
		return status;
	if (options->child.probe_event && options->child.no_probe) {
		seep_err_set(err, EINVAL, "--probe-event and --no-probe cannot be used together");
		return SEEP_STATUS_FAILED;
	}
	options->child.has_pools = options->pools.n;
	if (!found.command || !*found.command) {
		seep_err_set(err, EINVAL, "name the program to run, for example: %.200s run -- "
			     "./program", seep_self());
		return SEEP_STATUS_FAILED;
	}
	options->trace.command = options->child.argv = found.command;
	options->trace.collect = options->child.collect;
	options->typed = argv + 1;
	options->n_typed = (size_t)(found.command - argv) - 1;
	return 0;
}

/* The memory at which the program would be killed; the tracker uses a part of it. */
static int64_t find_memory(const struct seep_run_options *options)
{
	struct seep_limit_found found;
	int64_t given = options->trace.limit_bytes;

	if (!seep_limit_find("", 0, &found, 1))
		return given;
	return given && given < seep_limit_left(&found) ? given : seep_limit_left(&found);
}

/* A default that is too small is raised; only a value from the user is refused. */
static int find_ceiling(struct seep_run_options *options, struct seep_err *err)
{
	const char *text = options->max_overhead ? options->max_overhead : "10%";
	int64_t memory = find_memory(options), *bytes = &options->child.overhead_bytes;
	int rc = seep_options_share("--max-overhead", text, memory, bytes, err);

	if (rc || *bytes >= OVERHEAD_LEAST || (!*bytes && !memory))
		return rc;
	if (options->max_overhead)
		return seep_err_set(err, EINVAL, "--max-overhead: '%.100s' is too small; the "
				    "tracker needs at least %s", text,
				    seep_size_format(OVERHEAD_LEAST).text);
	*bytes = OVERHEAD_LEAST;
	return 0;
}

int seep_run_options_parse(struct seep_run_options *options, int argc, char **argv,
			   struct seep_err *err)
{
	int status;

	*options = (struct seep_run_options){
		.trace.event = { .tick_ns = SEEP_RUN_SLICE_NS, .ticks = SEEP_TICKS_SPARE },
	};
	status = parse(argc, argv, options, err);
	if (!status && (check_profiler(options, err) || complete_schedule(options, err) ||
			find_ceiling(options, err)))
		status = SEEP_STATUS_FAILED;
	return status;
}
