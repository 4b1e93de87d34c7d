/* SPDX-License-Identifier: MIT */
#include "record/thin.h"

#include "os/mmap.h"
#include "record/event_clock.h"
#include "record/names.h"
#include "record/recording.h"
#include "trace/thinning.h"

struct sum {
	double value;
	bool given;
};

static struct {
	uint32_t generation;     /* of the trace that the rest belongs to */
	uint32_t base;           /* of the clock */
	struct seep_thinning now;
	struct sum *sums;        /* per name */
	uint16_t given[SEEP_NAMES_MAX]; /* names with a sum */
	uint32_t n_given;
} thin = {.now = {.stride = 1}};

static void write_thin(uint32_t event, uint16_t flags)
{
	struct seep_rec_thin record = {.t_ns = seep_recording_now(), .event = event,
				       .stride = thin.now.stride};

	seep_recording_write(SEEP_REC_THIN, flags, &record, sizeof(record), NULL, 0);
}

static void forget_sums(void)
{
	while (thin.n_given)
		thin.sums[thin.given[--thin.n_given]] = (struct sum){0, false};
}

/* In a child of fork, and where the program's own events take over from time slices. */
static __attribute__((noinline)) void start_again(void)
{
	bool thinned = thin.now.stride > 1 && thin.generation == seep_recording_generation();

	thin.generation = seep_recording_generation();
	thin.base = seep_event_clock.base;
	seep_thinning_init(&thin.now);
	forget_sums();
	if (thinned)
		write_thin(seep_event_clock.event, 0);
}

/* The sums cover the events before this one, back to the last one whose begin was written. */
static void write_sums(uint32_t event)
{
	uint32_t i;

	for (i = 0; i < thin.n_given; i++) {
		struct seep_rec_count count = {.event = event, .name = thin.given[i],
					       .value = thin.sums[thin.given[i]].value};

		seep_recording_write(SEEP_REC_COUNT, SEEP_COUNT_SUM, &count, sizeof(count), NULL,
				     0);
	}
	forget_sums();
}

bool seep_thin_begin(void)
{
	if (thin.base != seep_event_clock.base || thin.generation != seep_recording_generation())
		start_again();
	if (seep_thinning_begin(&thin.now, seep_event_clock.event - seep_event_clock.base - 1,
				seep_recording_bytes()))
		write_thin(seep_event_clock.event, 0);
	if (!thin.now.untold && thin.n_given)
		write_sums(seep_event_clock.event - 1);
	return !thin.now.untold;
}

uint32_t seep_thin_slice(uint64_t tick)
{
	uint32_t place = (uint32_t)tick - seep_event_clock.base - 1, stride, event;

	if (thin.base != seep_event_clock.base || thin.generation != seep_recording_generation())
		start_again();
	if (tick <= seep_event_clock.base)
		return seep_event_clock.event;
	stride = seep_thinning_slices(place, thin.now.stride);
	event = seep_event_clock.base + 1 + (place & ~(stride - 1));
	if (stride > thin.now.stride) {
		thin.now.stride = stride;
		write_thin(event, 0);
	}
	return event;
}

bool seep_thin_is_whole(void)
{
	return !thin.now.partial || thin.generation != seep_recording_generation();
}

void seep_thin_count(uint32_t name, double value)
{
	struct sum *sum;

	if (!thin.sums)
		thin.sums = seep_mmap_new(SEEP_NAMES_MAX * sizeof(*thin.sums));
	if (!thin.sums || !__builtin_isfinite(value))
		return;
	sum = &thin.sums[name];
	if (!sum->given)
		thin.given[thin.n_given++] = (uint16_t)name;
	sum->given = true;
	sum->value += value;
}

void seep_thin_finish(void)
{
	if (thin.now.stride == 1 || thin.generation != seep_recording_generation())
		return;
	write_sums(seep_event_clock.event);
	write_thin(seep_event_clock.event, seep_event_common.phase == SEEP_PHASE_BETWEEN
				     ? SEEP_THIN_LAST | SEEP_THIN_ENDED : SEEP_THIN_LAST);
}
