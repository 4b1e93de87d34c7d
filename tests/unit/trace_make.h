/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes traces in memory for tests, from trace/format.h alone: the writer that
 * is shipped has no part in it, so that the two can disagree.
 */
#ifndef SEEP_TESTS_TRACE_MAKE_H
#define SEEP_TESTS_TRACE_MAKE_H

#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace_make {
	unsigned char *data;
	size_t bytes;
	uint32_t seq;
};

static inline void trace_make_grow(struct trace_make *trace, size_t bytes)
{
	trace->data = realloc(trace->data, trace->bytes + bytes);
	if (!trace->data)
		abort();
	memset(trace->data + trace->bytes, 0, bytes);
	trace->bytes += bytes;
}

static inline struct seep_trace_header *trace_make_header(struct trace_make *trace)
{
	return (struct seep_trace_header *)(void *)trace->data;
}

/* To be called after the checked part of the header was changed. */
static inline void trace_make_seal(struct trace_make *trace)
{
	struct seep_trace_header *header = trace_make_header(trace);

	header->check = seep_trace_check(header, offsetof(struct seep_trace_header, check));
}

static inline void trace_make_begin(struct trace_make *trace, uint32_t state)
{
	struct seep_trace_header *header;

	memset(trace, 0, sizeof(*trace));
	trace_make_grow(trace, SEEP_TRACE_HEADER_BYTES);
	header = trace_make_header(trace);
	memcpy(header->magic, SEEP_TRACE_MAGIC, sizeof(header->magic));
	header->version = SEEP_TRACE_VERSION;
	header->byte_order = SEEP_TRACE_BYTE_ORDER;
	header->header_bytes = SEEP_TRACE_HEADER_BYTES;
	header->page_bytes = 4096;
	header->pid = 4131;
	header->started_real_ns = 1700000000000000000;
	header->started_mono_ns = 5000;
	header->state = state;
	trace_make_seal(trace);
}

static inline void trace_make_end(struct trace_make *trace)
{
	free(trace->data);
	memset(trace, 0, sizeof(*trace));
}

/* Appends a record of head and tail; returns its offset. */
static inline size_t trace_make_add(struct trace_make *trace, uint16_t kind, uint16_t flags,
				    const void *head, size_t head_bytes, const void *tail,
				    size_t tail_bytes)
{
	struct seep_trace_record record = { .kind = kind, .flags = flags, .seq = trace->seq++ };
	size_t at = trace->bytes;
	size_t size = (sizeof(record) + head_bytes + tail_bytes + 7) / 8 * 8;
	unsigned char *place;

	trace_make_grow(trace, size);
	place = trace->data + at;
	record.size = (uint32_t)size;
	memcpy(place, &record, sizeof(record));
	if (head_bytes)
		memcpy(place + sizeof(record), head, head_bytes);
	if (tail_bytes)
		memcpy(place + sizeof(record) + head_bytes, tail, tail_bytes);
	record.check = seep_trace_check(place + 8, size - 8);
	memcpy(place, &record, sizeof(record));
	return at;
}

/* A record that is its struct and nothing more. */
#define TRACE_MAKE_ADD(trace, kind, flags, ...) \
	trace_make_add((trace), (kind), (flags), &(__VA_ARGS__), sizeof(__VA_ARGS__), NULL, 0)

static inline void trace_make_run(struct trace_make *trace, const char *strings, uint32_t bytes,
				  uint32_t argc)
{
	struct seep_rec_run run = { .argc = argc, .bytes = bytes };

	trace_make_add(trace, SEEP_REC_RUN, 0, &run, sizeof(run), strings, bytes);
}

static inline void trace_make_name(struct trace_make *trace, uint32_t id, const char *text)
{
	struct seep_rec_name name = { .id = id, .bytes = (uint32_t)strlen(text) };

	trace_make_add(trace, SEEP_REC_NAME, 0, &name, sizeof(name), text, name.bytes);
}

