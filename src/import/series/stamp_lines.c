/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stamps wait until there are enough to find out where events begin (stamp_axis); then those
 * that waited, and all later ones, are passed on as events, stamps and counters:
 *
 *	add -> waiting[] -> decide -> begin an event, or stamp inside one -> compose
 *
 * Missing event numbers are filled in by interpolation, up to a bound.
 */
#include "import/series/stamp_axis.h"

#include "base/sort.h"
#include "import/series/timeline.h"

#include <inttypes.h>
#include <string.h>

#define WAITING_MAX ((size_t)16384)      /* stamps from which the axis is found */
#define WAITING_BYTES ((size_t)8 << 20)  /* ... and their texts */
#define NAMES_MAX 4096u
#define TOLD_MAX ((uint64_t)1 << 20)     /* most stamps in the trace; events are thinned */
#define FILLED_MAX ((uint64_t)1 << 28)   /* most events to add for numbers missing in the file */
#define FILLED_EACH ((uint64_t)1 << 14)  /* ... per event that is in the file */
#define KIB 1024

struct seep_stamp_lines {
	struct seep_import *import;
	struct seep_compose *compose;
	const char *place;
	bool sorts;

	bool waiting;            /* for the axis */
	struct seep_table lines;
	size_t text_bytes;
	struct seep_stamp_axis axis;

	struct seep_timeline timeline;
	uint64_t n, n_told, n_untold;
	uint64_t n_late, n_jumps, n_filled;
	struct seep_compose_at begin; /* of the last event */
	int64_t largest;         /* index so far; -1: none */
	size_t times;            /* how often the name of the axis came in this event */
	uint32_t begins;         /* TAGGED: the name that the last event began with */
	struct seep_table owners; /* the stamp that each counter belongs to, by name */
};

struct seep_stamp_lines *seep_stamp_lines_begin(struct seep_import *import, const char *place,
						bool sorts)
{
	struct seep_stamp_lines *stamps = seep_arena_alloc(&import->arena, sizeof(*stamps));

	stamps->import = import;
	stamps->compose = &import->compose;
	stamps->place = place;
	stamps->sorts = sorts;
	stamps->waiting = true;
	stamps->largest = -1;
	stamps->lines = SEEP_TABLE(&import->arena, struct seep_stamp_lines_line);
	stamps->owners = SEEP_TABLE(&import->arena, uint32_t);
	return stamps;
}

int64_t seep_stamp_lines_unit(const struct seep_import *import)
{
	return import->options->unit_bytes ? import->options->unit_bytes : KIB;
}

void seep_stamp_lines_note_unit(struct seep_import *import)
{
	if (import->options->unit_bytes)
		seep_compose_note(&import->compose, "memory is in units of %" PRId64 " bytes, as "
				  "given by --unit", import->options->unit_bytes);
	else
		seep_compose_note(&import->compose, "the file does not state its unit: memory is "
				  "read as KiB (1024 bytes), as on Linux; use --unit kB for a file "
				  "from macOS");
}

/* 0: there are too many names already. */
static uint32_t put_name(struct seep_stamp_lines *stamps, const char *name, size_t n)
{
	return stamps->compose->names.n < NAMES_MAX ? seep_compose_name(stamps->compose, name, n) :
						      0;
}

/* Names of an instance other than that of the axis keep its letter. */
static uint32_t put_lettered(struct seep_stamp_lines *stamps, unsigned letter, const char *name,
			     size_t n)
{
	char text[SEEP_TRACE_NAME_MAX];

	if (!letter)
		return put_name(stamps, name, n);
	if (n > sizeof(text) - 2)
		n = sizeof(text) - 2;
	text[0] = (char)('A' + letter - 1);
	text[1] = '_';
	memcpy(text + 2, name, n);
	return put_name(stamps, text, n + 2);
}

/*
 * The counters of a stamp that occurs twice in an event count twice, because it may be in a
 * loop.  A counter belongs to the first stamp that has it; repeats by other stamps are ignored.
 */
static void count(struct seep_stamp_lines *stamps, const struct seep_stamp_lines_line *line,
		  unsigned letter, uint32_t stamp)
{
	const char *at = line->comment, *end = at + line->n_comment;
	struct seep_stamp_axis_pair pair;

	while (stamp && seep_stamp_axis_pair(&at, end, &pair)) {
		uint32_t name = put_lettered(stamps, letter, pair.key, pair.n_key);
		uint32_t *owner = name ? seep_table_at(&stamps->owners, name) : NULL;

		if (!owner)
			return;
		if (!*owner)
			*owner = stamp;
		if (*owner == stamp)
			seep_compose_count(stamps->compose, name, pair.value);
	}
}

