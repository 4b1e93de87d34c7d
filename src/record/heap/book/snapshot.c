/* SPDX-License-Identifier: MIT */
/*
 *	scan of the live blocks --> census: a row per site, survivors by birth
 *	counters of the threads --> sums per site: born, died, ages at death
 *	                              |
 *	new nodes, modules, sites --> SNAPSHOT, packed SITE_STATES, SITE_MOVES and FREE_SITES,
 *	                              SNAPSHOT_END
 */
#include "record/heap/book/snapshot.h"

#include "os/clock.h"
#include "os/mmap.h"
#include "record/event_clock.h"
#include "record/heap/births.h"
#include "record/heap/book/account.h"
#include "record/heap/book/chains.h"
#include "record/heap/book/holdings.h"
#include "record/heap/book/poisson.h"
#include "record/heap/book/pooled.h"
#include "record/heap/book/sample.h"
#include "record/heap/book/settle.h"
#include "record/heap/ordering.h"
#include "record/heap/pack.h"
#include "record/heap/python/python.h"
#include "record/heap/python/python_code.h"
#include "record/heap/python/python_objects.h"
#include "record/heap/real/real.h"
#include "record/heap/stack/module.h"
#include "record/heap/stack/nodes.h"
#include "record/heap/thread.h"
#include "record/recording.h"

#include <string.h>

#define FREE_SITES_MAX 4 /* written for each site */
#define OBJECTS_MAX ((int64_t)4 << 20) /* blocks; looking at so many takes about a second */

struct census {
	struct seep_births births;
	uint32_t sites, pairs;   /* newer ones came too late for this census */
	uint32_t base;           /* events up to this one count as early */
	uint32_t now;
	uint32_t shift;          /* log2 of the events per bin */
	int64_t blocks, bytes;
	uint16_t why;
	bool objects;            /* their types are looked for */
	bool alone;              /* when the scan began, no other thread had a record */
};

static struct {
	uint32_t generation;
	uint64_t ordinal;
	int64_t last_ns;         /* the end of the last snapshot */
	int64_t cost_ns;         /* of all, without the definitions, which come only once */
	int64_t bytes;           /* of the last, likewise */
	bool over;               /* one was taken when the work was done */
} done;

/* Counts n blocks, of which one was seen.  False if its site is newer than this snapshot. */
static inline bool count_blocks(struct census *census, const struct seep_live_block *live,
				uint64_t n)
{
	uint32_t age = seep_event_clock_age(live->event, census->now);
	uint32_t birth = census->now > age ? census->now - age : 0, slot, bin = SEEP_BIRTHS_EARLY;
	uint64_t bytes = n * live->bytes;

	if (live->site >= census->sites)
		return false;
	if (birth > census->base)
		bin = (birth - census->base - 1) >> census->shift;
	slot = seep_births_slot(&census->births, live->site, bin);
	if (!slot && bin != SEEP_BIRTHS_EARLY)
		slot = seep_births_slot(&census->births, live->site, SEEP_BIRTHS_EARLY);
	if (!slot)
		return false;
	if (bin != SEEP_BIRTHS_EARLY && census->births.sure) {
		census->births.sure[slot].blocks++;
		census->births.sure[slot].variance +=
			(seep_poisson_wide)(bytes - live->bytes) * bytes;
	}
	census->births.counts[slot].blocks += n;
	census->births.counts[slot].bytes += bytes;
	return true;
}

static void count_held(const struct seep_live_block *live, void *context)
{
	struct seep_live_block coded = *live;

	coded.event = seep_event_clock_encode(live->event);
	count_blocks(context, &coded, 1);
}

static void count_heap(struct census *census, const struct seep_live_block *live, uint64_t n)
{
	uint32_t slot;

	if (!count_blocks(census, live, n))
		return;
	census->blocks += (int64_t)n;
	census->bytes += (int64_t)(n * live->bytes);
	if (live->event & SEEP_LIVE_GROWN) {
		slot = seep_births_slot(&census->births, live->site, SEEP_BIRTHS_GROWN);
		census->births.counts[slot].blocks += slot != 0;
		census->births.counts[slot].bytes += slot ? live->bytes : 0;
	}
}

static void count_block(const struct seep_live_block *live, uintptr_t address, void *context)
{
	const struct census *census = context;
	uint32_t age = seep_event_clock_age(live->event, census->now);

	count_heap(context, live, 1);
	if (census->objects && census->now > census->base + age && live->site < census->sites)
		seep_python_objects_see(live->site, address, live->bytes);
}