static inline void trace_make_module(struct trace_make *trace, uint32_t id, uint64_t bias,
				     const char *build_id, uint32_t build_id_bytes,
				     const char *path)
{
	struct seep_rec_module module = { .start = bias, .end = bias + 0x100000, .bias = bias,
					  .id = id, .build_id_bytes = build_id_bytes,
					  .path_bytes = (uint32_t)strlen(path) };
	char tail[4096];

	memcpy(tail, build_id, build_id_bytes);
	memcpy(tail + build_id_bytes, path, module.path_bytes);
	trace_make_add(trace, SEEP_REC_MODULE, 0, &module, sizeof(module), tail,
		       build_id_bytes + module.path_bytes);
}

static inline void trace_make_nodes(struct trace_make *trace, uint32_t first, uint32_t count,
				    const struct seep_rec_node *items)
{
	struct seep_rec_nodes nodes = { .first = first, .count = count };

	trace_make_add(trace, SEEP_REC_NODES, 0, &nodes, sizeof(nodes), items,
		       count * sizeof(*items));
}

static inline void trace_make_sites(struct trace_make *trace, uint32_t first, uint32_t count,
				    const struct seep_rec_site *items)
{
	struct seep_rec_sites sites = { .first = first, .count = count };

	trace_make_add(trace, SEEP_REC_SITES, 0, &sites, sizeof(sites), items,
		       count * sizeof(*items));
}

/* A stamp with figures that follow from its time. */
static inline void trace_make_stamp(struct trace_make *trace, uint16_t flags, int64_t t_ns,
				    uint32_t event, uint32_t name)
{
	struct seep_rec_stamp stamp = { .t_ns = t_ns, .vm_bytes = 10 * t_ns, .rss_bytes = 5 * t_ns,
					.live_bytes = 3 * t_ns, .live_blocks = t_ns,
					.index = 100 + event, .event = event, .name = name };

	TRACE_MAKE_ADD(trace, SEEP_REC_STAMP, flags, stamp);
}

static inline void trace_make_count(struct trace_make *trace, uint32_t event, uint32_t name,
				    double value)
{
	struct seep_rec_count count = { .value = value, .event = event, .name = name };

	TRACE_MAKE_ADD(trace, SEEP_REC_COUNT, 0, count);
}

/* From this event on one of stride is written. */
static inline void trace_make_thin(struct trace_make *trace, uint16_t flags, uint32_t event,
				   uint32_t stride)
{
	struct seep_rec_thin thin = { .event = event, .stride = stride };

	TRACE_MAKE_ADD(trace, SEEP_REC_THIN, flags, thin);
}

static inline void trace_make_gauge(struct trace_make *trace, uint32_t event, uint32_t name,
				    int64_t bytes)
{
	struct seep_rec_gauge gauge = { .bytes = bytes, .event = event, .name = name };

	TRACE_MAKE_ADD(trace, SEEP_REC_GAUGE, 0, gauge);
}

/* An anchor with figures that follow from its event. */
static inline void trace_make_anchor(struct trace_make *trace, uint16_t flags, uint32_t event)
{
	struct seep_rec_anchor anchor = { .t_ns = 1000 * event, .rss_anon_bytes = 1000 * event,
					  .rss_file_bytes = 100, .rss_shmem_bytes = 10,
					  .swap_bytes = 1, .live_bytes = 500 * event,
					  .allocator_bytes = 600 * event,
					  .allocator_used_bytes = 550 * event,
					  .allocator_free_bytes = 50 * event,
					  .non_heap_bytes = 300 * event,
					  .non_heap_resident_bytes = 200 * event,
					  .tracker_bytes = 20 * event, .event = event };

	TRACE_MAKE_ADD(trace, SEEP_REC_ANCHOR, flags, anchor);
}

/* Births are binned from first_event on.  More is live than at any stamp. */
static inline void trace_make_snapshot_bins(struct trace_make *trace, uint16_t flags,
					    uint64_t ordinal, uint32_t event,
					    uint32_t first_event, uint32_t events_per_bin)
{
	struct seep_rec_snapshot snapshot = { .t_ns = 50000 + (int64_t)ordinal, .ordinal = ordinal,
					      .live_blocks = 7, .live_bytes = 700000, .missed = 1,
					      .dropped = 2, .tracker_bytes = 3, .lost_walks = 4,
					      .event = event, .first_event = first_event,
					      .events_per_bin = events_per_bin };

	TRACE_MAKE_ADD(trace, SEEP_REC_SNAPSHOT, flags, snapshot);
}

