/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile.proto in memory: its tables are checked, so that every lookup by number returns an
 * entry or NULL.
 */
#ifndef SEEP_IMPORT_PROFILE_PPROF_H
#define SEEP_IMPORT_PROFILE_PPROF_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash_map.h"
#include "base/table.h"
#include "import/source.h"

struct seep_pprof_text {
	const char *text;        /* not zero-terminated */
	size_t bytes;
};

struct seep_pprof_type {
	const char *name, *unit;
};

struct seep_pprof_function {
	const char *name, *file;
};

struct seep_pprof_mapping {
	uint64_t start, end, offset;
	const char *path;
	unsigned char build_id[64];
	size_t build_id_bytes;
};

struct seep_pprof_location {
	uint64_t address;
	const struct seep_pprof_mapping *mapping; /* or NULL */
	const unsigned char *message; /* its lines are parsed on demand */
	size_t bytes;
};

struct seep_pprof {
	struct seep_arena arena;
	const unsigned char *data;
	size_t bytes;
	struct seep_table strings; /* struct seep_pprof_text */
	struct seep_table types; /* struct seep_pprof_type */
	struct seep_pprof_type period_type;
	uint64_t period;
	int64_t time_ns;
	struct seep_hash_map functions, mappings, locations; /* by their ids */
};

/* Reads the whole file.  Release it even if this fails. */
int seep_pprof_read(struct seep_pprof *pprof, struct seep_source *source, struct seep_err *err);
void seep_pprof_release(struct seep_pprof *pprof);

/* Whether the bytes look like a profile.  whole: they are all of the file, not only its start. */
bool seep_pprof_recognise(const void *data, size_t bytes, bool whole);

/* A string by its number, in the arena; "" if there is none. */
const char *seep_pprof_string(struct seep_pprof *pprof, uint64_t index);

#endif
