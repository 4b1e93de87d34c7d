/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line on the terminal while something is watched: how much memory it has, what part of
 * the machine's that is, how fast it rises of late, and how long the limits allow that.  A
 * rough line through the last samples; what is true is for the verdict to tell.
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
	int64_t given_bytes;     /* --limit, or 0 */
	struct seep_limit_found limits[SEEP_LIMIT_ROOM];
	size_t n_limits;
	double seconds[SEEP_WATCH_LIVE_POINTS], bytes[SEEP_WATCH_LIVE_POINTS];
	size_t n;
	size_t each, skipped;    /* samples from one point to the next */
};

/* own_bytes: what the process has by now. */
void seep_watch_live_init(struct seep_watch_live *live, pid_t pid, int64_t own_bytes,
			  int64_t given_bytes, bool wanted);
void seep_watch_live_draw(struct seep_watch_live *live, const struct seep_tree_sum *sum,
			  int64_t now_ns);

/* Bytes per second over the later half of what was seen; 0 if they are not worth telling. */
double seep_watch_live_rate(const struct seep_watch_live *live);

#endif