static inline void trace_make_snapshot(struct trace_make *trace, uint16_t flags, uint64_t ordinal,
				       uint32_t event)
{
	trace_make_snapshot_bins(trace, flags, ordinal, event, 1, 1);
}

/* Packed numbers, for a record in the making. */
struct trace_make_pack {
	unsigned char bytes[32768];
	uint32_t n;
	uint32_t count;          /* of things */
};

static inline void trace_make_put(struct trace_make_pack *pack, uint64_t number)
{
	do {
		unsigned char byte = number & 0x7f;

		number >>= 7;
		if (number)
			byte |= 0x80;
		pack->bytes[pack->n++] = byte;
	} while (number);
}

/* bins holds pairs of blocks and bytes; two ages are made up. */
static inline void trace_make_put_state(struct trace_make_pack *pack, uint32_t site,
					uint32_t n_bins, const uint64_t *bins)
{
	const uint64_t numbers[] = { site, 20, 2000 + (uint64_t)site, 10, 1000, 5, 1, 100, 2, 6, 4,
				     0, n_bins };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		trace_make_put(pack, numbers[i]);
	for (i = 0; i < 2 * n_bins; i++)
		trace_make_put(pack, bins[i]);
	pack->count++;
}

/* blocks of them died at age 0. */
static inline void trace_make_put_frees(struct trace_make_pack *pack, uint32_t site,
					uint32_t node, uint64_t blocks)
{
	trace_make_put(pack, site);
	trace_make_put(pack, node);
	trace_make_put(pack, 1);
	trace_make_put(pack, blocks);
	pack->count++;
}

static inline void trace_make_packed(struct trace_make *trace, uint16_t kind, uint64_t ordinal,
				     const struct trace_make_pack *pack)
{
	struct seep_rec_site_states head = { .ordinal = ordinal, .count = pack->count,
					     .bytes = pack->n };

	trace_make_add(trace, kind, 0, &head, sizeof(head), pack->bytes, pack->n);
}

static inline void trace_make_state(struct trace_make *trace, uint64_t ordinal, uint32_t site,
				    uint32_t n_bins, const uint64_t *bins)
{
	struct trace_make_pack pack = { .n = 0 };

	trace_make_put_state(&pack, site, n_bins, bins);
	trace_make_packed(trace, SEEP_REC_SITE_STATES, ordinal, &pack);
}

static inline void trace_make_frees(struct trace_make *trace, uint64_t ordinal, uint32_t site,
				    uint32_t node, uint64_t blocks)
{
	struct trace_make_pack pack = { .n = 0 };

	trace_make_put_frees(&pack, site, node, blocks);
	trace_make_packed(trace, SEEP_REC_FREE_SITES, ordinal, &pack);
}

/* pairs of blocks seen and standard error, from bin 0 on */
static inline void trace_make_samples(struct trace_make *trace, uint64_t ordinal, uint32_t site,
				      uint32_t n_bins, const uint64_t *bins)
{
	struct trace_make_pack pack = { .n = 0, .count = 1 };
	size_t i;

	trace_make_put(&pack, site);
	trace_make_put(&pack, 0);
	trace_make_put(&pack, n_bins);
	for (i = 0; i < 2 * n_bins; i++)
		trace_make_put(&pack, bins[i]);
	trace_make_packed(trace, SEEP_REC_SITE_SAMPLES, ordinal, &pack);
}

/*
 * One array that doubled twice, from 100 bytes, and is still there; in a bin of its own each:
 * 100 is of 7 bits, 400 of 9.  It grew in event 1 and in the one that is given.
 */
static inline void trace_make_put_moves(struct trace_make_pack *pack, uint32_t site,
					uint32_t event)
{
	const uint64_t numbers[] = { site, 1, 2, 2, 1, 300, 100, 100, 300, event, 1, 400,
				     7, 3,
				     1, 0, 0, 0, 0, 0, 0,
				     0, 0, 0, 200, 1, 1, 100,
				     0, 1, 400, 400, 1, 1, 200,
				     1, 2, 200, 400 };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		trace_make_put(pack, numbers[i]);
	pack->count++;
}

