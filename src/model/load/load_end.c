/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds where the useful part of a run ends.
 *
 * Many programs free everything before they exit: an interpreter shuts down, static objects are
 * destroyed.  That says nothing about the run itself, so the events in which it happens are set
 * apart.
 *
 *	                 .------x.            M: the highest level in the window
 *	        .-------'        `.           F: the level at the very end
 *	 ------'                   `-- F      x: the last moment before the clean-up; its event
 *	                 |<-window->|            is the first that does not count
 *
 * The window is the last fiftieth of the run, or a second if that is less than a fifth of the
 * run, or two events.  It contains a clean-up if
 *
 * - the level falls until the end, by a tenth of the level or by a fifth of what the run had
 *   added, unless that is next to nothing;
 * - and this is unusual: in the second half of the run, it never fell by two thirds of that
 *   amount in as short a time.  A sawtooth does, and so does a level that falls all the time.
 *
 * The heap is examined first.  Memory outside the heap shows only in RSS, so RSS is examined too
 * if events are time slices.
 *
 * None of this is needed if an interpreter says when its program has ended.
 */
#include "model/load/load_snapshot.h"
#include "model/load/loading.h"

#include <math.h>

#define LAST_PART 50        /* the window is this part of the run, ... */
#define LAST_NS 1000000000  /* ... or this long, ... */
#define LAST_PART_MOST 5    /* ... but at most this part of the run, ... */
#define LAST_EVENTS 2u      /* ... or this many events */
#define LARGE .1            /* of the level */
#define LARGE_OF_GROWTH .2
#define TINY .01            /* of the level */
#define STILL_THERE .97     /* part of what will be freed that must be there at x */
#define MOSTLY_THERE .85    /* likewise, in a snapshot that may be used */
#define DEEPER 1.5          /* times the usual fall */
#define GONE_PART .02       /* of what was collected, or of the growth: freed by its owner */
#define SAID_OVER (SEEP_SNAPSHOT_SAID | SEEP_SNAPSHOT_OVER | SEEP_SNAPSHOT_PERIODIC)

struct course {
	const struct seep_run *run;
	bool rss;                /* otherwise the heap */
	double final;            /* F */
	double end_ns;
};

static bool value_at(const struct course *course, const struct seep_stamp *stamp, double *value)
{
	if (!course->rss) {
		*value = (double)stamp->live_bytes;
		return stamp->flags & SEEP_STAMP_HEAP;
	}
	*value = (double)stamp->rss_bytes - (double)stamp->tracker_bytes;
	return stamp->flags & SEEP_STAMP_RSS;
}

static const struct seep_stamp *begin_of(const struct seep_run *run, size_t place)
{
	return &run->stamps[run->events[place].first_stamp];
}

/* The index of the event in which the window starts. */
static size_t find_window(const struct course *course)
{
	const struct seep_run *run = course->run;
	double life = course->end_ns - (double)begin_of(run, 0)->t_ns, last = life / LAST_PART_MOST;
	size_t place = run->n_events > LAST_EVENTS ? run->n_events - LAST_EVENTS : 0;

	if (last > LAST_NS)
		last = LAST_NS;
	if (last < life / LAST_PART)
		last = life / LAST_PART;
	while (place && (double)begin_of(run, place)->t_ns > course->end_ns - last)
		place--;
	return place;
}

/* The largest fall in the events from first on, also within one event that needs work space. */
static double find_fall(const struct course *course, size_t first, size_t end)
{
	const struct seep_run *run = course->run;
	size_t stop = end < run->n_events ? run->events[end].first_stamp : run->n_stamps, i;
	double most = -INFINITY, fall = 0, value;

	for (i = run->events[first].first_stamp; i < stop; i++) {
		if (!value_at(course, &run->stamps[i], &value))
			continue;
		most = fmax(most, value);
		fall = fmax(fall, most - value);
	}
	return fall;
}

/* The largest fall within a window of the same length, in the second half of the run before it. */
static double find_usual(const struct course *course, size_t window)
{
	size_t length = course->run->n_events - window, i;
	double fall = 0;

	for (i = window / 2; i < window; i += length)
		fall = fmax(fall, find_fall(course, i, i + 2 * length < window ? i + 2 * length
									      : window));
	return fall;
}

