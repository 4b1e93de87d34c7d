/* SPDX-License-Identifier: MIT */
#include "record/heap/snapshot.h"

#include "os/map.h"
#include "record/clock.h"
#include "record/heap/account.h"
#include "record/heap/module.h"
#include "record/heap/thread.h"
#include "record/heap/walk.h"
#include "record/recording.h"

#include <string.h>

#define FIRST_AFTER_NS 1000000000
#define BATCH 1024u

/* Live blocks and bytes of one site by birth. */
struct row {
	uint64_t early_blocks, early_bytes;
	uint64_t bins[SEEP_TRACE_COHORT_BINS][2];
};

struct census {
	uint32_t *row_of;        /* site -> row + 1 */
	struct row *rows;
	uint32_t n_rows;
	uint32_t sites;          /* sites from here on came too late for this census */
	uint32_t base;           /* events up to this one count as early */
	uint32_t now;
	uint32_t shift;          /* log2 of the events per bin */
	int64_t blocks, bytes;
};

static struct {
	uint32_t nodes, sites;   /* already in the trace */
	uint32_t generation;
	uint64_t ordinal;
	int64_t last_end_ns, last_cost_ns;
} done;

static void count_block(const struct seep_live_block *live, void *context)
{
	struct census *census = context;
	uint32_t age = (census->now - live->event) & SEEP_LIVE_EVENT_MASK;
	uint32_t birth = census->now > age ? census->now - age : 0;
	struct row *row;

	if (live->site >= census->sites)
		return;
	if (!census->row_of[live->site])
		census->row_of[live->site] = ++census->n_rows;
	row = &census->rows[census->row_of[live->site] - 1];
	census->blocks++;
	census->bytes += (int64_t)live->bytes;
	if (birth <= census->base) {
		row->early_blocks++;
		row->early_bytes += live->bytes;
	} else {
		uint64_t *bin = row->bins[(birth - census->base - 1) >> census->shift];

		bin[0]++;
		bin[1] += live->bytes;
	}
}

/* Nodes and sites that are new since the last time, in batches. */
static void write_nodes(void)
{
	static struct seep_rec_node batch[BATCH];
	uint32_t n = seep_intern_count(&seep_walk_nodes);

	while (done.nodes < n) {
		struct seep_rec_nodes head = {.first = done.nodes};

		for (; head.count < BATCH && done.nodes < n; head.count++, done.nodes++) {
			const struct seep_intern_item *item = &seep_walk_nodes.items[done.nodes];

			batch[head.count].pc = item->a;
			batch[head.count].parent = (uint32_t)(item->b >> 32);
			batch[head.count].module = (uint32_t)item->b;
		}
		seep_recording_write(SEEP_REC_NODES, 0, &head, sizeof(head), batch,
				     head.count * sizeof(batch[0]));
	}
}

static void write_sites(uint32_t n)
{
	static struct seep_rec_site batch[BATCH];

	while (done.sites < n) {
		struct seep_rec_sites head = {.first = done.sites};

		for (; head.count < BATCH && done.sites < n; head.count++, done.sites++) {
			const struct seep_intern_item *item = &seep_account_sites.items[done.sites];

			batch[head.count].node = seep_account_sites.values[done.sites];
			batch[head.count].phase = (uint32_t)(item->b >> 32);
			batch[head.count].kind = (uint32_t)item->b;
		}
		seep_recording_write(SEEP_REC_SITES, 0, &head, sizeof(head), batch,
				     head.count * sizeof(batch[0]));
	}
}

/* The sites up to n were counted before, so that what they refer to is there by now. */
static void write_definitions(uint32_t sites)
{
	if (done.generation != seep_recording_generation()) {
		done.generation = seep_recording_generation();
		done.nodes = done.sites = 1;
	}
	write_nodes();
	seep_module_write_new();
	write_sites(sites);
}

static uint32_t last_nonzero(const uint64_t *values, uint32_t n)
{
	while (n && !values[n - 1])
		n--;
	return n;
}

static uint32_t used_bins(const struct row *row)
{
	return (last_nonzero(row->bins[0], SEEP_TRACE_COHORT_BINS * 2) + 1) / 2;
}