static inline void trace_make_moves(struct trace_make *trace, uint64_t ordinal, uint32_t site,
				    uint32_t event)
{
	struct trace_make_pack pack = { .n = 0 };

	trace_make_put_moves(&pack, site, event);
	trace_make_packed(trace, SEEP_REC_SITE_MOVES, ordinal, &pack);
}

static inline void trace_make_sampling(struct trace_make *trace, uint64_t mean_bytes,
				       uint32_t event, uint32_t reason)
{
	struct seep_rec_sampling sampling = { .t_ns = 1, .mean_bytes = mean_bytes,
					      .event = event, .reason = reason };

	TRACE_MAKE_ADD(trace, SEEP_REC_SAMPLING, 0, sampling);
}

/* 100 MB of heap of which 20 MB are live; memory falls by given. */
static inline void trace_make_probe(struct trace_make *trace, uint16_t flags, uint32_t event,
				    int64_t given)
{
	struct seep_rec_probe probe = { .t_ns = 1000 * event, .took_ns = 100,
					.rss_before_bytes = 110000000,
					.rss_after_bytes = 110000000 - given,
					.heap_resident_bytes = 100000000, .live_bytes = 20000000,
					.event = event, .allocator = SEEP_ALLOCATOR_GLIBC };

	TRACE_MAKE_ADD(trace, SEEP_REC_PROBE, flags, probe);
}

static inline void trace_make_put_pin(struct trace_make_pack *pack, uint64_t site,
				      uint64_t bytes, uint64_t blocks)
{
	trace_make_put(pack, site);
	trace_make_put(pack, bytes);
	trace_make_put(pack, blocks);
	pack->count++;
}

/* Sites 1 and 2 pin pages. */
static inline void trace_make_pins(struct trace_make *trace)
{
	struct trace_make_pack pack = { .n = 0 };

	trace_make_put_pin(&pack, 1, 5000, 2);
	trace_make_put_pin(&pack, 2, 300, 1);
	trace_make_packed(trace, SEEP_REC_PINS, 0, &pack);
}

static inline void trace_make_snapshot_end(struct trace_make *trace, uint64_t ordinal,
					   uint64_t sites)
{
	struct seep_rec_snapshot_end end = { .ordinal = ordinal, .sites = sites };

	TRACE_MAKE_ADD(trace, SEEP_REC_SNAPSHOT_END, 0, end);
}

static inline void trace_make_limit(struct trace_make *trace, int64_t bytes, const char *source)
{
	struct seep_rec_limit limit = { .bytes = bytes,
					.source_bytes = (uint32_t)strlen(source) };

	trace_make_add(trace, SEEP_REC_LIMIT, 0, &limit, sizeof(limit), source,
		       limit.source_bytes);
}

/* As seep run writes them now: with what others use of it. */
static inline void trace_make_limit_of(struct trace_make *trace, uint16_t flags, int64_t bytes,
				       const char *source, uint32_t counts, int64_t others)
{
	struct seep_rec_limit limit = { .bytes = bytes, .counts = counts,
					.source_bytes = (uint32_t)strlen(source) };
	size_t letters = (strlen(source) + 7) / 8 * 8;
	char tail[256] = "";

	memcpy(tail, source, strlen(source));
	memcpy(tail + letters, &others, sizeof(others));
	trace_make_add(trace, SEEP_REC_LIMIT, flags | SEEP_LIMIT_OTHERS, &limit, sizeof(limit),
		       tail, (uint32_t)(letters + sizeof(others)));
}

static inline void trace_make_note(struct trace_make *trace, uint16_t flags, const char *text)
{
	struct seep_rec_note note = { .t_ns = 1, .bytes = (uint32_t)strlen(text) };

	trace_make_add(trace, SEEP_REC_NOTE, flags, &note, sizeof(note), text, note.bytes);
}

static inline void trace_make_exit(struct trace_make *trace, int64_t t_ns, int32_t code,
				   int32_t signal)
{
	struct seep_rec_exit end = { .t_ns = t_ns, .code = code, .signal = signal };

	TRACE_MAKE_ADD(trace, SEEP_REC_EXIT, 0, end);
}

