/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time slices without a record.
 *
 * If time slices of seep run's clock are the events, the trace has the starts of those slices in
 * which the program changed its memory.  In the others, nothing was allocated or freed, so the
 * values at their start are those of the next stamp:
 *
 *	tick      1     2     3     4     5     6     7     8
 *	trace     |a           |b                 |c           end
 *	heap      a     b     b     c     c     c  ...          at the end
 *
 * They are filled in up to the end of the program, so that the events are slices of equal length
 * without gaps.  In a long run, only every stride-th slice is, as in the recorder.
 */
#include "model/load/loading.h"

#include "trace/thinning.h"

bool seep_load_slices_are_events(const struct seep_load *load)
{
	return load->header->slice_first && load->header->tick_ns &&
	       load->header->tick_ns <= INT64_MAX;
}

/* The number of the slice at this time, from 0; -1: before the first slice. */
static int64_t number_at(const struct seep_load *load, int64_t t_ns)
{
	const struct seep_trace_header *header = load->header;
	int64_t since, tick;

	if (__builtin_sub_overflow(t_ns, header->slice_origin_ns, &since) || since < 0)
		return -1;
	tick = since / (int64_t)header->tick_ns;
	if (tick > UINT32_MAX)
		tick = UINT32_MAX;
	return tick < header->slice_first ? -1 : tick - (int64_t)header->slice_first;
}

static int64_t begin_of(const struct seep_load *load, int64_t number)
{
	const struct seep_trace_header *header = load->header;
	int64_t ns;

	if (__builtin_mul_overflow(number + header->slice_first, (int64_t)header->tick_ns, &ns) ||
	    __builtin_add_overflow(ns, header->slice_origin_ns, &ns))
		return INT64_MAX;
	return ns;
}

/* When the program was about to end, as far as this is known. */
static int64_t find_end(const struct seep_load *load)
{
	const struct seep_reader_record *records = load->anchors.items;
	size_t i = load->anchors.n;

	while (i-- > 0)
		if (records[i].flags & SEEP_ANCHOR_FINAL)
			return ((const struct seep_rec_anchor *)records[i].payload)->t_ns;
	if (load->exit && load->exit->t_ns > load->run->wall_ns)
		return load->exit->t_ns;
	return load->run->wall_ns;
}

int64_t seep_load_slices_most(const struct seep_load *load)
{
	int64_t wall = load->run->wall_ns, exit = load->exit ? load->exit->t_ns : 0;

	return number_at(load, exit > wall ? exit : wall) + 1;
}

void seep_load_slices_plan(struct seep_load *load, int64_t last)
{
	int64_t n = number_at(load, find_end(load)) + 1;

	if (load->last_event && (uint64_t)n > load->last_event)
		n = (int64_t)load->last_event;
	load->n_slices = n > last ? n : last;
	if (load->n_slices)
		load->stride = seep_thinning_slices((uint64_t)load->n_slices - 1,
						    (uint32_t)load->stride);
}

size_t seep_load_slices_room(const struct seep_load *load)
{
	return (size_t)(load->n_slices / (int64_t)load->stride) + 1;
}

static double distance(const struct seep_sample *sample, int64_t t_ns)
{
	return fabs((double)sample->t_ns - (double)t_ns);
}

/* The sample nearest in time, or NULL if none is close enough. */
static const struct seep_sample *find_sample(struct seep_load *load, int64_t t_ns)
{
	const struct seep_run *run = load->run;
	const struct seep_sample *samples = run->samples;
	double far = 2 * (double)load->stride * (double)load->header->tick_ns;
	size_t n = run->n_samples, *at = &load->sample_at;

	if (!n)
		return NULL;
	while (*at + 1 < n && samples[*at + 1].t_ns <= t_ns)
		++*at;
	if (*at + 1 < n && distance(&samples[*at + 1], t_ns) < distance(&samples[*at], t_ns))
		++*at;
	far += distance(&samples[0], samples[n - 1].t_ns) / (double)n;
	return distance(&samples[*at], t_ns) <= far ? &samples[*at] : NULL;
}

