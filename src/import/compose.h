/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a trace in memory out of what the file of another program tells, so that everything
 * behind trace/reader need not know where a run comes from.
 *
 *	seep_compose_event(c, index, &at);       an event begins
 *	seep_compose_stamp(c, name, &at);        a named moment in it
 *	seep_compose_count(c, name, 1748);       a number that belongs to it
 *
 * A file may be of any length: of long runs only some events are kept, as the
 * recorder does it (trace/thinning.h), so that memory stays bounded.
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

/* What was measured at one moment.  t_ns counts from the start, in rising order. */
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
	uint32_t event;          /* the number of the last that began; 0: none has */
	bool ticks;              /* events are slices of time */
	bool sparse;             /* events are numbered by the file, with gaps */
	struct seep_compose_at last;
	struct seep_words names, frames, nodes, sites, modules;
	struct seep_table sums;  /* of counters in events that are left out, by name */
	uint64_t n_dumps;
	struct seep_table states; /* of sites, in the last dump */
	unsigned char *pack;     /* of the record of levels that is being filled */
	size_t packed;
	uint32_t n_packed;
};

void seep_compose_init(struct seep_compose *c);
void seep_compose_release(struct seep_compose *c);

/* When the run began, since the epoch: time 0 of all others.  0: not known. */
void seep_compose_started(struct seep_compose *c, int64_t real_ns);

/* What was run; arguments are ended by a NULL. */
void seep_compose_command(struct seep_compose *c, const char *exe, const char *const *arguments);
void seep_compose_pid(struct seep_compose *c, uint32_t pid);
void seep_compose_exit(struct seep_compose *c, int code, int signal, int64_t t_ns);

/* The events of this file are samples at equal times, and no cycles of the program. */
void seep_compose_ticks(struct seep_compose *c);

/* A number for a name of a stamp or counter, which is cut where it is too long. */
uint32_t seep_compose_name(struct seep_compose *c, const char *text, size_t n);

/* index is what the program called the event. */
void seep_compose_event(struct seep_compose *c, int64_t index, const struct seep_compose_at *at);

/*
 * The same where the file tells of only some events, and of each its number, from 0: all of
 * them are begun by this call or none.  False, and nothing is done, for a number that
 * is not larger than the one before or beyond all bounds.
 */
bool seep_compose_event_numbered(struct seep_compose *c, int64_t number,
				 const struct seep_compose_at *at);

/* A moment in the event that has begun, or before the first. */
void seep_compose_stamp(struct seep_compose *c, uint32_t name, const struct seep_compose_at *at);
void seep_compose_event_end(struct seep_compose *c, const struct seep_compose_at *at);

/* For the event that has begun: counters add up, of gauges the last one holds. */
void seep_compose_count(struct seep_compose *c, uint32_t name, double value);
void seep_compose_gauge(struct seep_compose *c, uint32_t name, int64_t bytes, int64_t t_ns);

/* What the user is to know of the file. */
void seep_compose_note(struct seep_compose *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Blocks were sampled, one in so many bytes. */
void seep_compose_sampled(struct seep_compose *c, uint64_t mean_bytes);

/* A loaded object; file offset 0 is at bias.  The number of the module. */
uint32_t seep_compose_module(struct seep_compose *c, uint64_t start, uint64_t end, uint64_t bias,
			     const void *build_id, size_t build_id_bytes, const char *path);

struct seep_compose_frame {
	const char *function, *file, *module; /* function is no NULL, the others may be */
	uint32_t line;           /* 0: not known */
};

/* An address for a frame that is known by name; its module is 0. */
uint64_t seep_compose_named(struct seep_compose *c, const struct seep_compose_frame *frame);

/* A return address under its caller's node (0: the root).  Stacks are made from the root on. */
uint32_t seep_compose_node(struct seep_compose *c, uint32_t caller, uint64_t pc, uint32_t module);

/* The site whose stack ends in that node. */
uint32_t seep_compose_site(struct seep_compose *c, uint32_t node);

/*
 * What the sites hold at one moment: after the event that it belongs to was begun.  A site
 * that has no level holds nothing.  Each site once per dump.
 */
struct seep_compose_level {
	uint32_t site;
	uint64_t blocks, bytes;
	double error_bytes;      /* standard error of bytes; 0: they were counted */
	uint64_t born_blocks, born_bytes; /* since the start; 0: not known */
};

void seep_compose_dump_begin(struct seep_compose *c);
void seep_compose_level(struct seep_compose *c, const struct seep_compose_level *level);
void seep_compose_dump_end(struct seep_compose *c);

/*
 * The trace is whole: the reader has it and owns it, and *c is released.  path names the file in
 * messages and is kept, not copied.
 */
int seep_compose_finish(struct seep_compose *c, const char *path, struct seep_reader *reader,
			struct seep_err *err);

#endif
