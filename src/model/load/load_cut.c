/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/load/load_cut.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define LISTED 200 /* bytes */

struct search {
	uint64_t wanted;
	uint64_t before;         /* number of events that do not count */
	uint64_t slices_before;  /* likewise, if events are time slices of seep run */
	bool own;                /* the program marks its own events */
	uint64_t open, last;     /* event of the snapshot being read; of the last complete one */
	uint64_t ordinal;
	size_t end;              /* offset after the wanted snapshot, or 0 */
	size_t ended;            /* offset after the last snapshot before the wanted event */
	char list[LISTED + 1];   /* of the events that have snapshots */
	size_t used;
	bool cut;                /* the list is incomplete */
};

static void forget(struct search *search)
{
	search->end = search->ended = search->used = 0;
	search->last = 0;
	search->cut = false;
	search->list[0] = 0;
}

/*
 * Time slices in which the program did nothing have no record.  The state before them is also
 * the state during them.
 */
static void see_slice(struct search *search, const struct seep_rec_stamp *stamp)
{
	if (stamp->event > search->before && stamp->event - search->before > search->wanted &&
	    search->ended && !search->end)
		search->end = search->ended;
	search->ended = 0;
}

/* When the program starts to mark its own events, the count starts again. */
static void see_stamp(struct search *search, const struct seep_reader_record *record)
{
	const struct seep_rec_stamp *stamp = record->payload;

	if (!(record->flags & SEEP_STAMP_BEGIN) || search->own)
		return;
	if (record->flags & SEEP_STAMP_TICK) {
		see_slice(search, stamp);
		return;
	}
	forget(search);
	search->own = true;
	search->before = stamp->event ? stamp->event - 1 : 0;
}

static void list_event(struct search *search, uint64_t event)
{
	char text[32];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s%" PRIu64, search->used ? ", " : "",
				    event);

	if (event == search->last)
		return;
	search->last = event;
	search->cut = search->cut || search->used + n > LISTED - 5;
	if (search->cut)
		return;
	snprintf(search->list + search->used, sizeof(search->list) - search->used, "%s", text);
	search->used += n;
}

static void end_snapshot(struct search *search, const struct seep_rec_snapshot_end *end, size_t at)
{
	uint64_t event = search->open > search->before ? search->open - search->before : 0;

	if (end->ordinal != search->ordinal)
		return;
	if (event)
		list_event(search, event);
	if (event == search->wanted)
		search->end = at;
	else if (event < search->wanted)
		search->ended = at;
}

static void see(struct search *search, const struct seep_reader_record *record, size_t at)
{
	const struct seep_rec_snapshot *snapshot = record->payload;

	if (record->kind == SEEP_REC_STAMP) {
		see_stamp(search, record);
	} else if (record->kind == SEEP_REC_SNAPSHOT) {
		search->open = snapshot->event;
		search->ordinal = snapshot->ordinal;
	} else if (record->kind == SEEP_REC_SNAPSHOT_END) {
		end_snapshot(search, record->payload, at);
	} else if (record->kind == SEEP_REC_RESTART) {
		forget(search);
		search->own = false;
		search->before = search->slices_before;
	}
}

int seep_load_cut(struct seep_reader *reader, uint64_t event, struct seep_err *err)
{
	uint32_t first = reader->header.slice_first;
	uint64_t before = first ? first - 1 : 0;
	struct search search = { .wanted = event, .before = before, .slices_before = before };
	struct seep_reader scan = *reader;
	struct seep_reader_record record;

	while (seep_reader_next(&scan, &record))
		see(&search, &record, scan.at);
	if (!search.end)
		return seep_err_set(err, ENOENT, "'%.200s' has no snapshot in event %" PRIu64 "; "
				    "%s%s%s; use seep run --dump-from to choose when they are "
				    "taken", reader->path ? reader->path : "", event,
				    search.used ? "there are snapshots in " : "it has none at all",
				    search.list, search.cut ? ", ..." : "");
	reader->whole_bytes = reader->bytes;
	reader->bytes = search.end;
	reader->header.events = event;
	reader->last_event = event;
	reader->header.state = SEEP_TRACE_FINISHED;
	return 0;
}