static void count_chosen(const struct seep_chosen *chosen, void *context)
{
	struct seep_live_block live = {.site = chosen->site, .event = chosen->event,
				       .bytes = chosen->bytes};

	count_heap(context, &live, chosen->weight);
}

/* A new trace (of a child of fork) is empty and has its own clock. */
static void notice_new_trace(void)
{
	uint64_t ordinal = done.ordinal;

	if (done.generation == seep_recording_generation())
		return;
	memset(&done, 0, sizeof(done));
	done.generation = seep_recording_generation();
	done.ordinal = ordinal;
}

/* The sites were counted before this is called, so what they refer to exists by now. */
static void write_definitions(uint32_t sites)
{
	seep_sample_write_new();
	seep_nodes_write_new();
	seep_module_write_new();
	seep_python_code_write_new();
	seep_python_note();
	seep_account_write_sites(sites);
}

static uint32_t last_nonzero(const uint64_t *values, uint32_t n)
{
	while (n && !values[n - 1])
		n--;
	return n;
}

/* The final snapshot has all sites, others only those with survivors from events. */
static bool is_written(const struct census *census, uint32_t site)
{
	return !(census->why & SEEP_SNAPSHOT_PERIODIC) ||
	       seep_births_has_events(&census->births, site);
}

/* The counters of all threads, brought into line with the survivors that the scan has seen. */
static void sum_site(const struct census *census, uint32_t site, const uint32_t *slots,
		     struct seep_tally *sum, uint64_t *ages)
{
	struct seep_births_count live = seep_births_look(&census->births, site, SEEP_BIRTHS_EARLY);
	uint32_t bin;

	seep_thread_sum_site(site, sum, ages);
	for (bin = 0; bin < SEEP_TRACE_COHORT_BINS; bin++) {
		live.blocks += census->births.counts[slots[bin]].blocks;
		live.bytes += census->births.counts[slots[bin]].bytes;
	}
	if (!census->alone || !seep_thread_is_alone())
		seep_settle_site(sum, ages, live.blocks, live.bytes);
}

/* From the first bin that holds anything to the last.  The slot of others is 0, which is empty. */
static void find_bins(const struct seep_births_count *counts, const uint32_t *slots,
		      uint32_t *first, uint32_t *end)
{
	*first = 0;
	*end = SEEP_TRACE_COHORT_BINS;
	while (*first < *end && !counts[slots[*first]].blocks)
		++*first;
	while (*end > *first && !counts[slots[*end - 1]].blocks)
		--*end;
}

static void pack_bins(struct seep_pack *pack, const struct census *census, const uint32_t *slots)
{
	const struct seep_births_count *counts = census->births.counts;
	uint32_t first, end;

	find_bins(counts, slots, &first, &end);
	seep_pack_put(pack, first);
	seep_pack_put(pack, end - first);
	for (; first < end; first++) {
		seep_pack_put(pack, counts[slots[first]].blocks);
		seep_pack_put(pack, counts[slots[first]].bytes);
	}
}

static void pack_site_state(struct seep_pack *pack, const struct census *census, uint32_t site)
{
	uint32_t slots[SEEP_TRACE_COHORT_BINS];
	uint64_t ages[SEEP_TRACE_AGE_BINS];
	struct seep_births_count early = seep_births_look(&census->births, site,
							  SEEP_BIRTHS_EARLY);
	struct seep_tally sum;

	seep_births_list(&census->births, site, slots);
	sum_site(census, site, slots, &sum, ages);
	seep_pack_put(pack, site);
	seep_pack_put(pack, sum.born_blocks);
	seep_pack_put(pack, sum.born_bytes);
	seep_pack_put(pack, sum.died_blocks);
	seep_pack_put(pack, sum.died_bytes);
	seep_pack_put(pack, sum.moved_blocks);
	seep_pack_put(pack, early.blocks);
	seep_pack_put(pack, early.bytes);
	seep_pack_put_all(pack, ages, last_nonzero(ages, SEEP_TRACE_AGE_BINS));
	pack_bins(pack, census, slots);
}