/*
 * An event begins with the first stamp of a larger number.  A stamp with a smaller number is
 * late, unless it has the name that events begin with: then the program has restarted its count.
 */
static bool begins_tagged(struct seep_stamp_lines *stamps, const struct seep_stamp_axis_tag *tag,
			  uint32_t name)
{
	bool larger = tag->index > stamps->largest, again = name && name == stamps->begins;

	if (tag->index == stamps->largest)
		return false;
	if (!larger && !again) {
		stamps->n_late++;
		return false;
	}
	stamps->begins = name;
	return true;
}

static uint64_t most_filled(const struct seep_stamp_lines *stamps)
{
	uint64_t here = stamps->compose->event - stamps->n_filled;

	return here > FILLED_MAX / FILLED_EACH ? FILLED_MAX : here * FILLED_EACH;
}

/*
 * Event numbers missing in the file are events, too, or the rate would be per event in the file;
 * their memory is interpolated.  This also restores the event numbers of a long run that was
 * thinned and written by seep export.
 */
static void fill_gap(struct seep_stamp_lines *stamps, int64_t index,
		     const struct seep_compose_at *at)
{
	const struct seep_compose_at *from = &stamps->begin;
	int64_t step = stamps->axis.step > 0 ? stamps->axis.step : 1;
	int64_t n = stamps->largest < 0 || index < stamps->largest ? 0 :
		    (index - stamps->largest) / step;
	struct seep_compose_at between = *at;

	if (n > 1 && stamps->n_filled + (uint64_t)n > most_filled(stamps)) {
		stamps->n_jumps++;
		return;
	}
	for (int64_t i = 1; i < n; i++) {
		double part = (double)i / (double)n;
		int64_t t_ns = from->t_ns + (int64_t)(part * (double)(at->t_ns - from->t_ns));

		between.t_ns = t_ns > stamps->compose->last.t_ns ? t_ns :
			       stamps->compose->last.t_ns;
		between.vm_bytes = from->vm_bytes +
				   (int64_t)(part * (double)(at->vm_bytes - from->vm_bytes));
		between.rss_bytes = from->rss_bytes +
				    (int64_t)(part * (double)(at->rss_bytes - from->rss_bytes));
		seep_compose_event(stamps->compose, stamps->largest + i * step, &between);
		stamps->n_filled++;
	}
}

static void begin_numbered(struct seep_stamp_lines *stamps, int64_t index,
			   const struct seep_compose_at *at)
{
	fill_gap(stamps, index, at);
	seep_compose_event(stamps->compose, index, at);
	stamps->largest = index;
	stamps->begin = *at;
}

static bool begins_named(struct seep_stamp_lines *stamps, const struct seep_stamp_lines_line *line)
{
	const struct seep_stamp_axis *axis = &stamps->axis;

	if (line->n_name != axis->n_name || memcmp(line->name, axis->name, axis->n_name))
		return false;
	if (++stamps->times < axis->times && stamps->compose->event)
		return false;
	stamps->times = 0;
	return true;
}

static void tell(struct seep_stamp_lines *stamps, uint32_t name, const struct seep_compose_at *at)
{
	if (name && stamps->n_told < TOLD_MAX) {
		seep_compose_stamp(stamps->compose, name, at);
		stamps->n_told += !stamps->compose->thin.partial;
	} else {
		stamps->n_untold++;
	}
}

static void take(struct seep_stamp_lines *stamps, const struct seep_stamp_lines_line *line)
{
	struct seep_compose_at at = {
		.t_ns = seep_timeline_next(&stamps->timeline, line->t_ns, line->place),
		.has_rss = true,
		.vm_bytes = line->vm_bytes,
		.rss_bytes = line->rss_bytes,
	};
	struct seep_stamp_axis_tag tag = { .name = line->name, .n_name = line->n_name };
	unsigned letter = 0;
	uint32_t name;
	bool main = false;

	if (stamps->axis.kind == SEEP_STAMP_AXIS_ROWS) {
		seep_compose_event(stamps->compose, ++stamps->largest, &at);
		return;
	}
	if (stamps->axis.kind == SEEP_STAMP_AXIS_TAGGED &&
	    seep_stamp_axis_split(line->name, line->n_name, &tag)) {
		main = tag.letter == stamps->axis.letter;
		letter = main ? 0 : tag.letter;
	}
	name = put_lettered(stamps, letter, tag.name, tag.n_name);
	if (stamps->axis.kind == SEEP_STAMP_AXIS_NAMED && begins_named(stamps, line))
		seep_compose_event(stamps->compose, ++stamps->largest, &at);
	else if (main && begins_tagged(stamps, &tag, name))
		begin_numbered(stamps, tag.index, &at);
	tell(stamps, name, &at);
	if (line->comment)
		count(stamps, line, letter, name);
}

