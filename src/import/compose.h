/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds a trace in memory from the file of another profiler, so that nothing after trace/reader
 * has to know where a run comes from.
 *
 *	seep_compose_event(c, index, &at);       an event begins
 *	seep_compose_stamp(c, name, &at);        a named moment in it
 *	seep_compose_count(c, name, 1748);       a number that belongs to it
 *
 * A file may have any length.  Of a long run only some events are kept, by the same rule as in
 * the recorder (trace/thinning.h), so that memory stays bounded.
 */
#ifndef SEEP_IMPORT_COMPOSE_H
#define SEEP_IMPORT_COMPOSE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "base/words.h"
#include "trace/format.h"
#include "trace/reader.h"
#include "trace/thinning.h"

#include <stdbool.h>

/* What was measured at one moment.  t_ns counts from the start and never falls. */
struct seep_compose_at {
	int64_t t_ns;
	bool has_rss, has_heap;
	int64_t vm_bytes, rss_bytes;
	int64_t live_bytes, live_blocks;
};

struct seep_compose {
	struct seep_arena arena;
	unsigned char *data;     /* the trace so far */
	size_t bytes, room;
	uint32_t seq;
	struct seep_thinning thin;
	uint32_t event;          /* number of the current event; 0: none has begun */
	bool ticks;              /* events are time slices */
	bool sparse;             /* events are numbered by the file, with gaps */
	struct seep_compose_at last;
	struct seep_words names, frames, nodes, sites, modules;
	struct seep_table sums;  /* of counters in events that were thinned out, by name */
	uint64_t n_dumps;
	struct seep_table states; /* of the sites, at the last dump */
	unsigned char *pack;     /* payload of the levels record in progress */
	size_t packed;
	uint32_t n_packed;
};

void seep_compose_init(struct seep_compose *c);
void seep_compose_release(struct seep_compose *c);

/* When the run began, in ns since the epoch; all other times count from there.  0: unknown. */
void seep_compose_started(struct seep_compose *c, int64_t real_ns);

/* What was run; arguments ends with a NULL. */
void seep_compose_command(struct seep_compose *c, const char *exe, const char *const *arguments);
void seep_compose_pid(struct seep_compose *c, uint32_t pid);
void seep_compose_exit(struct seep_compose *c, int code, int signal, int64_t t_ns);

/* The events of this file are samples at equal times, not cycles of the program. */
void seep_compose_ticks(struct seep_compose *c);

/* The number for the name of a stamp or counter.  A name that is too long is cut. */
uint32_t seep_compose_name(struct seep_compose *c, const char *text, size_t n);

/* index is what the program called the event. */
void seep_compose_event(struct seep_compose *c, int64_t index, const struct seep_compose_at *at);

/*
 * The same for a file that holds only some events, each with its number, counted from 0.  Use it
 * for all events of a file or for none.  Returns false and does nothing if the number is not
 * larger than the previous one, or is implausibly large.
 */
bool seep_compose_event_numbered(struct seep_compose *c, int64_t number,
				 const struct seep_compose_at *at);

/* A moment in the current event, or before the first event. */
void seep_compose_stamp(struct seep_compose *c, uint32_t name, const struct seep_compose_at *at);
void seep_compose_event_end(struct seep_compose *c, const struct seep_compose_at *at);

/* For the current event: counters add up; of gauges the last value counts. */
void seep_compose_count(struct seep_compose *c, uint32_t name, double value);
void seep_compose_gauge(struct seep_compose *c, uint32_t name, int64_t bytes, int64_t t_ns);

/* Something the user should know about the file. */
void seep_compose_note(struct seep_compose *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Blocks were sampled, on average one per mean_bytes. */
void seep_compose_sampled(struct seep_compose *c, uint64_t mean_bytes);

/* A loaded object; file offset 0 is mapped at bias.  Returns the number of the module. */
uint32_t seep_compose_module(struct seep_compose *c, uint64_t start, uint64_t end, uint64_t bias,
			     const void *build_id, size_t build_id_bytes, const char *path);

struct seep_compose_frame {
	const char *function, *file, *module; /* only function must not be NULL */
	uint32_t line;           /* 0: not known */
};

/* An address for a frame that is known by name; its module is 0. */
uint64_t seep_compose_named(struct seep_compose *c, const struct seep_compose_frame *frame);

/* A return address under its caller's node (0: the root).  Build stacks from the root down. */
uint32_t seep_compose_node(struct seep_compose *c, uint32_t caller, uint64_t pc, uint32_t module);

/* The site whose stack ends in that node. */
uint32_t seep_compose_site(struct seep_compose *c, uint32_t node);

/*
 * What the sites hold at one moment.  Begin the event first, then the dump.  Give each site at
 * most once per dump; a site without a level holds nothing.
 */
struct seep_compose_level {
	uint32_t site;
	uint64_t blocks, bytes;
	double error_bytes;      /* standard error of bytes; 0: exact */
	uint64_t born_blocks, born_bytes; /* since the start; 0: not known */
};

void seep_compose_dump_begin(struct seep_compose *c);
void seep_compose_level(struct seep_compose *c, const struct seep_compose_level *level);
void seep_compose_dump_end(struct seep_compose *c);

/*
 * Completes the trace and hands it to the reader, which owns it; *c is released.  path names the
 * file in messages; it is kept, not copied.
 */
int seep_compose_finish(struct seep_compose *c, const char *path, struct seep_reader *reader,
			struct seep_err *err);

#endif