/* All records that a snapshot has: sites 1 and 2, the first freed by two stacks. */
static inline void trace_make_whole_snapshot(struct trace_make *trace, uint16_t flags,
					     uint64_t ordinal, uint32_t event)
{
	static const uint64_t bins[] = { 1, 10, 2, 20, 3, 300, 0, 0 };
	struct trace_make_pack states = { .n = 0 }, frees = { .n = 0 };

	trace_make_snapshot(trace, flags, ordinal, event);
	trace_make_put_state(&states, 1, 3, bins);
	trace_make_put_state(&states, 2, 2, bins);
	trace_make_packed(trace, SEEP_REC_SITE_STATES, ordinal, &states);
	trace_make_put_frees(&frees, 1, 4, 3);
	trace_make_put_frees(&frees, 1, 2, 8);
	trace_make_packed(trace, SEEP_REC_FREE_SITES, ordinal, &frees);
	trace_make_moves(trace, ordinal, 1, event);
	trace_make_snapshot_end(trace, ordinal, 2);
}

/*
 * A small trace with a record of every kind but RESTART: three events with a phase
 * in each, two sites, a snapshot on the way and one at the end.
 */
static inline void trace_make_sample(struct trace_make *trace)
{
	static const struct seep_rec_node nodes[] = {
		{ .pc = 0x401000, .parent = 0, .module = 1 },
		{ .pc = 0x401100, .parent = 1, .module = 1 },
		{ .pc = 0x7f0000001234, .parent = 2, .module = 2 },
		{ .pc = SEEP_PC_LOST, .parent = 0, .module = 0 },
	};
	static const struct seep_rec_site sites[] = {
		{ .node = 3, .phase = 1 },
		{ .node = 2, .phase = 0 },
	};
	static const char strings[] = "/usr/bin/detector\0/home/user\0./detector\0--events\0003";
	uint32_t event;

	trace_make_begin(trace, SEEP_TRACE_FINISHED);
	trace_make_run(trace, strings, sizeof(strings), 3);
	trace_make_limit(trace, 8ll << 30, "cgroup");
	trace_make_limit(trace, 64ll << 30, "RAM");
	trace_make_name(trace, 1, "simulate");
	trace_make_name(trace, 2, "hits");
	trace_make_name(trace, 3, "gpu");
	trace_make_stamp(trace, SEEP_STAMP_RSS | SEEP_STAMP_HEAP, 500, 0, 1);
	trace_make_module(trace, 1, 0, "\x12\x34\x56\x78\x9a\xbc\xde\xf0", 8, "/usr/bin/detector");
	trace_make_module(trace, 2, 0x7f0000000000, "", 0, "./libplugin.so");
	for (event = 1; event <= 3; event++) {
		uint16_t flags = SEEP_STAMP_RSS | SEEP_STAMP_HEAP;

		trace_make_stamp(trace, flags | SEEP_STAMP_BEGIN, 1000 * event, event, 0);
		trace_make_anchor(trace, SEEP_ANCHOR_BEGIN | SEEP_ANCHOR_RSS, event);
		trace_make_stamp(trace, flags, 1000 * event + 300, event, 1);
		trace_make_count(trace, event, 2, event * 10);
		trace_make_count(trace, event, 2, 1);
		trace_make_gauge(trace, event, 3, event * 4096);
		trace_make_stamp(trace, flags | SEEP_STAMP_END, 1000 * event + 900, event, 0);
		if (event == 1) {
			trace_make_nodes(trace, 1, 4, nodes);
			trace_make_sites(trace, 1, 2, sites);
			trace_make_whole_snapshot(trace, SEEP_SNAPSHOT_PERIODIC, 1, 1);
		}
	}
	trace_make_note(trace, SEEP_NOTE_INFO, "pools were switched off");
	trace_make_anchor(trace, SEEP_ANCHOR_FINAL, 3);
	trace_make_whole_snapshot(trace, SEEP_SNAPSHOT_FINAL, 2, 3);
	trace_make_pins(trace);
	trace_make_probe(trace, SEEP_PROBE_FINAL | SEEP_PROBE_ASKED, 3, 60000000);
	trace_make_exit(trace, 60000, 0, 0);
}

#endif
