/* SPDX-License-Identifier: MIT */
#include "record/heap/book/due.h"

#include "record/event_clock.h"
#include "record/heap/book/account.h"
#include "record/heap/book/snapshot.h"
#include "record/heap/thread.h"
#include "record/recording.h"

#include <stdbool.h>

#define GAP_NS 2000000      /* least time between two snapshots */
#define GRACE_NS 10000000   /* time that all of them may take beyond a fiftieth of the run */
#define MILESTONE_GRACE_NS 50000000
#define MILESTONE_FIRST 32u /* events, then doubled */
#define BYTES_EASY 32768    /* snapshots up to this size are written at each twentieth of the run */
#define GAP_MOST_PART 8     /* longest gap, as a part of the time so far, however large they are */
#define FALL_PART 32        /* the heap falls if it has lost this part of its peak */
#define FALL_GAP_PART 4     /* part of the usual gap that must pass before the snapshot of a fall */

static struct {
	uint32_t generation;
	uint32_t events;         /* at the last look */
	int64_t first_ns;        /* when the first event began */
	int64_t cost_ns;         /* of the snapshots before that */
	bool own_events;         /* the program marks them */
	uint64_t ordinal;        /* of the last snapshot that was seen */
	int64_t most_bytes;      /* live, since then */
} seen;

/*
 * A new trace (of a child of fork) has its own clock.  So have the program's own events, which
 * replace time slices: the cost of the snapshots before them is forgotten.
 */
static void notice_new_clock(int64_t now, const struct seep_snapshot_past *past)
{
	if (seen.generation != seep_recording_generation() || !seen.first_ns ||
	    seen.own_events != seep_event_clock.own_events) {
		seen.generation = seep_recording_generation();
		seen.own_events = seep_event_clock.own_events;
		seen.events = 0;
		seen.first_ns = now;
		seen.cost_ns = past->cost_ns;
		seen.most_bytes = 0;
	}
	if (seen.ordinal != past->ordinal)
		seen.most_bytes = 0;
	seen.ordinal = past->ordinal;
}

/* A loop may end in less time than the gap.  Several slices may pass at once. */
static bool is_milestone(uint32_t events)
{
	uint32_t before = seen.events;

	seen.events = events;
	return events >= MILESTONE_FIRST && events > before && (events ^ before) > before;
}

/* True once per fall: from then on the lower value is the peak. */
static bool is_falling(void)
{
	int64_t bytes, blocks;

	seep_thread_totals(&bytes, &blocks);
	if (bytes < seen.most_bytes - seen.most_bytes / FALL_PART) {
		seen.most_bytes = bytes;
		return true;
	}
	if (bytes > seen.most_bytes)
		seen.most_bytes = bytes;
	return false;
}

/* A twentieth of the time since the first event, or up to an eighth if snapshots are large. */
static int64_t find_gap(int64_t elapsed, int64_t bytes)
{
	int64_t gap = elapsed / 20;

	if (bytes > BYTES_EASY)
		gap = gap / BYTES_EASY * bytes;
	if (gap > elapsed / GAP_MOST_PART)
		gap = elapsed / GAP_MOST_PART;
	return gap > GAP_NS ? gap : GAP_NS;
}

/* A short loop has no snapshots but its milestones, and those are few. */
static bool is_affordable(int64_t cost, int64_t elapsed, bool milestone)
{
	if (milestone && seen.own_events)
		return cost <= MILESTONE_GRACE_NS + elapsed / 10;
	return cost <= GRACE_NS + elapsed / 50;
}

void seep_due_consider(int64_t now)
{
	struct seep_snapshot_past past = seep_snapshot_past();
	int64_t elapsed, since, gap;
	bool milestone, falling;

	notice_new_clock(now, &past);
	milestone = is_milestone(seep_event_clock.event - seep_event_clock.base);
	falling = is_falling();
	elapsed = now - seen.first_ns;
	if (!is_affordable(past.cost_ns - seen.cost_ns, elapsed, milestone))
		return;
	since = now - (past.last_ns > seen.first_ns ? past.last_ns : seen.first_ns);
	gap = find_gap(elapsed, past.bytes);
	if (since >= gap || milestone || (falling && since >= gap / FALL_GAP_PART))
		seep_snapshot_write(SEEP_SNAPSHOT_PERIODIC);
}
