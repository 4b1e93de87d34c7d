/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * At the end of each slice a mark notes what is live; at every stride-th mark a dump packs what
 * each site holds.  When the marks are full, slices get twice as wide and every second mark
 * goes; when the dumps are full, or too large, every second dump goes.  At the end all marks
 * become events, and the dumps become levels.
 */
#include "import/profile/heaptrack_slices.h"

#include "import/profile/dump_levels.h"
#include "trace/unpack.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_FIRST_MS 10        /* the period of heaptrack's time stamps */
#define DUMP_BYTES_MAX ((size_t)96 << 20)
#define DUMPS_LEAST 16u
#define SITES_MOST 65536u
#define PACK_MOST 30u            /* most bytes for one site */

void seep_heaptrack_slices_init(struct seep_heaptrack_slices *slices,
				struct seep_heaptrack_books *books)
{
	memset(slices, 0, sizeof(*slices));
	slices->books = books;
	slices->width_ms = WIDTH_FIRST_MS;
	slices->stride = 1;
}

void seep_heaptrack_slices_release(struct seep_heaptrack_slices *slices)
{
	for (size_t i = 0; i < slices->n_dumps; i++)
		seep_arena_release(&slices->dumps[i].arena);
	slices->n_dumps = 0;
}

static size_t count_holders(const struct seep_heaptrack_books *books)
{
	size_t n = 0;

	for (size_t i = 0; i < books->sites.n; i++)
		n += ((const struct seep_heaptrack_site *)seep_shelf_at(&books->sites, i))->blocks >
		     0;
	return n;
}

static void take_dump(struct seep_heaptrack_slices *slices)
{
	const struct seep_heaptrack_books *books = slices->books;
	struct seep_heaptrack_dump *dump = &slices->dumps[slices->n_dumps++];
	size_t last = 0;

	*dump = (struct seep_heaptrack_dump){ .mark = slices->n_marks };
	seep_arena_init(&dump->arena);
	dump->data = seep_arena_array(&dump->arena, count_holders(books) + 1, PACK_MOST);
	for (size_t i = 0; i < books->sites.n; i++) {
		const struct seep_heaptrack_site *site = seep_shelf_at(&books->sites, i);

		if (!site->blocks)
			continue;
		dump->bytes += seep_pack_number(dump->data + dump->bytes, i - last);
		dump->bytes += seep_pack_number(dump->data + dump->bytes, site->blocks);
		dump->bytes += seep_pack_number(dump->data + dump->bytes, site->bytes);
		last = i;
	}
	slices->dump_bytes += dump->bytes;
}

/*
 * The buffer had room for the largest numbers; the copy that is kept has only the bytes it
 * needs.
 */
static void fit_dump(struct seep_heaptrack_dump *dump)
{
	struct seep_arena arena;
	unsigned char *data;

	seep_arena_init(&arena);
	data = seep_arena_alloc(&arena, dump->bytes + 1);
	memcpy(data, dump->data, dump->bytes);
	seep_arena_release(&dump->arena);
	dump->arena = arena;
	dump->data = data;
}

/* Drops every second dump. */
static void thin_dumps(struct seep_heaptrack_slices *slices)
{
	size_t kept = 0;

	slices->stride *= 2;
	for (size_t i = 0; i < slices->n_dumps; i++) {
		if (slices->dumps[i].mark % slices->stride) {
			slices->dump_bytes -= slices->dumps[i].bytes;
			seep_arena_release(&slices->dumps[i].arena);
		} else {
			slices->dumps[kept++] = slices->dumps[i];
		}
	}
	slices->n_dumps = kept;
}

/* Makes slices twice as wide.  There are fewer dumps than marks, so no dump is at an odd mark. */
static void thin_marks(struct seep_heaptrack_slices *slices)
{
	for (size_t i = 1; i < slices->n_marks; i += 2)
		slices->marks[i / 2] = slices->marks[i];
	slices->n_marks /= 2;
	slices->width_ms *= 2;
	slices->stride /= 2;
	for (size_t i = 0; i < slices->n_dumps; i++)
		slices->dumps[i].mark /= 2;
}

static void add_mark(struct seep_heaptrack_slices *slices, int64_t t_ms)
{
	slices->marks[slices->n_marks++] = (struct seep_heaptrack_mark){
		.t_ms = t_ms,
		.has_rss = slices->has_rss,
		.rss_bytes = slices->rss_bytes,
		.blocks = slices->books->blocks,
		.bytes = slices->books->bytes,
	};
}

static void end_slice(struct seep_heaptrack_slices *slices)
{
	add_mark(slices, ((int64_t)slices->n_marks + 1) * slices->width_ms);
	if (slices->n_marks % slices->stride == 0) {
		take_dump(slices);
		fit_dump(&slices->dumps[slices->n_dumps - 1]);
	}
	while (slices->n_dumps == SEEP_HEAPTRACK_DUMPS ||
	       (slices->n_dumps > DUMPS_LEAST && slices->dump_bytes > DUMP_BYTES_MAX))
		thin_dumps(slices);
	if (slices->n_marks == SEEP_HEAPTRACK_MARKS)
		thin_marks(slices);
}

void seep_heaptrack_slices_advance(struct seep_heaptrack_slices *slices, int64_t t_ms)
{
	while (((int64_t)slices->n_marks + 1) * slices->width_ms <= t_ms)
		end_slice(slices);
}

