/* SPDX-License-Identifier: MIT */
#include "record/thin.h"

#include "os/map.h"
#include "record/clock.h"
#include "record/names.h"
#include "record/recording.h"

#define STRIDES_EACH 4096u              /* of one length, before the next is twice as long */
#define STRIDES_LEAST 256u              /* ... even if events are large: */
#define BYTES_EACH ((uint64_t)4 << 20)  /* enough for strides of one length but the first */
#define STRIDE_MAX ((uint32_t)1 << 24)

struct sum {
	double value;
	bool given;
};

static struct {
	uint32_t generation;     /* of the trace that this is about */
	uint32_t base;           /* of the clock */
	uint32_t stride;         /* a power of two */
	uint32_t n_strides;      /* begun, of this length */
	uint64_t bytes;          /* of the trace when this length began */
	uint32_t sample;         /* the event of this stride that is written whole */
	bool partial;            /* the event in progress is not written whole */
	bool untold;             /* nor is its begin */
	struct sum *sums;        /* per name */
	uint16_t given[SEEP_NAMES_MAX]; /* names with a sum */
	uint32_t n_given;
} thin = {.stride = 1};

static void write_thin(uint32_t event, uint16_t flags)
{
	struct seep_rec_thin record = {.t_ns = seep_recording_now(), .event = event,
				       .stride = thin.stride};

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
	bool thinned = thin.stride > 1 && thin.generation == seep_recording_generation();

	thin.generation = seep_recording_generation();
	thin.base = seep_clock.base;
	thin.stride = 1;
	thin.n_strides = 0;
	thin.sample = 0;
	thin.partial = thin.untold = false;
	forget_sums();
	if (thinned)
		write_thin(seep_clock.event, 0);
}

static bool is_long_enough(void)
{
	if (thin.n_strides >= STRIDES_EACH)
		return true;
	return thin.stride > 1 && thin.n_strides >= STRIDES_LEAST &&
	       seep_recording_bytes() - thin.bytes >= BYTES_EACH;
}

/* Only where a longer stride begins, so that anchors are multiples of each stride. */
static void widen(uint32_t place)
{
	if (!is_long_enough() || thin.stride >= STRIDE_MAX || place & (2 * thin.stride - 1))
		return;
	thin.stride *= 2;
	thin.n_strides = 0;
	thin.bytes = seep_recording_bytes();
	write_thin(seep_clock.event, 0);
}

static uint32_t scatter(uint32_t n)
{
	uint64_t h = (n + 1) * 0x9e3779b97f4a7c15u;

	h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
	return (uint32_t)(h >> 32);
}

static void begin_stride(uint32_t place)
{
	widen(place);
	thin.n_strides++;
	thin.sample = place + (scatter(place / thin.stride) & (thin.stride - 1));
}

/* Sums belong to the events before this one, from the last one whose begin was written on. */
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
	uint32_t place;
	bool closes, anchors;

	if (thin.base != seep_clock.base || thin.generation != seep_recording_generation())
		start_again();
	closes = !thin.partial;
	place = seep_clock.event - seep_clock.base - 1;
	anchors = !(place & (thin.stride - 1));
	if (anchors)
		begin_stride(place);
	thin.partial = place != thin.sample;
	thin.untold = thin.partial && !anchors && !closes;
	if (!thin.untold && thin.n_given)
		write_sums(seep_clock.event - 1);
	return !thin.untold;
}

bool seep_thin_is_whole(void)
{
	return !thin.partial || thin.generation != seep_recording_generation();
}

void seep_thin_count(uint32_t name, double value)
{
	struct sum *sum;

	if (!thin.sums)
		thin.sums = seep_map_new(SEEP_NAMES_MAX * sizeof(*thin.sums));
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
	if (thin.stride == 1 || thin.generation != seep_recording_generation())
		return;
	write_sums(seep_clock.event);
	write_thin(seep_clock.event, seep_clock.phase == SEEP_PHASE_BETWEEN
				     ? SEEP_THIN_LAST | SEEP_THIN_ENDED : SEEP_THIN_LAST);
}
