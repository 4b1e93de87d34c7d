/* SPDX-License-Identifier: MIT */
/*
 * Each thread has a book, created when one of its blocks first grows:
 *
 *	thread->growths ---> numbers[site] ---> sites[number]: chains, growths
 *	                                             \---> cells: bins by size, peaks by event
 *
 * Most sites grow a few times and have two or three bins, so cells are taken as they are needed.
 *
 * A chain is in the bin of its current size.  When a block grows, its chain moves:
 *
 *	first growth     firsts of the old size + 1, finals of the new size + 1
 *	later growths    finals of the old size - 1, finals of the new size + 1
 *
 * The mark on the block (seep_live_mark) says which of the two it is.  If two threads let the same
 * chain grow, one of them may count below zero: only the sum over all threads means something.
 */
#include "record/heap/book/chains.h"

#include "os/mmap.h"
#include "record/event_clock.h"
#include "record/heap/book/account.h"
#include "record/heap/cells.h"
#include "record/heap/pack.h"
#include "record/heap/stack/flat.h"
#include "record/heap/thread.h"

#define FEW_GROWTHS 4u /* a site with fewer growths may be evicted */
#define LOOKS 64u /* sites to look at, to find one to evict */
#define DULL_LEAST 256u /* replacements before a site can be dull */

#define CELLS_MAX 65536u
#define PEAK_CELLS (SEEP_TRACE_PEAK_BINS / SEEP_CELLS_PEAKS)

/* All chains of one site. */
struct growth {
	uint32_t site;
	uint32_t shift;          /* log2 of the events per peak */
	uint64_t chains;
	uint64_t growths, moves, replaced; /* all; to another address; of these, the second way */
	uint64_t copied_bytes;
	uint64_t unit_bytes;     /* the greatest common divisor of all sizes */
	uint64_t first_seen;     /* the largest first size that is in unit_bytes already */
	uint64_t first_bytes;    /* sum of the first sizes */
	uint64_t grown_bytes;    /* sum of what was added */
	uint64_t last_event;     /* in which something grew */
	uint16_t bins[SEEP_TRACE_SIZE_BINS]; /* their cells; 0: there is nothing */
	uint16_t peaks[PEAK_CELLS];
};

struct seep_chains_book {
	uint32_t n;              /* sites in use: sites[1] to sites[n] */
	uint32_t hand;           /* the last one that was considered for eviction */
	uint16_t *numbers[SEEP_CHUNKS]; /* site -> its index in sites; 0: none */
	struct growth sites[SEEP_CHAINS_SITES_MAX + 1];
	struct seep_cells cells;
	union seep_cells_cell room[CELLS_MAX];
};

static uint64_t own_bytes;

static void *take_map(size_t bytes, size_t counted)
{
	void *map = seep_mmap_new(bytes);

	if (map)
		__atomic_fetch_add(&own_bytes, counted, __ATOMIC_RELAXED);
	return map;
}

static struct seep_chains_book *open_book(struct seep_thread *thread)
{
	struct seep_chains_book *book = thread->growths;

	if (!book) {
		/* The sites are counted one by one, as they come into use. */
		book = take_map(sizeof(*book), sizeof(book->numbers));
		if (book)
			book->cells = (struct seep_cells){book->room, 1, CELLS_MAX, 0};
		__atomic_store_n(&thread->growths, book, __ATOMIC_RELEASE);
	}
	return book;
}

static uint16_t *open_numbers(struct seep_chains_book *book, uint32_t chunk)
{
	size_t bytes = SEEP_CHUNK_SITES * sizeof(**book->numbers);

	if (!book->numbers[chunk])
		__atomic_store_n(&book->numbers[chunk], take_map(bytes, bytes), __ATOMIC_RELEASE);
	return book->numbers[chunk];
}

static void give_cells(struct seep_cells *cells, const struct growth *growth)
{
	uint32_t i;

	for (i = 0; i < SEEP_TRACE_SIZE_BINS; i++)
		seep_cells_give(cells, growth->bins[i]);
	for (i = 0; i < PEAK_CELLS; i++)
		seep_cells_give(cells, growth->peaks[i]);
}

static const struct seep_cells_bin *look_at_bin(const struct seep_cells *cells,
						const struct growth *growth, uint32_t i)
{
	static const struct seep_cells_bin none;
	uint16_t cell = __atomic_load_n(&growth->bins[i], __ATOMIC_ACQUIRE);

	return cell ? &cells->of[cell].bin : &none;
}

