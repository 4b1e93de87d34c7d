/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/watch/watch_live.h"
#include "os/clock.h"
#include "render/sizes.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define POINTS_MIN 8
#define RISE_PART .005   /* of the level, below which nobody wants to know */
#define RISE_LEAST 131072.0
#define YEAR_S 3.2e7

void seep_watch_live_init(struct seep_watch_live *live, pid_t pid, int64_t own_bytes,
			  int64_t given_bytes, bool wanted)
{
	memset(live, 0, sizeof(*live));
	seep_live_init(&live->line, pid, wanted);
	live->started_ns = seep_clock_mono_ns();
	live->given_bytes = given_bytes;
	live->each = 1;
	if (!live->line.wanted)
		return;
	live->ram_bytes = seep_member_ram();
	live->n_limits = seep_limit_find("", pid, live->limits, SEEP_LIMIT_ROOM);
	for (size_t i = 0; i < live->n_limits; i++) {
		int64_t *others = &live->limits[i].others_bytes;

		*others -= own_bytes < *others ? own_bytes : *others;
	}
}

/* When there is no room left every other point goes, so that they span all of the time. */
static void add_point(struct seep_watch_live *live, double seconds, double bytes)
{
	if (++live->skipped < live->each)
		return;
	live->skipped = 0;
	if (live->n == SEEP_WATCH_LIVE_POINTS) {
		for (live->n = 0; live->n < SEEP_WATCH_LIVE_POINTS / 2; live->n++) {
			live->seconds[live->n] = live->seconds[2 * live->n];
			live->bytes[live->n] = live->bytes[2 * live->n];
		}
		live->each *= 2;
	}
	live->seconds[live->n] = seconds;
	live->bytes[live->n++] = bytes;
}

double seep_watch_live_rate(const struct seep_watch_live *live)
{
	size_t first = live->n / 2, i;
	double n = (double)(live->n - first), x = 0, y = 0, squares = 0, products = 0, rise;

	if (live->n < POINTS_MIN)
		return 0;
	for (i = first; i < live->n; i++) {
		x += live->seconds[i] / n;
		y += live->bytes[i] / n;
	}
	for (i = first; i < live->n; i++) {
		squares += pow(live->seconds[i] - x, 2);
		products += (live->seconds[i] - x) * (live->bytes[i] - y);
	}
	if (!(squares > 0))
		return 0;
	rise = products / squares * (live->seconds[live->n - 1] - live->seconds[first]);
	return fabs(rise) < fmax(RISE_PART * y, RISE_LEAST) ? 0 : products / squares;
}

/* Seconds until the first limit is met; INFINITY if none is. */
static double find_time_left(const struct seep_watch_live *live, const struct seep_tree_sum *sum,
			     double rate)
{
	double left = live->given_bytes ? (double)(live->given_bytes - sum->memory_bytes)
					: INFINITY;

	for (size_t i = 0; i < live->n_limits; i++) {
		const struct seep_limit_found *limit = &live->limits[i];
		int64_t used = limit->scope == SEEP_LIMIT_SCOPE_ADDRESSES ? sum->vm_bytes
									  : sum->memory_bytes;

		if (!limit->slows)
			left = fmin(left, (double)(seep_limit_left(limit) - used));
	}
	return rate > 0 ? fmax(left, 0) / rate : INFINITY;
}

struct text {
	char letters[256];
	size_t used;
};

__attribute__((format(printf, 2, 3)))
static void put(struct text *text, const char *format, ...)
{
	size_t room = sizeof(text->letters) - text->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->letters + text->used, room, format, args);
	va_end(args);
	if (n > 0)
		text->used += (size_t)n < room ? (size_t)n : room - 1;
}

/* What matters most comes first, as a narrow terminal shows only that. */
static void write_line(struct text *text, const struct seep_watch_live *live,
		       const struct seep_tree_sum *sum, double seconds)
{
	double rate = seep_watch_live_rate(live), left = find_time_left(live, sum, rate);

	put(text, "seep: %s  %s", seep_size_duration(seconds).text,
	    seep_size_format((double)sum->memory_bytes).text);
	if (live->ram_bytes)
		put(text, "  %.1f %% of RAM",
		    100 * (double)sum->memory_bytes / (double)live->ram_bytes);
	if (rate > 0 || rate < 0)
		put(text, "  %c%s/min", rate > 0 ? '+' : '-',
		    seep_size_format(60 * fabs(rate)).text);
	if (left < YEAR_S)
		put(text, "  OOM in about %s", seep_size_duration(left).text);
	if (sum->processes > 1)
		put(text, "  %zu processes", sum->processes);
	if (sum->has_pages)
		put(text, "  PSS %s", seep_size_format((double)sum->pss_bytes).text);
	if (sum->swap_bytes)
		put(text, "  swap %s", seep_size_format((double)sum->swap_bytes).text);
}

void seep_watch_live_draw(struct seep_watch_live *live, const struct seep_tree_sum *sum,
			  int64_t now_ns)
{
	struct text text = { .used = 0 };
	double seconds;

	if (!live->line.wanted)
		return;
	/* The first sample may have been taken before the line was prepared. */
	if (now_ns < live->started_ns)
		live->started_ns = now_ns;
	seconds = (double)(now_ns - live->started_ns) / 1e9;
	add_point(live, seconds, (double)sum->memory_bytes);
	if (!seep_run_live_begin(&live->line, now_ns))
		return;
	write_line(&text, live, sum, seconds);
	seep_run_live_put(text.letters);
}
