/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The status line while a process is watched: its memory, the share of the machine's memory, how
 * fast it has been rising, and when it would reach a limit.  The rate is a rough estimate from
 * the last samples; the verdict at the end is the reliable one.
 */
#ifndef SEEP_CLI_WATCH_WATCH_LIVE_H
#define SEEP_CLI_WATCH_WATCH_LIVE_H

#include "cli/run/run_live.h"
#include "os/tool/limit.h"
#include "os/tool/tree.h"

#define SEEP_WATCH_LIVE_POINTS 64

struct seep_watch_live {
	struct seep_run_live line;
	int64_t started_ns;
	int64_t ram_bytes;
	int64_t given_bytes;     /* --limit; 0: not given */
	struct seep_limit_found limits[SEEP_LIMIT_ROOM];
	size_t n_limits;
	double seconds[SEEP_WATCH_LIVE_POINTS], bytes[SEEP_WATCH_LIVE_POINTS];
	size_t n;
	size_t each, skipped;    /* every each-th sample is a point; skipped since the last one */
};

/* own_bytes: the current memory use of the process. */
void seep_watch_live_init(struct seep_watch_live *live, pid_t pid, int64_t own_bytes,
			  int64_t given_bytes, bool wanted);
void seep_watch_live_draw(struct seep_watch_live *live, const struct seep_tree_sum *sum,
			  int64_t now_ns);

/* Bytes per second over the later half of the points; 0 if not worth showing. */
double seep_watch_live_rate(const struct seep_watch_live *live);

#endif
