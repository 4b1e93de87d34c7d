/* SPDX-License-Identifier: MIT */
#include "record/event_source.h"

#include <string.h>

static const struct seep_trace_header *seep_run; /* its header; NULL: there is none */

void seep_event_source_share(const struct seep_trace_header *shared)
{
	seep_run = shared;
}

void seep_event_source_describe(struct seep_trace_header *header)
{
	if (!seep_run || seep_run == header)
		return;
	header->source = seep_run->source;
	memcpy(header->source_text, seep_run->source_text, sizeof(header->source_text));
}

enum seep_trace_source seep_event_source_get(void)
{
	return seep_run ? (enum seep_trace_source)seep_run->source : SEEP_SOURCE_API;
}

const char *seep_event_source_text(void)
{
	return seep_run ? seep_run->source_text : "";
}

enum seep_trace_ticks seep_event_source_ticks(void)
{
	return seep_run ? (enum seep_trace_ticks)seep_run->tick_on : SEEP_TICKS_OFF;
}
