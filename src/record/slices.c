/* SPDX-License-Identifier: MIT */
#include "record/slices.h"

#include "record/event_clock.h"
#include "record/event_source.h"
#include "record/recording.h"
#include "record/listen.h"

void seep_slices_begin(bool wanted)
{
	uint32_t tick = (uint32_t)seep_recording_tick();

	seep_listen_begin();
	if (wanted && !seep_event_clock.own_events && tick > seep_event_clock.event)
		seep_event_clock_set(tick);
	__atomic_store_n(&seep_event_clock.base, seep_event_clock.event, __ATOMIC_RELAXED);
}

void seep_slices_describe(struct seep_trace_header *header,
			  const struct seep_trace_header *shared, bool wanted)
{
	header->slice_first = 0;
	if (!wanted || seep_event_clock.own_events || seep_event_source_ticks() == SEEP_TICKS_OFF)
		return;
	header->tick_ns = shared->tick_ns;
	header->slice_origin_ns = shared->started_mono_ns - header->started_mono_ns;
	header->slice_first = seep_event_clock.base + 1;
}