static uint64_t write_states(const struct census *census)
{
	struct seep_pack *pack = seep_pack_begin(SEEP_REC_SITE_STATES, done.ordinal);
	uint64_t written = 0;
	uint32_t site;

	for (site = 1; site < census->sites; site++) {
		if (!is_written(census, site))
			continue;
		pack_site_state(pack, census, site);
		seep_pack_next(pack);
		written++;
	}
	seep_pack_end(pack);
	return written;
}

static void pack_moves(struct seep_pack *pack, const struct census *census, uint32_t site)
{
	struct seep_births_count grown = seep_births_look(&census->births, site,
							  SEEP_BIRTHS_GROWN);

	seep_chains_pack(pack, site, grown.blocks, grown.bytes);
}

static void write_moves(const struct census *census)
{
	struct seep_pack *pack;
	uint32_t site;

	if (census->births.sure)
		return; /* with sampling, growth is not known */
	pack = seep_pack_begin(SEEP_REC_SITE_MOVES, done.ordinal);
	for (site = 1; site < census->sites; site++)
		if (is_written(census, site))
			pack_moves(pack, census, site);
	seep_pack_end(pack);
}

static void pack_sure(struct seep_pack *pack, const struct census *census, uint32_t site)
{
	uint32_t slots[SEEP_TRACE_COHORT_BINS], first, end;

	seep_births_list(&census->births, site, slots);
	find_bins(census->births.counts, slots, &first, &end);
	seep_pack_put(pack, site);
	seep_pack_put(pack, first);
	seep_pack_put(pack, end - first);
	for (; first < end; first++) {
		seep_pack_put(pack, census->births.sure[slots[first]].blocks);
		seep_pack_put(pack, seep_poisson_root(census->births.sure[slots[first]].variance));
	}
	seep_pack_next(pack);
}

static void write_samples(const struct census *census)
{
	struct seep_pack *pack;
	uint32_t site;

	if (!census->births.sure)
		return;
	pack = seep_pack_begin(SEEP_REC_SITE_SAMPLES, done.ordinal);
	for (site = 1; site < census->sites; site++)
		if (seep_births_has_events(&census->births, site))
			pack_sure(pack, census, site);
	seep_pack_end(pack);
}

static uint64_t sum_ages(uint32_t pair)
{
	uint64_t ages[SEEP_TRACE_AGE_BINS], sum = 0;
	uint32_t i;

	seep_account_free_ages(pair, ages);
	for (i = 0; i < SEEP_TRACE_AGE_BINS; i++)
		sum += ages[i];
	return sum;
}

/* Keeps the most frequent free stacks of a site, most frequent first. */
static void rank_pair(uint32_t *best, uint32_t pair)
{
	int i;

	for (i = FREE_SITES_MAX - 1; i >= 0; i--) {
		if (best[i] && sum_ages(best[i]) >= sum_ages(pair))
			return;
		if (i + 1 < FREE_SITES_MAX)
			best[i + 1] = best[i];
		best[i] = pair;
	}
}

static void pack_best(struct seep_pack *pack, uint32_t site, const uint32_t *best)
{
	int i;

	for (i = 0; i < FREE_SITES_MAX && best[i]; i++) {
		uint64_t ages[SEEP_TRACE_AGE_BINS];

		seep_account_free_ages(best[i], ages);
		seep_pack_put(pack, site);
		seep_pack_put(pack, seep_account_frees.pairs.items[best[i]].b);
		seep_pack_put_all(pack, ages, last_nonzero(ages, SEEP_TRACE_AGE_BINS));
		seep_pack_next(pack);
	}
}

static uint32_t site_of(uint32_t pair)
{
	return seep_account_frees.pairs.items[pair].a;
}

/* By site, and those of a site in the order of their numbers. */
static bool comes_before(uint32_t a, uint32_t b)
{
	return site_of(a) != site_of(b) ? site_of(a) < site_of(b) : a < b;
}

static uint32_t list_pairs(const struct census *census, uint32_t *pairs)
{
	uint32_t n = 0, pair;

	for (pair = 1; pair < census->pairs; pair++)
		if (site_of(pair) < census->sites && is_written(census, site_of(pair)))
			pairs[n++] = pair;
	seep_ordering_sort(pairs, n, comes_before);
	return n;
}

