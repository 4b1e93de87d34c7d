/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * valgrind's massif.out: snapshots, some of them with a tree of which callers hold what.
 *
 *	desc: --time-unit=ms
 *	cmd: ./hits
 *	time_unit: i                    i: instructions, ms, B: allocated bytes
 *	snapshot=7
 *	time=1234567
 *	mem_heap_B=60944
 *	mem_heap_extra_B=424            lost by the allocator
 *	mem_stacks_B=0
 *	heap_tree=detailed              or peak, or empty
 *	n2: 60944 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *	 n1: 59728 0x10917A: keep_hit (hits.c:33)
 *	  n0: 59728 0x109300: main (hits.c:80)
 *	 n0: 1216 in 3 places, all below massif's threshold (1.00%)
 *
 * nK has K children, its callers.  Bytes that the children do not account for are the node's
 * own.
 *
 * Snapshots are not evenly spaced, so an event is a thousandth of the length of the run, and
 * each snapshot gets the number of its event.
 */
#define _GNU_SOURCE
#include "import/import.h"
#include "import/number.h"
#include "import/profile/dump_levels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SLICES 1000u
#define SNAPSHOTS_MAX 100000u
#define LEVELS_MAX ((size_t)4 << 20)
#define DEPTH_MAX 2048u
#define NODES_MAX 2000000u
#define COUNT_MAX ((uint64_t)9e15)
#define ARGUMENTS_MAX 256u

struct snapshot {
	uint64_t time, heap_bytes;
	bool has_tree;
	size_t first_level, n_levels;
};

/* A line of the tree: what it holds, how many children are still to come, and its frame. */
struct branch {
	uint64_t bytes;          /* without what its children hold */
	uint64_t children;       /* that are still to come */
	uint64_t pc;             /* 0: the root, which has no frame */
};

struct reading {
	struct seep_source *source;
	struct seep_compose *compose;
	struct seep_arena arena;
	char unit[8];
	struct seep_table snapshots; /* struct snapshot */
	struct seep_table levels; /* struct seep_compose_level */
	struct branch branches[DEPTH_MAX];
	size_t depth;            /* of the current tree */
};

static bool recognise(const struct seep_import_head *head)
{
	static const char first[] = "desc:", second[] = "\ncmd:";

	return head->bytes > 16 && !memcmp(head->data, first, strlen(first)) &&
	       memmem(head->data, head->bytes, second, strlen(second)) &&
	       (!head->whole || memmem(head->data, head->bytes, "\ntime_unit:", 11));
}

static int refuse(const struct reading *reading, struct seep_err *err, const char *what)
{
	return seep_source_refuse(reading->source, EBADMSG, err, "%s", what);
}