static void fill_rss(struct seep_load *load, struct seep_stamp *stamp)
{
	const struct seep_sample *sample = find_sample(load, stamp->t_ns);

	if (!sample || !(sample->flags & SEEP_SAMPLE_RSS))
		return;
	stamp->vm_bytes = sample->vm_bytes;
	stamp->rss_bytes = sample->rss_bytes - sample->swap_bytes;
	stamp->tracker_bytes = sample->tracker_bytes;
	stamp->flags |= SEEP_STAMP_RSS;
}

static void add_slice(struct seep_load *load, int64_t number, const struct seep_stamp *next)
{
	struct seep_run *run = load->run;
	int64_t t_ns = begin_of(load, number);
	struct seep_stamp *stamp;

	if (t_ns > next->t_ns)
		t_ns = next->t_ns;
	if (run->n_stamps && t_ns < run->stamps[run->n_stamps - 1].t_ns)
		t_ns = run->stamps[run->n_stamps - 1].t_ns;
	seep_load_stamps_begin(run, number)->index = number + load->events_before;
	stamp = seep_load_stamps_next(run);
	stamp->t_ns = t_ns;
	stamp->flags = SEEP_STAMP_BEGIN | SEEP_STAMP_TICK | SEEP_STAMP_FILLED;
	stamp->tracker_bytes = next->tracker_bytes;
	if (next->flags & SEEP_STAMP_HEAP) {
		stamp->live_bytes = next->live_bytes;
		stamp->live_blocks = next->live_blocks;
		stamp->flags |= SEEP_STAMP_HEAP;
	}
	fill_rss(load, stamp);
}

static void fill_before(struct seep_load *load, int64_t end, const struct seep_stamp *next)
{
	const struct seep_run *run = load->run;
	int64_t stride = (int64_t)load->stride, number = 0;

	if (run->n_events)
		number = (run->events[run->n_events - 1].number / stride + 1) * stride;
	for (; number < end; number += stride)
		add_slice(load, number, next);
}

void seep_load_slices_fill(struct seep_load *load, const struct seep_stamp *next, int64_t number)
{
	int64_t end = number_at(load, next->t_ns) + 1;

	if (next->flags & SEEP_STAMP_BEGIN || number < end)
		end = number;
	if (end > load->n_slices) /* another thread makes stamps while the program ends */
		end = load->n_slices;
	fill_before(load, end, next);
}

/* The values at the end.  If the program was killed, they are unknown, and the last ones count. */
static void find_last(const struct seep_load *load, struct seep_stamp *last)
{
	const struct seep_run *run = load->run;
	const struct seep_load_snapshot *snapshot = load->last;
	size_t i = run->n_stamps;

	*last = (struct seep_stamp){ 0 };
	while (i && !(run->stamps[i - 1].flags & SEEP_STAMP_HEAP))
		i--;
	if (i)
		*last = run->stamps[i - 1];
	if (snapshot && snapshot->flags & SEEP_SNAPSHOT_FINAL) {
		last->live_bytes = snapshot->head->live_bytes;
		last->live_blocks = snapshot->head->live_blocks;
		last->flags |= SEEP_STAMP_HEAP;
	}
	last->t_ns = INT64_MAX;
}

void seep_load_slices_end(struct seep_load *load)
{
	struct seep_run *run = load->run;
	struct seep_stamp last;

	find_last(load, &last);
	fill_before(load, load->n_slices, &last);
	run->stride = (int64_t)load->stride;
	if (run->n_events)
		run->events_after = load->n_slices - 1 - run->events[run->n_events - 1].number;
}

/* A time slice follows from the time, since an idle program does not know its number. */
void seep_load_slices_number(const struct seep_load *load, struct seep_sample *sample)
{
	int64_t n = seep_run_marked(load->run);

	sample->event = number_at(load, sample->t_ns);
	if (sample->event >= n)
		sample->event = n - 1;
}