static void write_frees(const struct census *census)
{
	size_t bytes = census->pairs * sizeof(uint32_t);
	uint32_t *pairs = seep_mmap_scratch(bytes), n, i = 0;
	struct seep_pack *pack;

	if (!pairs)
		return;
	n = list_pairs(census, pairs);
	pack = seep_pack_begin(SEEP_REC_FREE_SITES, done.ordinal);
	while (i < n) {
		uint32_t best[FREE_SITES_MAX] = {0}, site = site_of(pairs[i]);

		for (; i < n && site_of(pairs[i]) == site; i++)
			rank_pair(best, pairs[i]);
		pack_best(pack, site, best);
	}
	seep_pack_end(pack);
	seep_mmap_drop(pairs, bytes);
}

static void write_head(const struct census *census)
{
	struct seep_rec_snapshot head = {
		.t_ns = seep_recording_now(),
		.ordinal = done.ordinal,
		.live_blocks = census->blocks,
		.live_bytes = census->bytes,
		.tracker_bytes = census->why & SEEP_SNAPSHOT_PERIODIC
			? 0 : seep_mmap_resident_bytes(),
		.event = census->now,
		.first_event = census->base + 1,
		.events_per_bin = 1u << census->shift,
		.collected = seep_event_clock.collected,
	};
	struct seep_account_losses losses;

	seep_account_losses(&losses);
	head.missed = losses.missed + seep_real_pool_blocks();
	head.dropped = losses.dropped + seep_holding_dropped();
	head.lost_walks = losses.lost_walks;
	seep_recording_write(SEEP_REC_SNAPSHOT, census->why, &head, sizeof(head), NULL, 0);
}

static void write_census(const struct census *census)
{
	struct seep_rec_snapshot_end end = {.ordinal = ++done.ordinal};

	write_head(census);
	end.sites = write_states(census);
	write_samples(census);
	write_moves(census);
	write_frees(census);
	seep_python_objects_write(done.ordinal);
	seep_recording_write(SEEP_REC_SNAPSHOT_END, 0, &end, sizeof(end), NULL, 0);
}

/* While the interpreter is alive, and its work is done: later, objects are being taken apart. */
static bool is_for_objects(const struct census *census)
{
	if (census->why & SEEP_SNAPSHOT_OVER)
		done.over = true;
	return census->why & SEEP_SNAPSHOT_OVER ||
	       (census->why & SEEP_SNAPSHOT_FINAL && !done.over);
}

static void take(struct census *census, int64_t live_blocks)
{
	uint32_t events = census->now - census->base;
	uint64_t start_bytes;
	int64_t start_ns;

	notice_new_trace();
	/* What the sites refer to must be in the trace before them. */
	write_definitions(census->sites);
	start_bytes = seep_recording_bytes();
	start_ns = seep_clock_thread_ns();
	while (events >> census->shift >= SEEP_TRACE_COHORT_BINS)
		census->shift++;
	census->objects = is_for_objects(census) && live_blocks <= OBJECTS_MAX &&
			  seep_python_objects_begin();
	seep_live_scan(count_block, census);
	seep_holding_scan(count_held, census);
	if (census->births.sure)
		seep_chosen_scan(count_chosen, census);
	write_census(census);
	seep_pooled_note(!(census->why & SEEP_SNAPSHOT_PERIODIC));
	done.last_ns = seep_recording_now();
	done.cost_ns += seep_clock_thread_ns() - start_ns;
	done.bytes = (int64_t)(seep_recording_bytes() - start_bytes);
}

void seep_snapshot_write(uint16_t why)
{
	struct census census = {.base = seep_event_clock.base, .now = seep_event_clock.event,
				.why = why, .alone = seep_thread_is_alone(),
				.sites = seep_pairs_count(&seep_account_sites.pairs),
				.pairs = seep_pairs_count(&seep_account_frees.pairs)};
	int64_t live_bytes, live_blocks;

	seep_thread_totals(&live_bytes, &live_blocks);
	if (seep_births_init(&census.births, census.sites,
			     live_blocks > 0 ? (uint64_t)live_blocks : 0,
			     seep_sample_mode != SEEP_SAMPLE_OFF)) {
		take(&census, live_blocks);
		seep_births_release(&census.births);
	} else {
		seep_recording_note("a snapshot was skipped: not enough address space",
				    SEEP_NOTE_INFO);
	}
}

struct seep_snapshot_past seep_snapshot_past(void)
{
	notice_new_trace();
	return (struct seep_snapshot_past){
		.ordinal = done.ordinal, .last_ns = done.last_ns, .cost_ns = done.cost_ns,
		.bytes = done.bytes,
	};
}