static void tell_command(struct reading *reading, char *at)
{
	const char *arguments[ARGUMENTS_MAX + 1] = { NULL };
	char *rest = NULL;
	size_t n = 0;

	for (char *word = strtok_r(at, " ", &rest); word && n < ARGUMENTS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		arguments[n++] = word;
	if (n)
		seep_compose_command(reading->compose, arguments[0], arguments);
}

static struct snapshot *last_snapshot(const struct reading *reading)
{
	return reading->snapshots.n
		? (struct snapshot *)reading->snapshots.items + reading->snapshots.n - 1 : NULL;
}

static const char *cut_address(char *at, char *colon)
{
	*colon = 0;
	return at;
}

/* "0x10917A: keep_hit (hits.c:33)" or "(in /usr/lib/x.so)"; the text is changed. */
static uint64_t name_frame(struct reading *reading, char *at)
{
	struct seep_compose_frame frame = { .function = at };
	char *name = strncmp(at, "0x", 2) ? NULL : strstr(at, ": "), *place, *end;
	const char *digits;
	uint64_t line;

	if (!name) /* "in 3 places, all below massif's threshold (1.00%)" */
		return seep_compose_named(reading->compose, &frame);
	frame.function = name + 2;
	place = strrchr(name + 2, '(');
	end = strrchr(name + 2, ')');
	if (place && end && place > name + 2 && place[-1] == ' ' && !end[1]) {
		place[-1] = 0;
		*end = 0;
		if (!strncmp(place, "(in ", 4)) {
			frame.module = place + 4;
		} else {
			char *colon = strrchr(place, ':');

			digits = colon ? colon + 1 : "";
			if (seep_number_decimal(&digits, &line) && !*digits && line <= INT32_MAX) {
				*colon = 0;
				frame.line = (uint32_t)line;
			}
			frame.file = place + 1;
		}
	}
	if (!strcmp(frame.function, "???")) /* the name is unknown: use the address */
		frame.function = cut_address(at, name);
	return seep_compose_named(reading->compose, &frame);
}

/*
 * Adds a level for the stack that ends with the last branch; the first branch is the innermost
 * frame.
 */
static int add_level(struct reading *reading, uint64_t bytes, struct seep_err *err)
{
	struct seep_compose_level *level;
	uint32_t node = 0;

	if (!bytes)
		return 0;
	for (size_t i = reading->depth; i-- > 0;)
		if (reading->branches[i].pc)
			node = seep_compose_node(reading->compose, node, reading->branches[i].pc,
						 0);
	if (reading->levels.n >= LEVELS_MAX || reading->compose->nodes.n > NODES_MAX)
		return refuse(reading, err, "too many stacks to fit in memory");
	level = seep_table_add(&reading->levels);
	level->site = seep_compose_site(reading->compose, node);
	level->bytes = bytes;
	return 0;
}

/* Closes branches whose children are complete; the rest of their bytes is their own. */
static int close_branches(struct reading *reading, struct seep_err *err)
{
	int rc = 0;

	while (!rc && reading->depth && !reading->branches[reading->depth - 1].children) {
		rc = add_level(reading, reading->branches[reading->depth - 1].bytes, err);
		reading->depth--;
	}
	return rc;
}

/* " n1: 59728 0x10917A: keep_hit (hits.c:33)" */
static int read_branch(struct reading *reading, char *line, struct seep_err *err)
{
	struct snapshot *snapshot = last_snapshot(reading);
	struct branch branch = { 0 }, *above;
	const char *at = line;

	seep_number_blanks(&at);
	if (!snapshot || !snapshot->has_tree)
		return refuse(reading, err, "a tree line outside a tree");
	if (!seep_number_word(&at, "n") || !seep_number_decimal(&at, &branch.children) ||
	    !seep_number_word(&at, ": ") || !seep_number_decimal(&at, &branch.bytes) ||
	    !seep_number_word(&at, " ") || branch.bytes > COUNT_MAX)
		return refuse(reading, err, "expected a tree line: 'nCHILDREN: BYTES LOCATION'");
	if (reading->depth >= DEPTH_MAX)
		return refuse(reading, err, "a tree that is too deep");
	if (!reading->depth) {
		if (snapshot->n_levels)
			return refuse(reading, err, "a second tree in one snapshot");
		snapshot->first_level = reading->levels.n;
		snapshot->n_levels = 1; /* a placeholder until the tree is complete */
	} else {
		above = &reading->branches[reading->depth - 1];
		if (branch.bytes > above->bytes)
			return refuse(reading, err, "the line holds more than its parent");
		above->bytes -= branch.bytes;
		above->children--;
		branch.pc = name_frame(reading, line + (at - line));
	}
	reading->branches[reading->depth++] = branch;
	return close_branches(reading, err);
}

/* Parses the number in "time=1234". */
static int read_number(struct reading *reading, const char *at, uint64_t *number,
		       struct seep_err *err)
{
	if (seep_number_decimal(&at, number) && !*at && *number <= COUNT_MAX)
		return 0;
	return refuse(reading, err, "not a number, or impossibly large");
}

static void end_tree(struct reading *reading)
{
	struct snapshot *snapshot = last_snapshot(reading);

	if (snapshot && snapshot->n_levels)
		snapshot->n_levels = reading->levels.n - snapshot->first_level;
}

static int read_snapshot(struct reading *reading, const char *at, struct seep_err *err)
{
	uint64_t number;

	if (reading->depth)
		return refuse(reading, err, "the tree before this snapshot is incomplete");
	if (reading->snapshots.n >= SNAPSHOTS_MAX)
		return refuse(reading, err, "too many snapshots");
	end_tree(reading);
	seep_table_add(&reading->snapshots);
	return read_number(reading, at, &number, err);
}

static int read_line(struct reading *reading, char *line, struct seep_err *err)
{
	struct snapshot *snapshot = last_snapshot(reading);
	const char *at = line;
	uint64_t ignored;

	if (!*line || *line == '#' || seep_number_word(&at, "desc:"))
		return 0;
	if (seep_number_word(&at, "cmd: ")) {
		tell_command(reading, line + (at - line));
		return 0;
	}
	if (seep_number_word(&at, "time_unit: ")) {
		snprintf(reading->unit, sizeof(reading->unit), "%s", at);
		return 0;
	}
	if (seep_number_word(&at, "snapshot="))
		return read_snapshot(reading, at, err);
	if (!snapshot)
		return refuse(reading, err, "not a massif line");
	if (seep_number_word(&at, "time="))
		return read_number(reading, at, &snapshot->time, err);
	if (seep_number_word(&at, "mem_heap_B="))
		return read_number(reading, at, &snapshot->heap_bytes, err);
	if (seep_number_word(&at, "mem_heap_extra_B=") || seep_number_word(&at, "mem_stacks_B="))
		return read_number(reading, at, &ignored, err);
	if (seep_number_word(&at, "heap_tree=")) {
		snapshot->has_tree = strcmp(at, "empty") != 0;
		return 0;
	}
	return read_branch(reading, line, err);
}

static int read_lines(struct reading *reading, struct seep_err *err)
{
	char *line;
	size_t n;
	int rc;

	while ((rc = seep_source_line(reading->source, &line, &n, err)) > 0) {
		rc = read_line(reading, line, err);
		if (rc)
			return rc;
	}
	if (rc < 0)
		return rc;
	if (reading->depth)
		return refuse(reading, err, "the file ends inside a tree; was it truncated?");
	if (!reading->snapshots.n)
		return refuse(reading, err, "the file has no snapshot");
	end_tree(reading);
	return 0;
}

static void compose_dump(struct reading *reading, const struct snapshot *snapshot)
{
	const struct seep_compose_level *levels = reading->levels.items;
	struct seep_dump_levels dump;
	struct seep_arena arena;

	seep_arena_init(&arena);
	seep_dump_levels_init(&dump, &arena);
	for (size_t i = 0; i < snapshot->n_levels; i++)
		seep_dump_levels_add(&dump, &levels[snapshot->first_level + i]);
	seep_dump_levels_compose(&dump, reading->compose);
	seep_arena_release(&arena);
}

/* Without a clock all times are 0, because a rate per second would be meaningless. */
static void compose_snapshot(struct reading *reading, const struct snapshot *snapshot,
			     uint64_t slice, bool clock)
{
	struct seep_compose_at at = {
		.t_ns = clock ? (int64_t)(snapshot->time * 1000000) : 0,
		.has_heap = true,
		.live_bytes = (int64_t)snapshot->heap_bytes,
	};

	if (seep_compose_event_numbered(reading->compose, (int64_t)(snapshot->time / slice), &at) &&
	    snapshot->has_tree)
		compose_dump(reading, snapshot);
}

static int compose(struct reading *reading, struct seep_err *err)
{
	const struct snapshot *all = reading->snapshots.items, *last = last_snapshot(reading);
	bool clock = !strcmp(reading->unit, "ms") && last->time < INT64_MAX / 1000000;
	uint64_t slice = last->time / SLICES + 1;

	for (size_t i = 1; i < reading->snapshots.n; i++)
		if (all[i].time < all[i - 1].time)
			return seep_err_set(err, EBADMSG, "%.200s: time goes backwards at snapshot "
					    "%zu", seep_source_path(reading->source), i);
	seep_compose_note(reading->compose, "an event is %llu %s of the run, because massif's "
			  "snapshots are not evenly spaced; massif does not count blocks",
			  (unsigned long long)slice, clock ? "ms" :
			  !strcmp(reading->unit, "B") ? "allocated bytes" : "instructions");
	if (clock)
		seep_compose_ticks(reading->compose);
	for (size_t i = 0; i < reading->snapshots.n; i++)
		if (i + 1 == reading->snapshots.n || /* of one event the last snapshot counts */
		    all[i].time / slice != all[i + 1].time / slice ||
		    (all[i].has_tree && !all[i + 1].has_tree))
			compose_snapshot(reading, &all[i], slice, clock);
	return 0;
}

static int read_file(struct seep_import *import, struct seep_source *source, struct seep_err *err)
{
	struct reading *reading = seep_arena_alloc(&import->arena, sizeof(*reading));
	int rc;

	reading->source = source;
	reading->compose = &import->compose;
	seep_arena_init(&reading->arena);
	reading->snapshots = SEEP_TABLE(&reading->arena, struct snapshot);
	reading->levels = SEEP_TABLE(&reading->arena, struct seep_compose_level);
	rc = read_lines(reading, err);
	if (!rc)
		rc = compose(reading, err);
	seep_arena_release(&reading->arena);
	return rc;
}

const struct seep_import_format seep_import_massif = {
	.name = "a massif.out",
	.recognise = recognise,
	.read = read_file,
};
