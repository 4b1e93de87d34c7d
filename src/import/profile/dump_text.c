/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text heap profiles of jemalloc and gperftools:
 *
 *	heap_v2/524288                            jemalloc since 4.0; bytes per sample
 *	  t*: 28: 12345 [0: 0]                    blocks: bytes, [of all ever allocated]
 *	  t0: 28: 12345 [0: 0]
 *	@ 0x55d5 0x7f13                           a stack, innermost first
 *	  t*: 13: 6688 [0: 0]
 *
 *	heap profile: 28: 12345 [99: 54321] @ heapprofile     gperftools; not sampled
 *	heap profile: 28: 12345 [99: 54321] @ heap_v2/524288  jemalloc 3, tcmalloc
 *	  13: 6688 [14: 7000] @ 0x55d5 0x7f13
 *
 * Both end with MAPPED_LIBRARIES and a copy of the process's memory map.  The addresses mean
 * nothing without the map, so the records of a file are kept until it has been read.
 *
 * Samples are scaled as in jeprof: a block of z bytes is sampled with probability p = 1 - exp(-z
 * / period), so each sampled block stands for 1 / p blocks.
 */
#include "import/import.h"
#include "import/number.h"
#include "import/profile/address_map.h"
#include "import/profile/dump_plan.h"
#include "import/profile/dump_series.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define COUNT_MAX 9e15           /* largest count to scale; exact in a double */
#define RECORDS_MAX ((size_t)1 << 20) /* most stacks in one file */
#define ADDRESSES_MAX ((size_t)1 << 23) /* ... and addresses in all of them */
#define NODES_MAX 1000000u       /* of all files together */
#define MAPS_MAX ((size_t)1 << 18)

struct counts {
	uint64_t blocks, bytes, born_blocks, born_bytes;
};

struct record {
	struct counts counts;
	bool counted;
	const uint64_t *pcs;     /* innermost first */
	size_t n_pcs;
};

struct profile {
	struct seep_source *source;
	struct seep_arena arena;
	bool by_thread;          /* the format of jemalloc since 4.0 */
	uint64_t period;         /* bytes per sample; 0: not sampled */
	struct counts total;     /* as the file states it */
	bool has_maps;
	struct seep_table records; /* struct record */
	size_t n_addresses;      /* ... in all records */
	struct seep_address_map map;
};

static bool recognise(const struct seep_import_head *head)
{
	return seep_import_begins(head, "heap_v2/") || seep_import_begins(head, "heap profile:");
}

/* "28: 12345 [99: 54321]" */
static bool take_counts(const char **at, struct counts *counts)
{
	uint64_t *numbers[] = { &counts->blocks, &counts->bytes, &counts->born_blocks,
				&counts->born_bytes };
	static const char *const behind[] = { ":", "[", ":", "]" };

	for (int i = 0; i < 4; i++) {
		seep_number_blanks(at);
		if (!seep_number_decimal(at, numbers[i]))
			return false;
		seep_number_blanks(at);
		if (!seep_number_word(at, behind[i]))
			return false;
	}
	seep_number_blanks(at);
	return true;
}

static int read_first_line(struct profile *profile, const char *line, struct seep_err *err)
{
	if (seep_number_word(&line, "heap_v2/")) {
		profile->by_thread = true;
		if (seep_number_decimal(&line, &profile->period) && !*line)
			return 0;
	} else if (seep_number_word(&line, "heap profile:") &&
		   take_counts(&line, &profile->total) && seep_number_word(&line, "@ ")) {
		if (!strcmp(line, "heapprofile"))
			return 0;
		if ((seep_number_word(&line, "heap_v2/") || seep_number_word(&line, "heapz_v2/")) &&
		    seep_number_decimal(&line, &profile->period) && !*line)
			return 0;
		return seep_source_refuse(profile->source, ENOTSUP, err, "a profile of kind "
					  "'%.40s' does not say which blocks are live; heapprofile "
					  "and heap_v2 do", line);
	}
	return seep_source_refuse(profile->source, EBADMSG, err, "expected the first line of a "
				  "heap profile: 'heap_v2/PERIOD' or 'heap profile: N: BYTES [N: "
				  "BYTES] @ KIND'");
}

static int refuse_size(const struct profile *profile, struct seep_err *err)
{
	return seep_source_refuse(profile->source, EFBIG, err, "too many stacks, frames or "
				  "mappings to fit in memory");
}

