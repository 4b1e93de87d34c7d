/* SPDX-License-Identifier: MIT */
/*
 * Which events of a long run are in its trace.  A job of ten million events must not leave
 * gigabytes.  So after a few thousand events, only one event of each stride is written, and the
 * stride doubles as the run gets longer: the trace grows with the logarithm of the events.
 *
 *	|A . . S C . . .|A S C . . . . .|A . . . . . S C|A ...
 *
 * The first event of each stride is an anchor (A): its BEGIN is written, so that the
 * series has values at equal distances and at the borders of all cohorts.  One
 * event (S) is written whole, with the BEGIN stamp of the next one (C), which closes it.  It is
 * picked at random, so that it cannot be in phase with anything periodic in the program.
 * For the others, only the sums of their counters are written.
 *
 * Depends on nothing: both the recorder and the importer use it.
 */
#ifndef SEEP_TRACE_THINNING_H
#define SEEP_TRACE_THINNING_H

#include <stdbool.h>
#include <stdint.h>

#define SEEP_THINNING_STRIDES 4096u     /* strides of one length, before the length doubles */
#define SEEP_THINNING_STRIDES_LEAST 256u /* ... even if events are large: */
#define SEEP_THINNING_BYTES ((uint64_t)4 << 20) /* enough for one length, not the first */
#define SEEP_THINNING_STRIDE_MAX ((uint32_t)1 << 24)

struct seep_thinning {
	uint32_t stride;         /* a power of two; 1 at the start */
	uint32_t n_strides;      /* begun, of this length */
	uint64_t bytes;          /* of the trace when this length began */
	uint32_t sample;         /* the event of this stride that is written whole */
	bool partial;            /* the current event is not written whole */
	bool untold;             /* nor is its BEGIN */
};

static inline void seep_thinning_init(struct seep_thinning *thin)
{
	*thin = (struct seep_thinning){.stride = 1};
}

static inline bool seep_thinning_is_long(const struct seep_thinning *thin, uint64_t bytes)
{
	if (thin->n_strides >= SEEP_THINNING_STRIDES)
		return true;
	return thin->stride > 1 && thin->n_strides >= SEEP_THINNING_STRIDES_LEAST &&
	       bytes - thin->bytes >= SEEP_THINNING_BYTES;
}

static inline uint32_t seep_thinning_scatter(uint32_t n)
{
	uint64_t h = (n + 1) * 0x9e3779b97f4a7c15u;

	h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
	return (uint32_t)(h >> 32);
}

/*
 * Whether a stride begins at this place, counted from 0, in a trace of this size.  *wider is set
 * if strides are twice as long from here on.
 */
static inline bool seep_thinning_anchor(struct seep_thinning *thin, uint64_t place, uint64_t bytes,
					bool *wider)
{
	*wider = false;
	if (place & (thin->stride - 1))
		return false;
	*wider = seep_thinning_is_long(thin, bytes) && thin->stride < SEEP_THINNING_STRIDE_MAX &&
		 !(place & (2 * thin->stride - 1));
	if (*wider) {
		thin->stride *= 2;
		thin->n_strides = 0;
		thin->bytes = bytes;
	}
	thin->n_strides++;
	return true;
}

/*
 * The event at this place, counted from 0, begins; the trace has this many bytes.  True: the
 * stride has changed, and the trace must say so before the BEGIN.  It changes only where a
 * longer stride begins, so that anchors are multiples of each stride.
 */
static inline bool seep_thinning_begin(struct seep_thinning *thin, uint32_t place, uint64_t bytes)
{
	bool closes = !thin->partial, wider;
	bool anchors = seep_thinning_anchor(thin, place, bytes, &wider);

	if (anchors)
		thin->sample = place + (seep_thinning_scatter(place / thin->stride) &
					(thin->stride - 1));
	thin->partial = place != thin->sample;
	thin->untold = thin->partial && !anchors && !closes;
	return wider;
}

/*
 * Time slices need not be thinned that way: several of them are one event, which has the number
 * of the first.  Returns how many, at the place of a slice, counted from 0; stride: how many it
 * was before.
 */
static inline uint32_t seep_thinning_slices(uint64_t place, uint32_t stride)
{
	while (place / stride >= SEEP_THINNING_STRIDES && stride < SEEP_THINNING_STRIDE_MAX)
		stride *= 2;
	return stride;
}

#endif