static bool is_large(const struct course *course, double most)
{
	double fall = most - course->final, first;

	if (fall > LARGE * most)
		return true;
	return value_at(course, begin_of(course->run, 0), &first) && fall > TINY * most &&
	       fall > LARGE_OF_GROWTH * (most > first ? most - first : first - most);
}

static bool is_clean_up(const struct course *course, size_t window, double most)
{
	return most > course->final && is_large(course, most) &&
	       most - course->final > DEEPER * find_usual(course, window);
}

/* The first event that the clean-up affects: an event that had ended before is unaffected. */
static int64_t first_touched(const struct seep_run *run, const struct seep_stamp *stamp)
{
	const struct seep_event *event = &run->events[stamp->event];

	return event->number + (stamp->flags & SEEP_STAMP_END ? 1 : 0);
}

/* False: no clean-up.  Else sets x, and the heap level that a usable snapshot must have. */
static bool find_clean_up(const struct course *course, const struct seep_stamp **at,
			  double *enough)
{
	const struct seep_run *run = course->run;
	size_t window = find_window(course), first = run->events[window].first_stamp, i;
	double most = course->final, value, level;

	for (i = first; i < run->n_stamps; i++)
		if (value_at(course, &run->stamps[i], &value) && value > most)
			most = value;
	if (!is_clean_up(course, window, most))
		return false;
	level = course->final + STILL_THERE * (most - course->final);
	*enough = course->final + MOSTLY_THERE * (most - course->final);
	for (i = run->n_stamps; i-- > first;) {
		*at = &run->stamps[i];
		if (value_at(course, *at, &value) && value >= level)
			return true;
	}
	return false;
}

static const struct seep_anchor *find_anchor(const struct seep_run *run, uint16_t flag)
{
	size_t i = run->n_anchors;

	while (i-- > 0)
		if (run->anchors[i].flags & flag)
			return &run->anchors[i];
	return NULL;
}

static bool begin_heap(struct course *course, const struct seep_load *load)
{
	size_t i = load->run->n_stamps;

	course->rss = false;
	if (load->last && load->last->flags & SEEP_SNAPSHOT_FINAL) {
		course->final = (double)load->last->head->live_bytes;
		return true;
	}
	while (i-- > 0)
		if (value_at(course, &load->run->stamps[i], &course->final))
			return true;
	return false;
}

static bool begin_rss(struct course *course, const struct seep_load *load)
{
	const struct seep_anchor *anchor = find_anchor(load->run, SEEP_ANCHOR_FINAL);

	course->rss = true;
	if (!load->slices || !anchor || !(anchor->flags & SEEP_ANCHOR_RSS))
		return false;
	course->final = (double)anchor->rss_bytes - (double)anchor->swap_bytes -
			(double)anchor->tracker_bytes;
	return true;
}

/* The last complete snapshot with these flags before index end. */
static const struct seep_load_snapshot *find_snapshot(const struct seep_load *load, size_t end,
						      unsigned int flags)
{
	const struct seep_load_snapshot *snapshots = load->snapshots.items;

	while (end && !(snapshots[end - 1].whole && snapshots[end - 1].flags == flags))
		end--;
	return end ? &snapshots[end - 1] : NULL;
}

/* Whether the program continues after this stamp: the interpreter may be embedded in it. */
static bool goes_on(const struct seep_load *load, size_t stamp)
{
	const struct seep_run *run = load->run;
	const struct seep_anchor *anchor = find_anchor(run, SEEP_ANCHOR_FINAL);
	struct course course = { .run = run,
				 .end_ns = (double)(anchor ? anchor->t_ns : run->wall_ns) };

	if (load->slices)
		return stamp < run->n_stamps &&
		       run->stamps[stamp].event < (int64_t)find_window(&course);
	for (; stamp < run->n_stamps; stamp++)
		if (run->stamps[stamp].flags & SEEP_STAMP_BEGIN)
			return true;
	return false;
}

