/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks that grow, counted as record/heap/book/chains.c does. */
#include "third.h"

static struct seep_moves_bin *bin_of(struct seep_moves *moves, uint64_t bytes)
{
	size_t bits = 0;

	while (bytes >> bits)
		bits++;
	return &moves->bins[bits < SEEP_TRACE_SIZE_BINS ? bits : SEEP_TRACE_SIZE_BINS - 1];
}

static void note_size(struct seep_moves *moves, uint64_t bytes)
{
	uint64_t a = moves->unit_bytes, b = bytes;

	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	moves->unit_bytes = a;
	if (bytes > moves->largest_bytes)
		moves->largest_bytes = bytes;
}

/* Peaks are numbered as the trace does, where the first event is number 1. */
static void note_peak(struct seep_moves *moves, int64_t event, uint64_t bytes)
{
	size_t i;

	while ((event + 1) / moves->events_per_peak >= (int64_t)SEEP_TRACE_PEAK_BINS) {
		for (i = 0; i < SEEP_TRACE_PEAK_BINS / 2; i++) {
			uint64_t a = moves->peaks[2 * i], b = moves->peaks[2 * i + 1];

			moves->peaks[i] = a > b ? a : b;
		}
		memset(&moves->peaks[i], 0, sizeof(moves->peaks) / 2);
		moves->events_per_peak *= 2;
	}
	i = (size_t)((event + 1) / moves->events_per_peak);
	if (bytes > moves->peaks[i])
		moves->peaks[i] = bytes;
}

static void count_growth(struct third *p, struct seep_moves *moves, uint64_t old, uint64_t bytes,
			 bool replaced, bool moved)
{
	struct seep_moves_bin *to = bin_of(moves, bytes);
	uint64_t copied = moved ? old : 0;

	moves->growths++;
	moves->grown_bytes += bytes - old;
	moves->moves += moved;
	moves->replaced += replaced;
	moves->copied_bytes += copied;
	to->growths++;
	to->moves += moved;
	to->copied_bytes += copied;
	moves->last_event = p->event;
	note_peak(moves, p->event, bytes);
}

static struct seep_moves *open_moves(struct third *p, struct third_site *site)
{
	if (!site->moves) {
		site->moves = seep_arena_array(&p->c->fake.arena, 1, sizeof(*site->moves));
		site->moves->events_per_peak = 1;
		site->moves->first_event = -1;
		site->moves->last_event = SEEP_EVENT_NONE;
	}
	return site->moves;
}

void third_chain_on(struct third *p, uint32_t site, const struct third_block *old,
		    uint64_t bytes, bool replaced, bool moved)
{
	struct seep_moves *moves = open_moves(p, &p->sites[site]);
	struct seep_moves_bin *from = bin_of(moves, old->bytes), *to = bin_of(moves, bytes);

	if (old->grown) {
		from->finals--;
		from->final_bytes -= old->bytes;
	} else {
		from->firsts++;
		moves->chains++;
		moves->first_bytes += old->bytes;
		note_size(moves, old->bytes);
	}
	to->finals++;
	to->final_bytes += bytes;
	if (bytes > to->largest_bytes)
		to->largest_bytes = bytes;
	note_size(moves, bytes);
	if (bytes > old->bytes)
		count_growth(p, moves, old->bytes, bytes, replaced, moved);
}
