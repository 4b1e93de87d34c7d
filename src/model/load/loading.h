/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files load*.c share; nobody else includes it.
 *
 * Each part collects its records while the trace is read (add) and builds its
 * share of the run when all records are known (build).  What is collected points
 * into the reader's bytes or lives in the scratch arena; what is built lives in
 * the arena of the run.
 *
 * Memory is bounded by the size of the file, whatever the file claims.  Ids count
 * from 1, and the record of each takes some bytes, so an id that the file has no
 * room for is damage.  Some room is left for ids that a forked child has from its
 * parent.  Things that could multiply have a budget: stacks, the values of
 * counters, and sites, which are packed in the file.
 */
#ifndef SEEP_MODEL_LOAD_LOADING_H
#define SEEP_MODEL_LOAD_LOADING_H

#include "base/arena.h"
#include "base/table.h"
#include "model/run.h"
#include "trace/reader.h"

struct seep_load_name {
	const char *text;        /* NULL: its record was not seen */
	bool used;
};

struct seep_load_function {
	const char *name;        /* NULL: its record was not seen */
	const char *file;
};

/* A snapshot that was begun, and its records so far. */
struct seep_load_snapshot {
	const struct seep_rec_snapshot *head; /* NULL: none */
	uint16_t flags;
	bool whole;              /* ended, with as many site states as the end says */
	uint64_t n_states;
	struct seep_table states;   /* const struct seep_rec_site_states * */
	struct seep_table frees;    /* the same of free sites, whose head is the same */
	struct seep_table samples;  /* ... and of site samples */
	struct seep_table moves;    /* ... and of site moves */
};

struct seep_load {
	struct seep_run *run;
	struct seep_arena *arena;
	struct seep_arena scratch;
	size_t file_bytes;
	const struct seep_trace_header *header;
	int64_t restart_ns;      /* when the last program of the process began, by exec; or 0 */
	uint64_t damaged;        /* records whose numbers cannot be */
	bool stopped;            /* the recorder gave up */
	bool at_end;             /* the sites are to be those of the end, cleaned up or not */

	const struct seep_rec_run *command;
	const char *directory;   /* the program's, "" if not known */
	const struct seep_rec_exit *exit;
	const struct seep_rec_sampling *sampling; /* the first */
	struct seep_table names;    /* struct seep_load_name */
	struct seep_table modules;  /* struct seep_module */
	struct seep_table limits;   /* struct seep_limit */
	struct seep_table notes;    /* const char * */

	struct seep_table stamps;   /* struct seep_reader_record */
	uint64_t stride;         /* of events in the trace at its end; 1: all are there */
	bool sparse;             /* they have gaps between them, and none was lost */
	uint64_t events_told;    /* by the header and by the last words of the recorder */
	bool last_ended;         /* the last event, if the recorder said so */
	uint32_t events_before;  /* that do not count: time slices, events of the parent process */
	size_t counters_dropped; /* for which there was no memory */
	struct seep_table counts;   /* struct seep_reader_record, of counters and gauges */

	struct seep_table anchors;  /* struct seep_reader_record */
	struct seep_table outside;  /* const struct seep_rec_sample * */

	bool slices;             /* events are slices of a clock, and idle ones are filled in */
	int64_t n_slices;
	uint64_t last_event;     /* the run is looked at as it was in this one; 0: at its end */
	size_t sample_at;        /* the sample that the last of them has its RSS from */

	struct seep_reader_record probe; /* the last; no payload: none */
	struct seep_table pins;     /* const struct seep_rec_pins * */
	size_t pins_first;          /* of the last probe */
	size_t pins_next;           /* ... and of the next */

	struct seep_table levels;   /* const struct seep_rec_levels * */
	struct seep_table level_places; /* uint32_t by site: index in the run's sites, and one */
	struct seep_table frames;   /* struct seep_named_frame */
	struct seep_table functions; /* struct seep_load_function */
	struct seep_table lines;    /* struct seep_rec_line */
	struct seep_table texts;    /* const char *, NULL: its record was not seen */
	struct seep_table addresses; /* const struct seep_rec_addresses * */
	struct seep_table type_names; /* const char *, by the id in the last snapshot */
	struct seep_table types;    /* struct seep_load_type, of the last snapshot that has any */
	uint64_t types_ordinal;     /* of that snapshot */

	struct seep_table nodes;    /* struct seep_rec_node */
	struct seep_load_chain *chains; /* stacks already built, by node */
	size_t stack_bytes_left;
	size_t stacks_shortened;

	struct seep_table sites;    /* struct seep_rec_site */
	uint32_t *merged;        /* by site: the one that it is a part of; NULL: none is */
	size_t n_merged;
	size_t site_bytes_left;
	size_t sites_dropped;
	struct seep_load_snapshot open; /* the one being read */
	struct seep_table snapshots; /* struct seep_load_snapshot, that have ended */
	const struct seep_load_snapshot *last; /* the last that is whole; NULL: there is none */
	const struct seep_load_snapshot *source; /* the one that sites are being built from */