static uint64_t look_at_peak(const struct seep_cells *cells, const struct growth *growth,
			     uint32_t i)
{
	uint16_t cell = __atomic_load_n(&growth->peaks[i / SEEP_CELLS_PEAKS], __ATOMIC_ACQUIRE);

	return cell ? cells->of[cell].peaks[i % SEEP_CELLS_PEAKS] : 0;
}

static struct growth *evict_site(struct seep_chains_book *book)
{
	uint32_t i;

	for (i = 0; i < LOOKS; i++) {
		struct growth *growth;

		book->hand = book->hand % book->n + 1;
		growth = &book->sites[book->hand];
		if (growth->growths >= FEW_GROWTHS)
			continue;
		book->numbers[growth->site / SEEP_CHUNK_SITES][growth->site % SEEP_CHUNK_SITES] = 0;
		give_cells(&book->cells, growth);
		__builtin_memset(growth, 0, sizeof(*growth));
		return growth;
	}
	return NULL;
}

/* NULL if there is no room. */
static __attribute__((noinline)) struct growth *add_site(struct seep_chains_book *book,
							      uint16_t *number, uint32_t site)
{
	struct growth *growth;

	if (book->n == SEEP_CHAINS_SITES_MAX) {
		growth = evict_site(book);
	} else {
		growth = &book->sites[++book->n];
		__atomic_fetch_add(&own_bytes, sizeof(*growth), __ATOMIC_RELAXED);
	}
	if (!growth)
		return NULL;
	growth->site = site;
	__atomic_store_n(number, (uint16_t)(growth - book->sites), __ATOMIC_RELEASE);
	return growth;
}

static struct growth *open_site(struct seep_thread *thread, uint32_t site)
{
	struct seep_chains_book *book = open_book(thread);
	uint16_t *numbers = book ? open_numbers(book, site / SEEP_CHUNK_SITES) : NULL;
	uint32_t at = site % SEEP_CHUNK_SITES;

	if (!numbers)
		return NULL;
	return numbers[at] ? &book->sites[numbers[at]] : add_site(book, &numbers[at], site);
}

static struct seep_cells_bin *bin_of(struct seep_cells *cells, struct growth *growth,
				     uint64_t bytes)
{
	unsigned int bits = bytes ? 64u - (unsigned int)__builtin_clzll(bytes) : 0;

	bits = bits < SEEP_TRACE_SIZE_BINS ? bits : SEEP_TRACE_SIZE_BINS - 1;
	return &seep_cells_at(cells, &growth->bins[bits])->bin;
}

/* In most calls unit divides bytes. */
static uint64_t common_divisor(uint64_t unit, uint64_t bytes)
{
	while (unit > 1 && bytes % unit) {
		uint64_t rest = bytes % unit;

		bytes = unit;
		unit = rest;
	}
	return unit ? unit : bytes;
}

static void widen_peaks(struct seep_cells *cells, struct growth *growth)
{
	uint64_t peaks[SEEP_TRACE_PEAK_BINS];
	uint32_t i;

	for (i = 0; i < SEEP_TRACE_PEAK_BINS; i++)
		peaks[i] = look_at_peak(cells, growth, i);
	for (i = 0; i < SEEP_TRACE_PEAK_BINS; i++) {
		uint64_t a = 2 * i < SEEP_TRACE_PEAK_BINS ? peaks[2 * i] : 0;
		uint64_t b = 2 * i < SEEP_TRACE_PEAK_BINS ? peaks[2 * i + 1] : 0;
		uint16_t *cell = &growth->peaks[i / SEEP_CELLS_PEAKS];

		if (a || b || *cell)
			seep_cells_at(cells, cell)->peaks[i % SEEP_CELLS_PEAKS] = a > b ? a : b;
	}
	growth->shift++;
}

static void note_peak(struct seep_cells *cells, struct growth *growth, uint32_t event,
		      uint64_t bytes)
{
	union seep_cells_cell *cell;
	uint64_t *peak;
	uint32_t i;

	while (event >> growth->shift >= SEEP_TRACE_PEAK_BINS)
		widen_peaks(cells, growth);
	i = event >> growth->shift;
	cell = seep_cells_at(cells, &growth->peaks[i / SEEP_CELLS_PEAKS]);
	peak = &cell->peaks[i % SEEP_CELLS_PEAKS];
	if (bytes > *peak)
		*peak = bytes;
}

static void note_size(struct growth *growth, uint64_t *seen, uint64_t bytes)
{
	if (bytes == *seen)
		return;
	growth->unit_bytes = common_divisor(growth->unit_bytes, bytes);
	if (bytes > *seen)
		*seen = bytes;
}

