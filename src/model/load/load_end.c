/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the life of a program ends.
 *
 * Many programs give back all they have before they end: an interpreter that is shut down, static
 * objects that are destroyed.  That tells nothing of how they lived, so the events in which it
 * happened are set apart.
 *
 *	                 .------x.            M: the most in the last moments
 *	        .-------'        `.           F: what was left at the very end
 *	 ------'                   `-- F      x: the last moment before; its event is the first
 *	                 |<-window->|            that does not count
 *
 * It is a clean-up if in the last moments (a fiftieth of the run, or a second if that is less
 * than a fifth; or two events)
 *
 * - the level fell to the last: by a tenth of what was there, or by a fifth of what the run had
 *   added, if that is not next to nothing;
 * - and this is not what it does all the time: in the second half of the run it did not fall by
 *   two thirds of that in as short a time.  A sawtooth does, and so does what gets less all along.
 *
 * The heap is looked at first.  What is given back outside it shows in RSS only; the RSS of time
 * slices is looked at, too.
 *
 * An interpreter that says when its program is over needs none of that.
 */
#include "model/load/load_snapshot.h"
#include "model/load/loading.h"

#include <math.h>

#define LAST_PART 50        /* of the run are its last moments, ... */
#define LAST_NS 1000000000  /* ... or so long, ... */
#define LAST_PART_MOST 5    /* ... but not more than this part of it, ... */
#define LAST_EVENTS 2u      /* ... or so many events */
#define LARGE .1            /* of the level */
#define LARGE_OF_GROWTH .2
#define TINY .01            /* of the level */
#define STILL_THERE .97     /* of what will have gone, where it began */
#define MOSTLY_THERE .85    /* ... and in a snapshot that may be used */
#define DEEPER 1.5          /* times what is usual */
#define GONE_PART .02       /* of what is collected, given back before: by what had held it */

struct course {
	const struct seep_run *run;
	bool rss;                /* else the heap */
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

/* The place of the event in which the last moments begin. */
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

/* The largest fall in the events from first on: within one as well, where work needs room. */
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

/* The largest fall in a time like the last moments, in the second half of the run before them. */
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

/* An event that had ended before is whole. */
static int64_t first_touched(const struct seep_run *run, const struct seep_stamp *stamp)
{
	const struct seep_event *event = &run->events[stamp->event];

	return event->number + (stamp->flags & SEEP_STAMP_END ? 1 : 0);
}

/* False if there is no clean-up; else x, and how much of the heap is enough for a snapshot. */
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

/* The last whole snapshot of these flags before the one at end. */
static const struct seep_load_snapshot *find_snapshot(const struct seep_load *load, size_t end,
						      unsigned int flags)
{
	const struct seep_load_snapshot *snapshots = load->snapshots.items;

	while (end && !(snapshots[end - 1].whole && snapshots[end - 1].flags == flags))
		end--;
	return end ? &snapshots[end - 1] : NULL;
}

/* Does the program do more from this stamp on than end?  An interpreter may be a part of it. */
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

/*
 * An interpreter said when the work was done, and collected garbage.  That is the end, unless
 * some of what had come in the events was given back before: at the end of functions, or by
 * handlers of the exit.  What was collected then may have been held by it.  Returns the last stamp
 * before it, or NULL.
 */
static const struct seep_stamp *find_work_over(struct seep_load *load)
{
	const struct seep_load_snapshot *first = load->snapshots.items, *over, *before, *during;
	struct seep_run *run = load->run;
	double gone = 0;
	size_t i = run->n_stamps;

	over = find_snapshot(load, load->snapshots.n, SEEP_SNAPSHOT_OVER);
	before = over ? find_snapshot(load, (size_t)(over - first),
				      SEEP_SNAPSHOT_OVER | SEEP_SNAPSHOT_PERIODIC) : NULL;
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
	if (during)
		gone = seep_load_snapshot_gone(load, during, before);
	if (gone > GONE_PART * (double)run->collected_bytes)
		return NULL;
	load->over = over;
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