static struct seep_compose_at at_mark(const struct seep_heaptrack_mark *mark)
{
	return (struct seep_compose_at){
		.t_ns = mark->t_ms * 1000000,
		.has_rss = mark->has_rss,
		.has_heap = true,
		.rss_bytes = (int64_t)mark->rss_bytes,
		.live_bytes = (int64_t)mark->bytes,
		.live_blocks = (int64_t)mark->blocks,
	};
}

static bool compose_dump(struct seep_heaptrack_slices *slices,
			 const struct seep_heaptrack_dump *dump)
{
	struct seep_heaptrack_books *books = slices->books;
	struct seep_unpack unpack = seep_unpack_begin(dump->data, dump->bytes);
	struct seep_dump_levels sums;
	struct seep_arena arena;
	size_t number = 0;
	bool good = true;

	seep_arena_init(&arena);
	seep_dump_levels_init(&sums, &arena); /* stacks with equal names are one site */
	while (unpack.at < unpack.end && good) {
		const struct seep_heaptrack_site *site;
		struct seep_compose_level level = { 0 };

		number += seep_unpack_next(&unpack);
		level.blocks = seep_unpack_next(&unpack);
		level.bytes = seep_unpack_next(&unpack);
		site = seep_shelf_at(&books->sites, number);
		level.born_blocks = site->born_blocks;
		level.born_bytes = site->born_bytes;
		level.site = seep_heaptrack_compose_site(books, number);
		good = level.site;
		seep_dump_levels_add(&sums, &level);
	}
	seep_dump_levels_compose(&sums, books->compose);
	seep_arena_release(&arena);
	return good;
}

/*
 * Adds what is live at the very end, unless the program has cleaned up by then: what survives a
 * clean-up says nothing about the run.
 */
static void add_end(struct seep_heaptrack_slices *slices, int64_t t_ms)
{
	const struct seep_heaptrack_mark *last =
		slices->n_marks ? &slices->marks[slices->n_marks - 1] : NULL;
	uint64_t bytes = slices->books->bytes;

	if (last && bytes < last->bytes / 2) {
		seep_compose_note(slices->books->compose, "%llu bytes were live in the last time "
				  "slice and %llu at the end: blocks that the program freed as it "
				  "ended count as live", (unsigned long long)last->bytes,
				  (unsigned long long)bytes);
		return;
	}
	if (last && t_ms <= last->t_ms) { /* the same moment, later */
		slices->n_marks--;
		t_ms = last->t_ms;
		if (slices->n_dumps && slices->dumps[slices->n_dumps - 1].mark > slices->n_marks)
			seep_arena_release(&slices->dumps[--slices->n_dumps].arena);
	}
	add_mark(slices, t_ms);
	take_dump(slices);
}

struct held {
	uint64_t bytes;
	size_t site;
};

static int larger_first(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->site < y->site ? -1 : 1;
}

static struct held *list_held(const struct seep_heaptrack_slices *slices, struct seep_arena *arena)
{
	size_t n = slices->books->sites.n, number = 0;
	struct held *held = seep_arena_array(arena, n, sizeof(*held));
	const struct seep_heaptrack_dump *last = slices->dumps + slices->n_dumps - 1;
	struct seep_unpack unpack;

	for (size_t i = 0; i < n; i++)
		held[i].site = i;
	if (!slices->n_dumps)
		return held;
	unpack = seep_unpack_begin(last->data, last->bytes);
	while (unpack.at < unpack.end) {
		number += seep_unpack_next(&unpack);
		seep_unpack_next(&unpack);
		held[number].bytes = seep_unpack_next(&unpack);
	}
	return held;
}

/*
 * The analysis needs memory for each site at each dump.  If there are too many sites, those that
 * hold the least at the end (mostly nothing) are merged into the site without a stack.
 */
static void fold_small(struct seep_heaptrack_slices *slices)
{
	struct seep_heaptrack_books *books = slices->books;
	struct seep_arena arena;
	struct held *held;
	uint32_t rest;

	if (books->sites.n <= SITES_MOST)
		return;
	seep_arena_init(&arena);
	held = list_held(slices, &arena);
	qsort(held, books->sites.n, sizeof(*held), larger_first);
	rest = seep_compose_site(books->compose, 0);
	for (size_t i = SITES_MOST; i < books->sites.n; i++)
		((struct seep_heaptrack_site *)
		 seep_shelf_at(&books->sites, held[i].site))->composed = rest;
	seep_compose_note(books->compose, "of %zu stacks that allocate, only the %u that hold the "
			  "most at the end are listed separately; each of the others holds at most "
			  "%llu bytes then", books->sites.n, SITES_MOST,
			  (unsigned long long)held[SITES_MOST].bytes);
	seep_arena_release(&arena);
}

bool seep_heaptrack_slices_finish(struct seep_heaptrack_slices *slices, int64_t t_ms)
{
	struct seep_compose *compose = slices->books->compose;
	size_t next = 0;
	bool good = true;

	add_end(slices, t_ms);
	fold_small(slices);
	seep_compose_ticks(compose);
	for (size_t i = 0; i < slices->n_marks && good; i++) {
		struct seep_compose_at at = at_mark(&slices->marks[i]);

		seep_compose_event_numbered(compose, (int64_t)i, &at);
		if (next < slices->n_dumps && slices->dumps[next].mark == i + 1)
			good = compose_dump(slices, &slices->dumps[next++]);
	}
	return good;
}