static void count_growth(struct seep_cells *cells, struct growth *growth, struct seep_cells_bin *to,
			 uint64_t old_bytes, uint64_t bytes, enum seep_chains_way way)
{
	uint64_t moves = way != SEEP_CHAINS_IN_PLACE;
	uint64_t copied = way >= SEEP_CHAINS_COPIED ? old_bytes : 0;

	growth->growths++;
	growth->grown_bytes += bytes - old_bytes;
	growth->moves += moves;
	growth->replaced += way == SEEP_CHAINS_REPLACED;
	growth->copied_bytes += copied;
	to->growths++;
	to->moves += moves;
	to->copied_bytes += copied;
	growth->last_event = seep_event_clock_event();
	note_peak(cells, growth, (uint32_t)growth->last_event, bytes);
}

/* Resizes the chain of the old block, or starts one with it. */
static void go_on(struct seep_cells *cells, struct growth *growth,
		  const struct seep_live_block *old, uint64_t bytes, enum seep_chains_way way)
{
	struct seep_cells_bin *from = bin_of(cells, growth, old->bytes);
	struct seep_cells_bin *to = bin_of(cells, growth, bytes);

	if (old->event & SEEP_LIVE_GROWN) {
		from->finals--;
		from->final_bytes -= old->bytes;
	} else {
		from->firsts++;
		growth->chains++;
		growth->first_bytes += old->bytes;
		note_size(growth, &growth->first_seen, old->bytes);
	}
	to->finals++;
	to->final_bytes += bytes;
	note_size(growth, &to->largest, bytes);
	if (bytes > old->bytes)
		count_growth(cells, growth, to, old->bytes, bytes, way);
}

void seep_chains_grown(struct seep_thread *thread, uint64_t bytes,
		       const struct seep_live_block *old, enum seep_chains_way way)
{
	struct growth *growth = open_site(thread, old->site);

	if (growth)
		go_on(&thread->growths->cells, growth, old, bytes, way);
}

void seep_chains_resized(struct seep_thread *thread, const void *block, uint64_t bytes,
			 const struct seep_live_block *old, enum seep_chains_way way)
{
	seep_live_mark(block, old->site);
	seep_chains_grown(thread, bytes, old, way);
}

/* Fewer than 2.5 growths per chain: even if these are growing arrays, little could be saved. */
static bool is_dull(const struct growth *growth)
{
	return growth->replaced >= DULL_LEAST && 2 * growth->growths < 5 * growth->chains;
}

static void note_dull(struct seep_thread *thread, uint32_t site)
{
	uint32_t i;

	/* Several, if its stacks have different Python frames of the same lines. */
	for (i = 0; i < SEEP_RECENT_SITES; i++)
		if (thread->sites[i].site == site)
			thread->sites[i].site |= SEEP_SITE_DULL;
	seep_flat_note_dull(thread, site);
}

void seep_chains_replaced(struct seep_thread *thread, const struct seep_live_block *old)
{
	struct growth *growth;

	thread->last_site = 0; /* a block replaces at most one other */
	if (!seep_live_mark(thread->last_block, old->site))
		return; /* the larger block is gone already */
	growth = open_site(thread, old->site);
	if (!growth)
		return;
	go_on(&thread->growths->cells, growth, old, thread->last_bytes, SEEP_CHAINS_REPLACED);
	if (__builtin_expect(is_dull(growth), 0))
		note_dull(thread, old->site);
}

static void add_bin(struct seep_cells_bin *to, const struct seep_cells_bin *bin)
{
	to->firsts += bin->firsts;
	to->finals += bin->finals;
	to->final_bytes += bin->final_bytes;
	to->growths += bin->growths;
	to->moves += bin->moves;
	to->copied_bytes += bin->copied_bytes;
	if (bin->largest > to->largest)
		to->largest = bin->largest;
}

/* Static: too large for the program's stack, and the recording is held. */
static struct growth sum;
static union seep_cells_cell sum_room[1 + SEEP_TRACE_SIZE_BINS + PEAK_CELLS];
static struct seep_cells sum_cells = {sum_room, 1, 1 + SEEP_TRACE_SIZE_BINS + PEAK_CELLS, 0};

static void begin_sum(uint32_t site)
{
	sum = (struct growth){.site = site};
	__builtin_memset(sum_room, 0, sizeof(sum_room));
	sum_cells.n = 1;
}

