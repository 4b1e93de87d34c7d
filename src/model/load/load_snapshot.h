/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The snapshots of a trace while it is read, and what is packed in the one that is
 * used.  See loading.h.
 */
#ifndef SEEP_MODEL_LOAD_LOAD_SNAPSHOT_H
#define SEEP_MODEL_LOAD_LOAD_SNAPSHOT_H

#include "model/load/loading.h"
#include "trace/unpack.h"

/* What is packed, one after the other, over all batches. */
struct seep_load_series {
	const struct seep_rec_site_states **batches;
	size_t n_left;           /* batches behind this one */
	uint32_t left;           /* in this one */
	struct seep_unpack numbers;
	uint64_t damaged;        /* batches that ended too early */
};

struct seep_load_state {
	uint64_t site;
	uint64_t born_blocks, born_bytes, died_blocks, died_bytes, moved_blocks;
	uint64_t early_blocks, early_bytes;
	uint64_t ages[SEEP_TRACE_AGE_BINS];
	size_t n_bins;
	uint64_t bins[SEEP_TRACE_COHORT_BINS][2];
};

struct seep_load_frees {
	uint64_t site, node;
	uint64_t ages[SEEP_TRACE_AGE_BINS];
};

struct seep_load_samples {
	uint64_t site;
	size_t n_bins;
	uint64_t bins[SEEP_TRACE_COHORT_BINS][2]; /* blocks seen, standard error in bytes */
};

struct seep_load_moves {
	uint64_t site;
	uint64_t last_event;     /* as in the trace */
	struct seep_moves moves; /* but for its events */
};

/* The one whose survivors tell about the events.  Called when the stamps are built. */
const struct seep_load_snapshot *seep_load_snapshot_judged(const struct seep_load *load);

/* Heap bytes that came in the events, by which sites have less in the second than in the first. */
double seep_load_snapshot_gone(struct seep_load *load, const struct seep_load_snapshot *from,
			       const struct seep_load_snapshot *to);

/* batches is states, frees, samples or moves of a snapshot. */
struct seep_load_series seep_load_snapshot_series(const struct seep_table *batches);

/* False: there are no more. */
bool seep_load_snapshot_next_state(struct seep_load_series *series, struct seep_load_state *state);
bool seep_load_snapshot_next_frees(struct seep_load_series *series, struct seep_load_frees *frees);
bool seep_load_snapshot_next_samples(struct seep_load_series *series,
				     struct seep_load_samples *samples);
bool seep_load_snapshot_next_moves(struct seep_load_series *series, struct seep_load_moves *moves);

#endif