static void write_site_state(const struct census *census, uint32_t site, const struct row *row)
{
	static uint64_t tail[SEEP_TRACE_AGE_BINS + SEEP_TRACE_COHORT_BINS * 2];
	struct seep_rec_site_state state = {.ordinal = done.ordinal, .site = site};
	struct seep_tally sum;

	seep_account_sum_site(site, &sum, tail);
	state.born_blocks = sum.born_blocks;
	state.born_bytes = sum.born_bytes;
	state.died_blocks = sum.died_blocks;
	state.died_bytes = sum.died_bytes;
	state.moved_blocks = sum.moved_blocks;
	state.ages = last_nonzero(tail, SEEP_TRACE_AGE_BINS);
	state.first_event = census->base + 1;
	state.events_per_bin = 1u << census->shift;
	if (row) {
		state.early_blocks = row->early_blocks;
		state.early_bytes = row->early_bytes;
		state.bins = used_bins(row);
		memcpy(tail + state.ages, row->bins, state.bins * sizeof(row->bins[0]));
	}
	seep_recording_write(SEEP_REC_SITE_STATE, 0, &state, sizeof(state), tail,
			     (state.ages + state.bins * 2) * sizeof(tail[0]));
}

static uint64_t write_states(const struct census *census, bool all)
{
	uint64_t written = 0;
	uint32_t site;

	for (site = 1; site < census->sites; site++) {
		uint32_t row = census->row_of[site];

		if (!row && !all)
			continue;
		write_site_state(census, site, row ? &census->rows[row - 1] : NULL);
		written++;
	}
	return written;
}

static void write_frees(uint32_t pairs)
{
	uint32_t pair, i;

	for (pair = 1; pair < pairs; pair++) {
		const struct seep_intern_item *item = &seep_account_frees.items[pair];
		const uint64_t *ages = seep_account_free_ages(pair);
		struct seep_rec_freed_by freed = {
			.ordinal = done.ordinal,
			.site = (uint32_t)item->a,
			.node = seep_account_frees.values[pair],
			.ages = last_nonzero(ages, SEEP_TRACE_AGE_BINS),
		};

		for (i = 0; i < freed.ages; i++)
			freed.blocks += ages[i];
		seep_recording_write(SEEP_REC_FREED_BY, 0, &freed, sizeof(freed), ages,
				     freed.ages * sizeof(ages[0]));
	}
}

static void write_head(const struct census *census, uint16_t flags)
{
	struct seep_rec_snapshot head = {
		.t_ns = seep_recording_now(),
		.ordinal = done.ordinal,
		.live_blocks = census->blocks,
		.live_bytes = census->bytes,
		.tracker_bytes = seep_map_resident_bytes(),
		.event = census->now,
	};
	struct seep_account_losses losses;

	seep_account_losses(&losses);
	head.missed = losses.missed;
	head.dropped = losses.dropped;
	head.lost_walks = losses.lost_walks;
	seep_recording_write(SEEP_REC_SNAPSHOT, flags, &head, sizeof(head), NULL, 0);
}

static void write_census(const struct census *census, uint16_t flags)
{
	uint32_t pairs = seep_intern_count(&seep_account_frees);
	struct seep_rec_snapshot_end end = {.ordinal = ++done.ordinal};

	write_definitions(census->sites);
	write_head(census, flags);
	end.sites = write_states(census, flags & SEEP_SNAPSHOT_FINAL);
	write_frees(pairs);
	seep_recording_write(SEEP_REC_SNAPSHOT_END, 0, &end, sizeof(end), NULL, 0);
}

void seep_snapshot_write(uint16_t flags)
{
	struct census census = {.base = seep_clock.base, .now = seep_clock.event,
				.sites = seep_intern_count(&seep_account_sites)};
	size_t map_bytes = census.sites * sizeof(*census.row_of);
	size_t rows_bytes = census.sites * sizeof(*census.rows);
	uint32_t events = census.now - census.base;

	census.row_of = seep_map_scratch(map_bytes);
	census.rows = seep_map_scratch(rows_bytes);
	while (events >> census.shift >= SEEP_TRACE_COHORT_BINS)
		census.shift++;
	if (census.row_of && census.rows) {
		seep_live_scan(count_block, &census);
		write_census(&census, flags);
	} else {
		seep_recording_note("a snapshot was left out: no address space for it",
				    SEEP_NOTE_INFO);
	}
	if (census.row_of)
		seep_map_drop(census.row_of, map_bytes);
	if (census.rows)
		seep_map_drop(census.rows, rows_bytes);
}

void seep_snapshot_consider(void)
{
	int64_t now = seep_recording_now(), due = FIRST_AFTER_NS;

	if (now / 10 > due)
		due = now / 10;
	if (done.last_cost_ns * 50 > due)
		due = done.last_cost_ns * 50;
	if (now - done.last_end_ns < due)
		return;
	seep_snapshot_write(SEEP_SNAPSHOT_PERIODIC);
	done.last_end_ns = seep_recording_now();
	done.last_cost_ns = done.last_end_ns - now;
}