/* Parses the addresses of a stack ("0x55d5 0x7f13") after its '@'. */
static int take_stack(struct profile *profile, const char *at, struct record *record,
		      struct seep_err *err)
{
	struct seep_table pcs = SEEP_TABLE(&profile->arena, uint64_t);
	uint64_t pc;

	for (seep_number_blanks(&at); *at; seep_number_blanks(&at)) {
		if (!seep_number_word(&at, "0x") || !seep_number_hexadecimal(&at, &pc))
			return seep_source_refuse(profile->source, EBADMSG, err, "'%.40s' is not a "
						  "stack address", at);
		if (++profile->n_addresses > ADDRESSES_MAX)
			return refuse_size(profile, err);
		*(uint64_t *)seep_table_add(&pcs) = pc;
	}
	record->pcs = pcs.items;
	record->n_pcs = pcs.n;
	return 0;
}

static int check_counts(struct profile *profile, const struct counts *counts,
			struct seep_err *err)
{
	if (!counts->blocks && counts->bytes)
		return seep_source_refuse(profile->source, EBADMSG, err, "%llu bytes in no block",
					  (unsigned long long)counts->bytes);
	if ((double)counts->bytes > COUNT_MAX || (double)counts->blocks > COUNT_MAX)
		return seep_source_refuse(profile->source, EBADMSG, err, "%llu bytes is more than "
					  "a program can hold", (unsigned long long)counts->bytes);
	return 0;
}

/*
 * A line of jemalloc since 4.0: a stack, its counts for all threads, or its counts for one
 * thread.
 */
static int read_by_thread(struct profile *profile, const char *line, struct seep_err *err)
{
	struct record *last = profile->records.n
		? (struct record *)profile->records.items + profile->records.n - 1 : NULL;

	if (seep_number_word(&line, "@"))
		return take_stack(profile, line, seep_table_add(&profile->records), err);
	seep_number_blanks(&line);
	if (!seep_number_word(&line, "t"))
		return seep_source_refuse(profile->source, EBADMSG, err, "expected a stack ('@ "
					  "0x...') or counts ('t*: ...')");
	if (!seep_number_word(&line, "*: ") || (!last && take_counts(&line, &profile->total)))
		return 0; /* counts of one thread, or the total */
	if (!last || last->counted || !take_counts(&line, &last->counts))
		return seep_source_refuse(profile->source, EBADMSG, err, "expected the counts of a "
					  "stack: 't*: N: BYTES [N: BYTES]'");
	last->counted = true;
	return check_counts(profile, &last->counts, err);
}

static int read_plain(struct profile *profile, const char *line, struct seep_err *err)
{
	struct record *record = seep_table_add(&profile->records);

	record->counted = true;
	if (!take_counts(&line, &record->counts) || !seep_number_word(&line, "@"))
		return seep_source_refuse(profile->source, EBADMSG, err, "expected a stack with "
					  "its counts: 'N: BYTES [N: BYTES] @ 0x...'");
	if (check_counts(profile, &record->counts, err))
		return -EBADMSG;
	return take_stack(profile, line, record, err);
}

/* Reads everything up to the end, or to the map. */
static int read_records(struct profile *profile, struct seep_err *err)
{
	char *line;
	size_t n;
	int rc;

	while ((rc = seep_source_line(profile->source, &line, &n, err)) > 0) {
		if (!strcmp(line, "MAPPED_LIBRARIES:")) {
			profile->has_maps = true;
			return 0;
		}
		if (!n)
			continue;
		if (profile->records.n >= RECORDS_MAX)
			return refuse_size(profile, err);
		rc = profile->by_thread ? read_by_thread(profile, line, err)
					: read_plain(profile, line, err);
		if (rc)
			return rc;
	}
	return rc;
}

static int read_maps(struct profile *profile, struct seep_err *err)
{
	char *line;
	size_t n;
	int rc;

	while ((rc = seep_source_line(profile->source, &line, &n, err)) > 0) {
		if (profile->map.ranges.n >= MAPS_MAX)
			return refuse_size(profile, err);
		seep_address_map_add(&profile->map, line);
	}
	return rc;
}

/* Scales the sampled blocks to all blocks, with the standard error. */
static void unsample(const struct profile *profile, const struct counts *counts,
		     struct seep_compose_level *level)
{
	double blocks = (double)counts->blocks, bytes = (double)counts->bytes, mean, missed, scale;

