/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/command.h"
#include "cli/common/options.h"
#include "cli/common/self.h"
#include "cli/run/run_follow.h"
#include "cli/run/run_options.h"
#include "os/tool/limit.h"
#include "render/sizes.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#define OVERHEAD_LEAST 1000000
#define DUMP_PERIOD_USUAL 100

static int parse_follow(const char *names, struct seep_run_options *options, struct seep_err *err)
{
	if (names && (!*names || strchr(names, '/')))
		return seep_err_set(err, EINVAL, "--follow takes names of programs without their "
				    "directories, such as --follow=worker,python3*");
	options->child.follow = names ? names : "*";
	options->trace.follow_max = SEEP_FOLLOW_MAX;
	return 0;
}

/* Options without a letter. */
enum { PROFILER = 256, DUMP_FROM, DUMP_UNTIL, DUMP_PERIOD, RUN_INFO, MATERIAL };

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
	{ "profiler", required_argument, NULL, PROFILER },
	{ "dump-from", required_argument, NULL, DUMP_FROM },
	{ "dump-until", required_argument, NULL, DUMP_UNTIL },
	{ "dump-period", required_argument, NULL, DUMP_PERIOD },
	{ "run-info", required_argument, NULL, RUN_INFO },
	{ "material", required_argument, NULL, MATERIAL },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* When the heap is dumped, by whom, and what is told of the run. */
static int take_dump_option(int c, struct seep_run_options *options, struct seep_err *err)
{
	switch (c) {
	case PROFILER:
		return seep_profiler_choose(&options->profiler, optarg, err);
	case DUMP_FROM:
		return seep_options_count(optarg, "number of an event", &options->child.dump_from,
					  err);
	case DUMP_UNTIL:
		return seep_options_count(optarg, "number of an event", &options->child.dump_until,
					  err);
	case DUMP_PERIOD:
		return seep_options_count(optarg, "number of events", &options->child.dump_period,
					  err);
	default:
		options->run_info = optarg;
		return 0;
	}
}

static int take_option(int c, char **argv, struct seep_run_options *options,
		       struct seep_err *err)
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
	case MATERIAL:
		return seep_options_material(optarg, &options->material_bytes, err);
	case PROFILER:
	case DUMP_FROM:
	case DUMP_UNTIL:
	case DUMP_PERIOD:
	case RUN_INFO:
		return take_dump_option(c, options, err);
	default:
		return seep_options_refuse(c, argv, long_options, err);
	}
}

/* What only the tracker can do. */
static int check_profiler(struct seep_run_options *options, struct seep_err *err)
{
	const struct seep_child_plan *child = &options->child;
	const char *option = child->follow ? "--follow"
			   : child->sample_bytes ? "--sample"
			   : options->max_overhead ? "--max-overhead"
			   : child->probe_event ? "--probe-event"
			   : options->trace.ticks == SEEP_TICKS_ONLY ? "--event time:" : NULL;

	if (!options->profiler.kind)
		return 0;
	options->child.profiler = &options->profiler;
	if (option)
		return seep_err_set(err, EINVAL, "%s is done by seep's own tracker, and --profiler "
				    "%s takes its place", option,
				    seep_profiler_name(&options->profiler));
	return 0;
}

/* What is not said is as Gaudi has it. */
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
		return seep_err_set(err, EINVAL, "--dump-until %zu lies before --dump-from %zu",
				    child->dump_until, child->dump_from);
	return 0;
}

/* Stops at the first word that is no option: the rest is the command's. */
static int parse(int argc, char **argv, struct seep_run_options *options,
		 struct seep_err *err)
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
static int64_t find_memory(const struct seep_run_options *options)
{
	struct seep_limit_found found;
	int64_t given = options->trace.limit_bytes;

	if (!seep_limit_find("", 0, &found, 1))
		return given;
	return given && given < seep_limit_left(&found) ? given : seep_limit_left(&found);
}

/* A part of little memory is not refused unless it was asked for. */
static int find_ceiling(struct seep_run_options *options, struct seep_err *err)
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

int seep_run_options_parse(struct seep_run_options *options, int argc, char **argv,
			   struct seep_err *err)
{
	int status;

	*options = (struct seep_run_options){
		.trace = { .tick_ns = SEEP_RUN_SLICE_NS, .ticks = SEEP_TICKS_SPARE },
	};
	status = parse(argc, argv, options, err);
	if (!status && (check_profiler(options, err) || complete_schedule(options, err) ||
			find_ceiling(options, err)))
		status = SEEP_STATUS_FAILED;
	return status;
}
