/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/watch/watch_trace.h"

#include <errno.h>
#include <string.h>


enum gauge { RSS, PSS, PRIVATE, SWAP, LAZY, PROCESSES, GAUGES };

/* As prmon calls them, where it has them. */
static const char *const names[GAUGES] = { "rss", "pss", "private", "swap", "lazyfree",
					   "processes" };

static struct seep_writer *writer_of(struct seep_watch_trace *trace)
{
	return &trace->file.writer;
}

static int write_names(struct seep_watch_trace *trace)
{
	int rc = 0;

	for (uint32_t i = 0; i < GAUGES && !rc; i++) {
		struct seep_rec_name head = { i + 1, (uint32_t)strlen(names[i]) };

		rc = seep_writer_append(writer_of(trace), SEEP_REC_NAME, 0, &head, sizeof(head),
					names[i], head.bytes);
	}
	return rc;
}

int seep_watch_trace_create(struct seep_watch_trace *trace, const struct seep_run_trace_plan *plan,
			    pid_t pid, struct seep_err *err)
{
	int rc;

	memset(trace, 0, sizeof(*trace));
	seep_thinning_init(&trace->thin);
	rc = seep_run_trace_create(&trace->file, plan, pid, err);
	if (rc)
		return rc;
	rc = write_names(trace);
	writer_of(trace)->header->state = SEEP_TRACE_ATTACHED;
	if (!rc)
		rc = seep_writer_publish(writer_of(trace));
	if (rc) {
		seep_run_trace_discard(&trace->file);
		return seep_err_set(err, -rc, "the trace '%.300s' could not be written: %s",
				    trace->file.path, strerror(-rc));
	}
	return 0;
}

static int write_gauges(struct seep_watch_trace *trace, const struct seep_tree_sum *sum,
			uint32_t event, int64_t t_ns)
{
	const int64_t values[GAUGES] = {
		[RSS] = sum->rss_bytes, [PSS] = sum->pss_bytes, [PRIVATE] = sum->private_bytes,
		[SWAP] = sum->swap_bytes, [LAZY] = sum->lazy_bytes,
		[PROCESSES] = (int64_t)sum->processes,
	};
	int rc = 0;

	for (uint32_t i = 0; i < GAUGES && !rc; i++) {
		struct seep_rec_gauge gauge = {
			.bytes = values[i], .t_ns = t_ns, .event = event, .name = i + 1,
		};
		bool needs_pages = i == PSS || i == PRIVATE || i == LAZY;

		if (sum->has_pages || !needs_pages)
			rc = seep_writer_append(writer_of(trace), SEEP_REC_GAUGE, 0, &gauge,
						sizeof(gauge), NULL, 0);
	}
	return rc;
}

static int write_thin(struct seep_watch_trace *trace, uint32_t event, int64_t t_ns)
{
	struct seep_rec_thin thin = { .t_ns = t_ns, .event = event, .stride = trace->thin.stride };
	uint16_t flags = trace->counted ? SEEP_THIN_SPARSE : 0;

	return seep_writer_append(writer_of(trace), SEEP_REC_THIN, flags, &thin, sizeof(thin), NULL,
				  0);
}

/* From here on the events of the program count; the slices of time before it are forgotten. */
static int begin_counting(struct seep_watch_trace *trace, int64_t done, int64_t t_ns)
{
	trace->counted = true;
	trace->base = trace->samples;
	trace->first_done = done;
	trace->last_done = done - 1;
	seep_thinning_init(&trace->thin);
	return write_thin(trace, (uint32_t)trace->base + 1, t_ns);
}

/* Whether this sample is to be written.  Samples are small, so only their number counts. */
static bool is_chosen(struct seep_watch_trace *trace, uint64_t place, uint32_t event, int64_t t_ns)
{
	bool wider;

	if (!seep_thinning_anchor(&trace->thin, place, 0, &wider))
		return false;
	if (wider && !trace->counted)
		write_thin(trace, event, t_ns);
	return true;
}

/*
 * The event of this sample, 0 if it has none: the program is where it was, or has done more
 * than can be numbered.
 */
static uint32_t number_sample(struct seep_watch_trace *trace, int64_t done)
{
	uint64_t event = trace->samples + 1;

	if (trace->counted) {
		if (done <= trace->last_done)
			return 0;
		trace->last_done = done;
		event = trace->base + (uint64_t)(done - trace->first_done) + 1;
	}
	return event < UINT32_MAX ? (uint32_t)event : 0;
}

int seep_watch_trace_add(struct seep_watch_trace *trace, const struct seep_watch_sample *sample)
{
	struct seep_trace_header *header = writer_of(trace)->header;
	struct seep_rec_stamp stamp = { .vm_bytes = sample->sum.vm_bytes,
					.rss_bytes = sample->sum.memory_bytes };
	uint16_t flags = SEEP_STAMP_BEGIN | SEEP_STAMP_RSS;
	uint64_t place;
	int rc = 0;

	if (!header)
		return -EBADF;
	stamp.t_ns = sample->at_ns - header->started_mono_ns;
	if (sample->counted && !trace->counted)
		rc = begin_counting(trace, sample->done, stamp.t_ns);
	stamp.event = number_sample(trace, sample->done);
	if (rc || !stamp.event)
		return rc;
	flags |= trace->counted ? 0 : SEEP_STAMP_TICK;
	stamp.index = trace->counted ? sample->done : (int64_t)stamp.event - 1;
	place = trace->samples++ - trace->base;
	header->events = stamp.event - trace->base;
	rc = seep_writer_publish(writer_of(trace));
	if (rc || !is_chosen(trace, place, stamp.event, stamp.t_ns))
		return rc;
	rc = seep_writer_append(writer_of(trace), SEEP_REC_STAMP, flags, &stamp, sizeof(stamp),
				NULL, 0);
	return rc ? rc : write_gauges(trace, &sample->sum, stamp.event, stamp.t_ns);
}

void seep_watch_trace_note(struct seep_watch_trace *trace, const char *text, int64_t now_ns)
{
	struct seep_rec_note head = { .bytes = (uint32_t)strlen(text) };

	if (!writer_of(trace)->header)
		return;
	head.t_ns = now_ns - writer_of(trace)->header->started_mono_ns;
	seep_writer_append(writer_of(trace), SEEP_REC_NOTE, SEEP_NOTE_INFO, &head, sizeof(head),
			   text, head.bytes);
}