static int by_time(const void *a, const void *b)
{
	const struct seep_stamp_lines_line *one = a, *two = b;

	return (one->t_ns > two->t_ns) - (one->t_ns < two->t_ns);
}

/* Enough stamps are waiting, or the file has ended. */
static void decide(struct seep_stamp_lines *stamps)
{
	struct seep_stamp_lines_line *lines = stamps->lines.items;

	if (stamps->sorts)
		seep_sort_stable(lines, stamps->lines.n, sizeof(*lines), by_time,
				 &stamps->import->arena);
	seep_stamp_axis_find(&stamps->axis, lines, stamps->lines.n, &stamps->import->arena);
	stamps->waiting = false;
	if (stamps->lines.n)
		seep_compose_started(stamps->compose, lines[0].t_ns);
	for (size_t i = 0; i < stamps->lines.n; i++)
		take(stamps, &lines[i]);
}

static void keep(struct seep_stamp_lines *stamps, const struct seep_stamp_lines_line *line)
{
	struct seep_stamp_lines_line *kept = seep_table_add(&stamps->lines);

	*kept = *line;
	if (line->name)
		kept->name = seep_arena_copy(&stamps->import->arena, line->name, line->n_name);
	if (line->comment)
		kept->comment = seep_arena_copy(&stamps->import->arena, line->comment,
						line->n_comment);
	stamps->text_bytes += line->n_name + line->n_comment;
}

void seep_stamp_lines_add(struct seep_stamp_lines *stamps, const struct seep_stamp_lines_line *line)
{
	stamps->n++;
	if (!stamps->waiting) {
		take(stamps, line);
		return;
	}
	keep(stamps, line);
	if (stamps->lines.n >= WAITING_MAX || stamps->text_bytes >= WAITING_BYTES)
		decide(stamps);
}

static void note_axis(const struct seep_stamp_lines *stamps)
{
	const struct seep_stamp_axis *axis = &stamps->axis;
	struct seep_compose *c = stamps->compose;

	if (axis->kind == SEEP_STAMP_AXIS_TAGGED && axis->others && axis->letter)
		seep_compose_note(c, "several instances made stamps: events are those of instance "
				  "%c, which made the most; the stamps of the other instances "
				  "belong to these events", (int)('A' + axis->letter - 1));
	if (axis->kind == SEEP_STAMP_AXIS_NAMED && axis->period)
		seep_compose_note(c, "the stamps have no event numbers: their names repeat every "
				  "%zu stamps, and an event begins at '%.200s'", axis->period,
				  axis->name);
	if (axis->kind == SEEP_STAMP_AXIS_NAMED && !axis->period)
		seep_compose_note(c, "the stamps have no event numbers and no period: an event "
				  "begins at '%.200s', the most frequent name", axis->name);
	if (axis->kind == SEEP_STAMP_AXIS_NONE)
		seep_compose_note(c, "no stamp name repeats, so this file has no events");
	if (axis->kind == SEEP_STAMP_AXIS_ROWS)
		seep_compose_note(c, "the stamps have no names: each stamp counts as an event");
}

uint64_t seep_stamp_lines_finish(struct seep_stamp_lines *stamps)
{
	struct seep_compose *c = stamps->compose;

	if (stamps->waiting)
		decide(stamps);
	note_axis(stamps);
	seep_timeline_note(&stamps->timeline, c, stamps->place);
	if (stamps->axis.step > 1)
		seep_compose_note(c, "event numbers increase by %" PRId64 ": rates are per event "
				  "in the file", stamps->axis.step);
	if (stamps->n_filled)
		seep_compose_note(c, "%" PRIu64 " event numbers are missing in the file: these "
				  "events are counted, and their memory is interpolated",
				  stamps->n_filled);
	if (stamps->n_jumps)
		seep_compose_note(c, "event numbers jump too far %" PRIu64 " times: the events in "
				  "between are not counted", stamps->n_jumps);
	if (stamps->n_late)
		seep_compose_note(c, "%" PRIu64 " stamps have the number of an earlier event: they "
				  "count in the event in which they were made", stamps->n_late);
	if (stamps->n_untold)
		seep_compose_note(c, "%" PRIu64 " stamps were left out because the file has too "
				  "many stamps or names: phases may be missing",
				  stamps->n_untold);
	return stamps->n;
}