	level->blocks = counts->blocks;
	level->bytes = counts->bytes;
	level->born_blocks = counts->born_blocks;
	level->born_bytes = counts->born_bytes;
	if (profile->period <= 1 || !counts->blocks || !counts->bytes)
		return;
	mean = bytes / blocks;
	missed = exp(-mean / (double)profile->period);
	scale = 1 / -expm1(-mean / (double)profile->period);
	level->blocks = (uint64_t)llround(fmin(blocks * scale, COUNT_MAX));
	level->bytes = (uint64_t)llround(fmin(bytes * scale, COUNT_MAX));
	level->error_bytes = sqrt(blocks * missed) * mean * scale;
	level->born_blocks = level->born_bytes = 0; /* they may include blocks of other sizes */
}

/* Adds the stack from its root on. */
static uint32_t make_node(struct seep_import *import, const struct profile *profile,
			  const struct record *record)
{
	uint32_t node = 0;

	for (size_t i = record->n_pcs; i-- > 0;)
		node = seep_compose_node(&import->compose, node, record->pcs[i],
					 seep_address_map_find(&profile->map, &import->compose,
							     record->pcs[i]));
	return node;
}

static int compose(struct seep_import *import, struct profile *profile, struct seep_err *err)
{
	const struct record *records = profile->records.items;
	struct seep_dump_levels dump;

	seep_dump_levels_init(&dump, &profile->arena);
	for (size_t i = 0; i < profile->records.n; i++) {
		struct seep_compose_level level = { 0 };

		unsample(profile, &records[i].counts, &level);
		level.site = seep_compose_site(&import->compose,
					       make_node(import, profile, &records[i]));
		seep_dump_levels_add(&dump, &level);
		if (import->compose.nodes.n > NODES_MAX)
			return refuse_size(profile, err);
	}
	seep_dump_series_add(import, &dump, seep_source_written_ns(profile->source),
			     profile->period > 1 ? profile->period : 0);
	return 0;
}

static int read_profile(struct profile *profile, struct seep_err *err)
{
	char *line;
	size_t n;
	int rc = seep_source_line(profile->source, &line, &n, err);

	if (rc > 0)
		rc = read_first_line(profile, line, err);
	if (!rc)
		rc = read_records(profile, err);
	if (!rc && profile->has_maps)
		rc = read_maps(profile, err);
	return rc;
}

/*
 * Both formats always end with the map; if it is missing, the file was cut.  A single file is
 * read anyway, because other tools write such files without a map.  The total of a sampled
 * profile is not the sum of its stacks: jemalloc scales the total and each stack by their own
 * mean block size.
 */
static int check_end(struct seep_import *import, struct profile *profile, struct seep_err *err)
{
	const struct record *records = profile->records.items;
	uint64_t bytes = 0;

	for (size_t i = 0; i < profile->records.n; i++)
		bytes += records[i].counts.bytes;
	if (!profile->has_maps && import->n_paths > 1)
		return seep_source_refuse(profile->source, EBADMSG, err, "the file ends without "
					  "MAPPED_LIBRARIES; was it truncated? leave it out");
	if (!profile->has_maps)
		seep_compose_note(&import->compose, "the file ends without MAPPED_LIBRARIES, so "
				  "addresses have no names; was it truncated?");
	if (bytes != profile->total.bytes && profile->period <= 1)
		seep_compose_note(&import->compose, "%.200s states a total of %llu bytes, but its "
				  "stacks add up to %llu", seep_source_path(profile->source),
				  (unsigned long long)profile->total.bytes,
				  (unsigned long long)bytes);
	return 0;
}

static int read_file(struct seep_import *import, struct seep_source *source, struct seep_err *err)
{
	struct profile profile = { .source = source };
	int rc;

	seep_arena_init(&profile.arena);
	profile.records = SEEP_TABLE(&profile.arena, struct record);
	seep_address_map_init(&profile.map, &profile.arena);
	rc = read_profile(&profile, err);
	if (!rc)
		rc = check_end(import, &profile, err);
	if (!rc)
		rc = compose(import, &profile, err);
	else if (rc == -EBADMSG && seep_dump_series_forgive(import, err))
		rc = 0;
	seep_arena_release(&profile.arena);
	return rc;
}

const struct seep_import_format seep_import_dump_text = {
	.name = "a jemalloc or gperftools heap profile",
	.recognise = recognise,
	.plan = seep_dump_plan_make,
	.read = read_file,
	.finish = seep_dump_series_finish,
	.series = true,
	.compare = seep_dump_series_compare,
};