	const struct seep_load_snapshot *over; /* taken when the work was done, if it serves */
	bool cleans_up;          /* before its end the program gave back much of what it had */
	int64_t clean_up_ns;     /* it had not begun to at that time, ... */
	double clean_up_level;   /* ... or while the live heap was that large */
};

/* True if the file has room for that many things of that size; else counts it as damage. */
bool seep_load_plausible(struct seep_load *load, uint64_t id, size_t bytes_each);

/* True if name may be the id of a name; makes sure that there will be one.  For add only. */
bool seep_load_name_exists(struct seep_load *load, uint32_t name);

/* The model's event for the trace's: from 0, or SEEP_EVENT_NONE. */
int64_t seep_load_event(const struct seep_load *load, uint32_t event);

void seep_load_stamps_add(struct seep_load *load, const struct seep_reader_record *record);
void seep_load_stamps_thin(struct seep_load *load, const struct seep_reader_record *record);
void seep_load_stamps_build(struct seep_load *load);

/* Whether the record begins an event; first_api: the first that is not a time slice, or 0. */
bool seep_load_stamps_begins(const struct seep_reader_record *record, uint32_t first_api);

/* Whether stamps of several events alternate; puts those of each event together. */
bool seep_load_overlap_is_seen(const struct seep_load *load);
void seep_load_overlap_sort(struct seep_load *load, uint32_t first_api);

/* Begins the next event with the next stamp; the next stamp of the event that was begun last. */
struct seep_event *seep_load_stamps_begin(struct seep_run *run, int64_t number);
struct seep_stamp *seep_load_stamps_next(struct seep_run *run);

/* Whether time slices have the numbers of a clock; the most that the time of the run allows. */
bool seep_load_slices_are_events(const struct seep_load *load);
int64_t seep_load_slices_most(const struct seep_load *load);

/* How many there are, if the trace has the last-th; room for those that are filled in. */
void seep_load_slices_plan(struct seep_load *load, int64_t last);
size_t seep_load_slices_room(const struct seep_load *load);

/* Fills in those before the next stamp, number being that of the next slice in the trace. */
void seep_load_slices_fill(struct seep_load *load, const struct seep_stamp *next, int64_t number);
void seep_load_slices_end(struct seep_load *load);
void seep_load_slices_number(const struct seep_load *load, struct seep_sample *sample);

void seep_load_outside_add(struct seep_load *load, const struct seep_rec_samples *record);
void seep_load_outside_build(struct seep_load *load);
void seep_load_outside_number(struct seep_load *load);

void seep_load_counters_add(struct seep_load *load, const struct seep_reader_record *record);
void seep_load_counters_build(struct seep_load *load);

void seep_load_anchors_add(struct seep_load *load, const struct seep_reader_record *record);
void seep_load_anchors_build(struct seep_load *load);

void seep_load_probe_add(struct seep_load *load, const struct seep_reader_record *record);
void seep_load_probe_build(struct seep_load *load);

void seep_load_stacks_add(struct seep_load *load, const struct seep_rec_nodes *nodes);
void seep_load_stacks_begin(struct seep_load *load);
struct seep_stack seep_load_stacks_get(struct seep_load *load, uint32_t node);

void seep_load_snapshot_begin(struct seep_load *load);
void seep_load_snapshot_add(struct seep_load *load, const struct seep_reader_record *record);

/* All have been read: finds the last one that is whole, or if none is, the last. */
void seep_load_snapshot_settle(struct seep_load *load);

/* Where the life of the program ended, and what it gave back then.  Needs stamps and samples. */
void seep_load_end_find(struct seep_load *load);

void seep_load_levels_add(struct seep_load *load, const struct seep_rec_levels *record);
void seep_load_levels_build(struct seep_load *load);

void seep_load_frames_begin(struct seep_load *load);
void seep_load_frames_add(struct seep_load *load, const struct seep_reader_record *record);
void seep_load_frames_build(struct seep_load *load);

void seep_load_stored_begin(struct seep_load *load);
void seep_load_stored_add(struct seep_load *load, const struct seep_reader_record *record);

/* The same for what follows the part of the trace that is being looked at. */
void seep_load_stored_rest(struct seep_load *load, struct seep_reader *reader);
void seep_load_stored_build(struct seep_load *load);
void seep_load_types_begin(struct seep_load *load);
void seep_load_types_add(struct seep_load *load, const struct seep_reader_record *record);

/* Needs the sites. */
void seep_load_types_build(struct seep_load *load);

void seep_load_sites_add(struct seep_load *load, const struct seep_rec_sites *sites);
void seep_load_sites_build(struct seep_load *load);

/* The calls that were counted, and a note if the one that should begin events began none. */
void seep_load_calls_build(struct seep_load *load);

/* If events overlap: all sites with one stack count as the first of them. */
void seep_load_merge_begin(struct seep_load *load);
uint64_t seep_load_merge_id(const struct seep_load *load, uint64_t id);

/* Adds one to the sum, whose phases become its parts. */
void seep_load_merge_add(struct seep_load *load, struct seep_site *sum,
			 const struct seep_site *one);
void seep_load_merge_moves(struct seep_moves *sum, const struct seep_moves *other);

/* Notes from the header, for problems of which the recorder could not write a note. */
void seep_load_header_notes(struct seep_load *load);

#endif
