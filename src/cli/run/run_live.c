/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/run_live.h"
#include "os/tool/proc.h"
#include "render/sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PERIOD_NS 500000000
#define COLUMNS 80 /* where the terminal does not say */

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

void seep_run_live_put(const char *text)
{
	struct winsize size;
	int columns = COLUMNS;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		columns = size.ws_col;
	fprintf(stderr, "%.*s", columns - 1, text);
	fflush(stderr);
}

/* Whether nobody writes to the terminal, and the cursor is where a line begins. */
static bool take_terminal(struct seep_lines_status *terminal)
{
	if (!seep_lines_status_try(terminal))
		return false;
	if (!terminal || !terminal->inside_line)
		return true;
	seep_lines_status_give(terminal);
	return false;
}

static void draw(const struct seep_run_live *live, const struct seep_trace_header *header,
		 int64_t now_ns)
{
	double seconds = (double)(now_ns - header->started_mono_ns) / 1e9;
	uint64_t events = __atomic_load_n(&header->events, __ATOMIC_RELAXED);
	int64_t live_bytes = __atomic_load_n(&header->live_bytes, __ATOMIC_RELAXED), rss;
	char text[256], tail[80] = "";

	rss = seep_proc_rss(live->pid);
	if (rss >= 0)
		snprintf(tail, sizeof(tail), "  RSS %s", seep_size_format((double)rss).text);
	snprintf(text, sizeof(text), "seep: %s  %" PRIu64 " event%s  heap %s%s",
		 seep_size_duration(seconds).text, events, events == 1 ? "" : "s",
		 seep_size_format((double)live_bytes).text, tail);
	seep_run_live_put(text);
	if (live->terminal)
		live->terminal->drawn = true;
}

void seep_run_live_draw(struct seep_run_live *live, const struct seep_trace_header *header,
			int64_t now_ns)
{
	if (!live->wanted || now_ns < live->due_ns || !take_terminal(live->terminal))
		return;
	if (seep_run_live_begin(live, now_ns))
		draw(live, header, now_ns);
	seep_lines_status_give(live->terminal);
}

/* The program's output may have erased it by now. */
void seep_run_live_erase(struct seep_run_live *live)
{
	if (!live->drawn)
		return;
	seep_lines_status_take(live->terminal);
	if (!live->terminal || live->terminal->drawn)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	live->drawn = false;
	if (live->terminal)
		live->terminal->drawn = false;
	seep_lines_status_give(live->terminal);
}
