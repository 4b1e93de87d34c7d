/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/command.h"
#include "cli/common/install.h"
#include "cli/common/self.h"
#include "render/text/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLANTED 4 /* sites that the example never frees */

static const char intro[] =
	"This runs a small model of a detector simulation for 200 events, under seep run.  For\n"
	"each hit it makes four objects that are never deleted (384, 64, 384 and 384 bytes), and\n"
	"one that is deleted an event later and only looks like a leak.  In the real program it\n"
	"took four weeks to find three of them.  The model prints what it really leaks:\n\n";

static const char outro[] =
	"\nCompare the sites with the 'truth site' lines above: function, line and number.\n"
	"junoHit_PMT, freed an event late, is not among them.  For your own program:\n";

/* Here, so that `seep report` finds it; elsewhere if this directory is not ours. */
static void name_trace(char *path, size_t room)
{
	const char *directory = getenv("TMPDIR");

	if (!access(".", W_OK | X_OK))
		snprintf(path, room, "seep.demo.%ld.seep", (long)getpid());
	else
		snprintf(path, room, "%s/seep.demo.%ld.seep",
			 directory && *directory ? directory : "/tmp", (long)getpid());
}

static int run_example(char *program, char *trace, struct seep_err *err)
{
	char name[] = "run", quiet[] = "-q", force[] = "-f", output[] = "-o", end[] = "--";
	char events[] = "--events", number[] = "200";
	char *argv[] = { name, quiet, force, output, trace, end, program, events, number, NULL };

	return seep_command_run.run((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv, err);
}

static size_t count_accused(const struct seep_verdict *verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < verdict->n_sites; i++)
		n += seep_view_is_accused(&verdict->sites[i]);
	return n;
}

static int judge(const char *trace, struct seep_err *err)
{
	struct seep_analysis analysis;
	struct seep_view view;
	int status = 0;

	if (seep_analysis_open(&analysis, trace, err))
		return SEEP_STATUS_FAILED;
	seep_analysis_resolve_text(&analysis, false);
	view = seep_analysis_view(&analysis, stdout);
	putchar('\n');
	seep_text_report(&view, false);
	if (analysis.verdict.kind == SEEP_KIND_LEAK &&
	    count_accused(&analysis.verdict) >= PLANTED) {
		fputs(outro, stdout);
		printf("  %s run -- ./program\n", seep_self());
	} else {
		seep_err_set(err, EPROTO, "the planted leak was not found; to find out why, run: "
			     "%.200s doctor", seep_self());
		status = SEEP_STATUS_FAILED;
	}
	seep_analysis_close(&analysis);
	return status;
}

static const struct seep_option option_table[] = {
	{ .name = NULL },
};

static int run_demo(int argc, char **argv, struct seep_err *err)
{
	char program[PATH_MAX], trace[PATH_MAX];
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_demo, argc, argv, NULL, &found, err);

	if (status)
		return status;
	if (seep_install_example(program, "hits", err))
		return SEEP_STATUS_FAILED;
	name_trace(trace, sizeof(trace));
	fputs(intro, stdout);
	printf("$ %s run -- %s --events 200\n", seep_self(), program);
	fflush(stdout);
	status = run_example(program, trace, err);
	if (status || err->code) {
		seep_err_set(err, EPROTO, "the example exited with status %d", status);
		return SEEP_STATUS_FAILED;
	}
	return judge(trace, err);
}

const struct seep_command seep_command_demo = {
	.name = "demo",
	.summary = "find a planted leak, in less than half a minute",
	.operands_text = "",
	.operands = SEEP_OPERANDS_NONE,
	.examples =
		"Runs a small program that leaks a known amount per event, and shows the verdict\n"
		"beside the truth. The trace is kept for seep report.\n",
	.notes = "The exit status is 0 if the planted leak was found, 125 if not.\n",
	.options = option_table,
	.run = run_demo,
};
