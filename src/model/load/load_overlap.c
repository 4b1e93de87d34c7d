/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stamps of events that overlap.
 *
 *	time    1   2   3   4   5   6   7
 *	event   7B  8B  7a  8a  7E  8b  8E	->	7B  7a  7E  8B  8a  8b  8E
 *
 * The events keep the order in which they began, and the stamps of each event are in the order of
 * time.  A stamp whose event has no start before it is left where it is.
 */
#include "model/load/loading.h"

#include <stdlib.h>
#include <string.h>

struct start {
	uint32_t event;
	size_t rank;             /* in the order of time, from 1 */
};

static const struct seep_rec_stamp *stamp_at(const struct seep_load *load, size_t i)
{
	return ((const struct seep_reader_record *)load->stamps.items)[i].payload;
}

/* The header says so too, unless it is from before that: program and seep run were killed. */
bool seep_load_overlap_is_seen(const struct seep_load *load)
{
	const struct seep_reader_record *records = load->stamps.items;
	uint32_t last = 0;
	size_t i;

	for (i = 0; i < load->stamps.n; i++) {
		uint32_t event = stamp_at(load, i)->event;

		if (event < last && !(records[i].flags & SEEP_STAMP_BEGIN))
			return true;
		last = event > last ? event : last;
	}
	return false;
}

static int by_event(const void *a, const void *b)
{
	const struct start *one = a, *two = b;

	if (one->event != two->event)
		return one->event < two->event ? -1 : 1;
	return (one->rank > two->rank) - (one->rank < two->rank);
}

static int compare_event(const void *key, const void *item)
{
	uint32_t event = *(const uint32_t *)key, other = ((const struct start *)item)->event;

	return (event > other) - (event < other);
}

static size_t list_starts(const struct seep_load *load, uint32_t first_api, struct start *starts)
{
	const struct seep_reader_record *records = load->stamps.items;
	size_t i, n = 0;

	for (i = 0; i < load->stamps.n; i++)
		if (seep_load_stamps_begins(&records[i], first_api)) {
			starts[n].event = stamp_at(load, i)->event;
			starts[n].rank = n + 1;
			n++;
		}
	if (n)
		qsort(starts, n, sizeof(*starts), by_event);
	return n;
}

/* The rank of the event that each stamp belongs to; 0: before the first. */
static void find_ranks(const struct seep_load *load, uint32_t first_api,
		       const struct start *starts, size_t n, size_t *ranks)
{
	const struct seep_reader_record *records = load->stamps.items;
	size_t i, now = 0;

	for (i = 0; i < load->stamps.n; i++) {
		const struct start *start = NULL;

		if (seep_load_stamps_begins(&records[i], first_api))
			now++;
		else if (n)
			start = bsearch(&stamp_at(load, i)->event, starts, n, sizeof(*starts),
					compare_event);
		ranks[i] = start && start->rank < now ? start->rank : now;
	}
}

void seep_load_overlap_sort(struct seep_load *load, uint32_t first_api)
{
	size_t n = load->stamps.n, n_starts, i, sum = 0;
	struct seep_reader_record *records = load->stamps.items, *sorted;
	struct start *starts = seep_arena_array(&load->scratch, n, sizeof(*starts));
	size_t *ranks = seep_arena_array(&load->scratch, n, sizeof(*ranks)), *places;

	n_starts = list_starts(load, first_api, starts);
	find_ranks(load, first_api, starts, n_starts, ranks);
	places = seep_arena_array(&load->scratch, n_starts + 2, sizeof(*places));
	for (i = 0; i < n; i++)
		places[ranks[i] + 1]++;
	for (i = 0; i < n_starts + 2; i++)
		places[i] = sum += places[i];
	sorted = seep_arena_array(&load->scratch, n, sizeof(*sorted));
	for (i = 0; i < n; i++)
		sorted[places[ranks[i]]++] = records[i];
	if (n)
		memcpy(records, sorted, n * sizeof(*sorted));
}
