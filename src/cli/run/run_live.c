/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/run_live.h"
#include "os/tool/proc.h"
#include "render/sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PERIOD_NS 500000000

void seep_live_init(struct seep_run_live *live, pid_t pid, bool wanted)
{
	const char *term = getenv("TERM");

	memset(live, 0, sizeof(*live));
	live->pid = pid;
	live->wanted = wanted && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

/* A background job must not write over what the user does. */
static bool is_in_front(void)
{
	return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

bool seep_run_live_begin(struct seep_run_live *live, int64_t now_ns)
{
	if (!live->wanted || now_ns < live->due_ns || !is_in_front())
		return false;
	live->due_ns = now_ns + PERIOD_NS;
	live->drawn = true;
	fputs("\r\033[K", stderr);
	return true;
}

void seep_run_live_draw(struct seep_run_live *live, const struct seep_trace_header *header,
			int64_t now_ns)
{
	int64_t rss;

	if (!seep_run_live_begin(live, now_ns))
		return;
	rss = seep_proc_rss(live->pid);
	fprintf(stderr, "seep: %s", seep_size_duration(
		(double)(now_ns - header->started_mono_ns) / 1e9).text);
	fprintf(stderr, "  %" PRIu64 " %s", __atomic_load_n(&header->events, __ATOMIC_RELAXED),
		"events");
	fprintf(stderr, "  heap %s", seep_size_format((double)__atomic_load_n(
		&header->live_bytes, __ATOMIC_RELAXED)).text);
	if (rss >= 0)
		fprintf(stderr, "  RSS %s", seep_size_format((double)rss).text);
	fflush(stderr);
}

void seep_run_live_erase(struct seep_run_live *live)
{
	if (!live->drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	live->drawn = false;
}
