/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/check/check_options.h"
#include "cli/common/command.h"
#include "cli/common/options.h"
#include "cli/common/self.h"
#include "cli/run/run_event.h"

#include <errno.h>
#include <stddef.h>

#define EVENTS_LEAST 10          /* fewer say little; --min-events can lower it */

static int set_budget(void *field, const char *value, struct seep_err *err)
{
	struct seep_check_options *options = field;

	options->has_budget = true;
	return seep_options_budget("--budget", value, &options->budget, err);
}

#define AT(field) offsetof(struct seep_check_options, field)

/* What seep run does with an option is for seep run to judge: its text is passed on. */
const struct seep_option seep_check_option_table[] = {
	{ "budget", 'b', "SIZE[/event|/s]", "How much the run may grow; 0: not at all.",
	  .set = set_budget, .in_usage = true },
	{ "baseline", 0, "FILE",
	  "A trace, or a report as JSON. Only growth beyond the baseline counts.",
	  .at = AT(baseline) },
	{ "suppress", 0, "FILE",
	  "A file of function-name patterns, one per line. Sites that match do not count.",
	  .at = AT(suppress) },
	{ "strict", 0, NULL,
	  "Also fail on suspects: sites that keep memory, but too little, or with too little "
	  "evidence, to be called a leak.",
	  .at = AT(strict) },
	{ "material", 0, "SIZE",
	  "Minimum size at which memory that a site keeps only occasionally counts as a leak. "
	  "Default: a small fraction of the live heap.",
	  .at = AT(material_bytes), .set = seep_options_set_material },
	{ "strict-suppressions", 0, NULL, "Fail if a --suppress pattern matches nothing.",
	  .at = AT(strict_suppressions) },
	{ "min-events", 0, "N", "Exit with 125 if there are fewer events. Default: 10.",
	  .at = AT(min_events), .set = seep_options_set_events },
	{ "junit", 0, "FILE", "Write the result as JUnit XML.", .at = AT(junit) },
	{ "sarif", 0, "FILE", "Write the result as SARIF 2.1.0.", .at = AT(sarif) },
	{ "github", 0, NULL, "Also print annotations for GitHub.", .at = AT(github) },
	{ "source-root", 0, "DIRECTORY",
	  "Name source files relative to this directory. Default: the root of the repository.",
	  .at = AT(root) },
	{ "ignore-status", 0, NULL, "Judge the run even if CMD fails.", .at = AT(ignore_status) },
	{ "unit", 'u', "UNIT",
	  "Memory unit to assume if FILE does not state one: KiB, kB, MiB, B.",
	  .at = AT(import.unit_bytes), .set = seep_options_set_unit,
	  .value = seep_options_unit_value },
	{ "output", 'o', "FILE",
	  "Write CMD's trace to FILE. Default: a temporary file, which is kept unless the check "
	  "passes.",
	  .at = AT(program.output), .set = seep_options_set_trace },
	{ "force", 'f', NULL,
	  "Replace the trace FILE if it exists. Other files are always replaced.",
	  .at = AT(program.force) },
	{ "event", 'e', "SOURCE", "What counts as an event in CMD, as in seep run.",
	  .at = AT(program.event), .value = seep_run_event_value },
	{ "keep-pools", 0, NULL,
	  "Leave the memory pools of Python, GLib and libstdc++ as they are.",
	  .at = AT(program.keep_pools) },
	{ "collect", 0, NULL, "Collect garbage before each event, as in seep run.",
	  .at = AT(program.collect) },
	{ "sample", 0, "BYTES", "Track a sample of CMD's blocks, as in seep run.",
	  .at = AT(program.sample) },
	{ "max-overhead", 0, "SIZE", "Memory that the tracker may use, as in seep run.",
	  .at = AT(program.max_overhead) },
	{ .name = NULL },
};

static int check_usage(const struct seep_operands_found *found,
		       const struct seep_check_options *options, struct seep_err *err)
{
	const struct seep_check_program *program = &options->program;

	if (found->n > 1)
		return seep_err_set(err, EINVAL, "unexpected argument '%.100s': seep check reads "
				    "one trace; write -- before a command", found->words[1]);
	if (found->command && !*found->command)
		return seep_err_set(err, EINVAL, "there is no command after --");
	if (found->command && found->n)
		return seep_err_set(err, EINVAL, "unexpected argument '%.100s': give either a "
				    "trace or a command", found->words[0]);
	if (!found->command && (program->output || program->event || program->sample ||
				program->max_overhead || program->keep_pools || program->collect))
		return seep_err_set(err, EINVAL, "--output, --event, --sample, --max-overhead, "
				    "--keep-pools and --collect need a command to run; write it "
				    "after --");
	if (!options->has_budget && !options->baseline)
		return seep_err_set(err, EINVAL, "set a budget, for example: %.200s check "
				    "--budget 1kB/event", seep_self());
	if (options->strict_suppressions && !options->suppress)
		return seep_err_set(err, EINVAL, "--strict-suppressions needs --suppress FILE");
	return 0;
}

int seep_check_options_parse(struct seep_check_options *options, int argc, char **argv,
			     struct seep_err *err)
{
	struct seep_operands_found found;
	int status;

	*options = (struct seep_check_options){ .min_events = EVENTS_LEAST };
	status = seep_option_table_parse(&seep_command_check, argc, argv, options, &found, err);
	if (status)
		return status;
	if (check_usage(&found, options, err))
		return SEEP_STATUS_FAILED;
	options->program.command = found.command;
	options->path = found.n ? found.words[0] : NULL;
	return 0;
}