/* The thread that owns from may be counting meanwhile, as with all sums here. */
static void add_growth(const struct seep_cells *cells, const struct growth *from)
{
	uint32_t shift = from->shift, i;

	sum.chains += from->chains;
	sum.growths += from->growths;
	sum.moves += from->moves;
	sum.replaced += from->replaced;
	sum.copied_bytes += from->copied_bytes;
	sum.first_bytes += from->first_bytes;
	sum.grown_bytes += from->grown_bytes;
	sum.unit_bytes = common_divisor(from->unit_bytes, sum.unit_bytes);
	if (from->last_event > sum.last_event)
		sum.last_event = from->last_event;
	for (i = 0; i < SEEP_TRACE_SIZE_BINS; i++)
		add_bin(&seep_cells_at(&sum_cells, &sum.bins[i])->bin, look_at_bin(cells, from, i));
	for (i = 0; i < SEEP_TRACE_PEAK_BINS; i++)
		if (look_at_peak(cells, from, i))
			note_peak(&sum_cells, &sum, i << shift, look_at_peak(cells, from, i));
}

/* Adds the chains of the site in one thread to the sum; false if there are none. */
static bool add_thread(const struct seep_thread *thread, uint32_t site)
{
	const struct seep_chains_book *book = __atomic_load_n(&thread->growths, __ATOMIC_ACQUIRE);
	const uint16_t *numbers = NULL;
	uint16_t number = 0;

	if (book)
		numbers = __atomic_load_n(&book->numbers[site / SEEP_CHUNK_SITES],
					  __ATOMIC_ACQUIRE);
	if (numbers)
		number = __atomic_load_n(&numbers[site % SEEP_CHUNK_SITES], __ATOMIC_ACQUIRE);
	if (number) {
		if (sum.site != site)
			begin_sum(site);
		add_growth(&book->cells, &book->sites[number]);
	}
	return number;
}

/* An evicted site that comes back continues chains whose start it has forgotten. */
static uint64_t at_least_none(uint64_t n)
{
	return n >> 63 ? 0 : n;
}

static bool is_empty(const struct seep_cells_bin *bin)
{
	return !bin->firsts && !bin->largest;
}

static void pack_bins(struct seep_pack *pack)
{
	uint32_t first = 0, end = SEEP_TRACE_SIZE_BINS;

	while (first < end && is_empty(look_at_bin(&sum_cells, &sum, first)))
		first++;
	while (end > first && is_empty(look_at_bin(&sum_cells, &sum, end - 1)))
		end--;
	seep_pack_put(pack, first);
	seep_pack_put(pack, end - first);
	for (; first < end; first++) {
		const struct seep_cells_bin *bin = look_at_bin(&sum_cells, &sum, first);

		seep_pack_put(pack, bin->firsts);
		seep_pack_put(pack, at_least_none(bin->finals));
		seep_pack_put(pack, at_least_none(bin->final_bytes));
		seep_pack_put(pack, bin->largest);
		seep_pack_put(pack, bin->growths);
		seep_pack_put(pack, bin->moves);
		seep_pack_put(pack, bin->copied_bytes);
	}
}

static void pack_peaks(struct seep_pack *pack)
{
	uint64_t peaks[SEEP_TRACE_PEAK_BINS];
	uint32_t n = SEEP_TRACE_PEAK_BINS, i;

	for (i = 0; i < SEEP_TRACE_PEAK_BINS; i++)
		peaks[i] = look_at_peak(&sum_cells, &sum, i);
	while (n && !peaks[n - 1])
		n--;
	seep_pack_put(pack, sum.shift);
	seep_pack_put_all(pack, peaks, n);
}

static bool sum_growths(uint32_t site)
{
	const struct seep_thread *thread;
	bool found = false;

	sum.site = 0;
	for (thread = seep_thread_first(); thread; thread = thread->next)
		found |= add_thread(thread, site);
	return found && sum.growths;
}

void seep_chains_pack(struct seep_pack *pack, uint32_t site, uint64_t live_chains,
		      uint64_t live_bytes)
{
	if (!sum_growths(site))
		return;
	seep_pack_put(pack, site);
	seep_pack_put(pack, sum.chains);
	seep_pack_put(pack, sum.growths);
	seep_pack_put(pack, sum.moves);
	seep_pack_put(pack, sum.replaced);
	seep_pack_put(pack, sum.copied_bytes);
	seep_pack_put(pack, sum.unit_bytes);
	seep_pack_put(pack, sum.first_bytes);
	seep_pack_put(pack, sum.grown_bytes);
	seep_pack_put(pack, sum.last_event);
	seep_pack_put(pack, live_chains);
	seep_pack_put(pack, live_bytes);
	pack_bins(pack);
	pack_peaks(pack);
	seep_pack_next(pack);
}

uint64_t seep_chains_own_bytes(void)
{
	return __atomic_load_n(&own_bytes, __ATOMIC_RELAXED) + seep_cells_bytes();
}
