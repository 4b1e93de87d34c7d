/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/run_pending.h"

#define HANDED_NS 4000000
#define IDLE_NS 50000000     /* when nothing is handed over yet */
#define PUBLISH_NS 100000000 /* from one copy of the header into the file to the next */

static bool is_handed(const struct seep_run_trace *trace)
{
	return trace->pending && seep_pending_state(trace->pending) == SEEP_PENDING_HANDED;
}

int64_t seep_run_pending_gap(const struct seep_run_trace *trace)
{
	return is_handed(trace) ? HANDED_NS : IDLE_NS;
}

/* The recorder has written to the file until now. */
static int begin(struct seep_run_trace *trace)
{
	struct seep_trace_header found;

	if (trace->drains)
		return 0;
	trace->drains = true;
	return seep_writer_resume(&trace->writer, &found);
}

static int publish(struct seep_run_trace *trace, int64_t now_ns)
{
	if (now_ns - trace->published_ns < PUBLISH_NS)
		return 0;
	trace->published_ns = now_ns;
	return seep_writer_publish(&trace->writer);
}

/* What cannot be written now cannot be written later: the recorder need not wait for it. */
void seep_run_pending_look(struct seep_run_trace *trace, int64_t now_ns)
{
	int rc;

	if (!is_handed(trace))
		return;
	__atomic_store_n(&trace->pending->now_ns, now_ns, __ATOMIC_RELAXED);
	rc = begin(trace);
	if (!rc)
		rc = seep_writer_drain(&trace->writer, trace->pending);
	if (!rc)
		rc = publish(trace, now_ns);
	if (!rc)
		return;
	trace->writer.header->failure = (uint32_t)-rc;
	seep_pending_set_state(trace->pending, SEEP_PENDING_CLOSED);
}