/* What the live heap had grown by, from the first event to this snapshot. */
static double find_grown(const struct seep_run *run, const struct seep_load_snapshot *snapshot)
{
	const struct seep_stamp *first = &run->stamps[run->events[0].first_stamp];

	if (!(first->flags & SEEP_STAMP_HEAP) || snapshot->head->live_bytes <= first->live_bytes)
		return 0;
	return (double)snapshot->head->live_bytes - (double)first->live_bytes;
}

/*
 * Whether what was freed shortly before may have referred to what was collected, or was the leak
 * itself.  An event may hold an object or two while it lasts: if that is next to nothing
 * beside the growth, and so is what was collected, there is no doubt.
 */
static bool is_in_doubt(double gone, double collected, double grown)
{
	return gone > GONE_PART * collected &&
	       (gone > GONE_PART * grown || collected > GONE_PART * grown);
}

/*
 * An interpreter has said that its program is done, and has collected garbage.  That is the end,
 * unless memory from the events was freed shortly before: when functions returned, or by exit
 * handlers.  That memory may have referred to what was collected.  This doubt does not exist if
 * the program itself says where its work ends.
 *
 * With --collect no garbage waited for the last collection, but for that of the last event.  What
 * it freed was held until an exit handler let go of it, so it is not left out.
 *
 * Returns the last stamp before the end, or NULL.
 */
static const struct seep_stamp *find_work_over(struct seep_load *load)
{
	const struct seep_load_snapshot *first = load->snapshots.items, *over, *before, *during;
	struct seep_run *run = load->run;
	size_t i = run->n_stamps;

	over = find_snapshot(load, load->snapshots.n, SEEP_SNAPSHOT_OVER);
	before = over ? find_snapshot(load, (size_t)(over - first),
				      SEEP_SNAPSHOT_OVER | SEEP_SNAPSHOT_PERIODIC) : NULL;
	if (over && !before)
		before = find_snapshot(load, (size_t)(over - first), SAID_OVER);
	if (!before)
		return NULL;
	while (i && run->stamps[i - 1].t_ns > before->head->t_ns)
		i--;
	if (!i || goes_on(load, i))
		return NULL;
	run->collected_last = true;
	if (__builtin_sub_overflow(before->head->live_bytes, over->head->live_bytes,
				   &run->collected_bytes) || run->collected_bytes < 0)
		run->collected_bytes = 0;
	during = find_snapshot(load, (size_t)(before - first), SEEP_SNAPSHOT_PERIODIC);
	if (during && before->flags != SAID_OVER &&
	    is_in_doubt(seep_load_snapshot_gone(load, during, before),
			(double)run->collected_bytes, find_grown(run, during)))
		return NULL;
	load->over = over;
	if (load->header->collections && before->flags != SAID_OVER) {
		load->over = before;
		run->collected_bytes = 0;
	}
	return &run->stamps[i - 1];
}

static void end_with(struct seep_load *load, const struct seep_stamp *at)
{
	load->clean_up_ns = at->t_ns;
	if (at->event > 0)
		load->run->end_event = first_touched(load->run, at);
}

void seep_load_end_find(struct seep_load *load)
{
	struct seep_run *run = load->run;
	const struct seep_anchor *anchor = find_anchor(run, SEEP_ANCHOR_FINAL);
	struct course course = { .run = run,
				 .end_ns = (double)(anchor ? anchor->t_ns : run->wall_ns) };
	const struct seep_stamp *at;

	run->end_event = seep_run_marked(run);
	if (!run->n_events)
		return;
	at = find_work_over(load);
	if (at) {
		load->cleans_up = true;
		end_with(load, at);
		return;
	}
	if (begin_heap(&course, load))
		load->cleans_up = find_clean_up(&course, &at, &load->clean_up_level);
	if (!load->cleans_up && begin_rss(&course, load)) {
		load->cleans_up = find_clean_up(&course, &at, &load->clean_up_level);
		load->clean_up_level = (double)INT64_MAX;
	}
	if (load->cleans_up)
		end_with(load, at);
}
