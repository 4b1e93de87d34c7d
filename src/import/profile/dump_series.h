/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heap profiles of one process, one after the other: which event each belongs to, and what
 * each site held.
 */
#ifndef SEEP_IMPORT_PROFILE_DUMP_SERIES_H
#define SEEP_IMPORT_PROFILE_DUMP_SERIES_H

#include "base/hash_map.h"
#include "base/table.h"
#include "import/import.h"

/* One of them; a site that comes more than once in it is added up. */
struct seep_dump_levels {
	struct seep_arena *arena;
	struct seep_hash_map sites;   /* struct seep_compose_level, by site */
	struct seep_table levels; /* struct seep_compose_level * */
};

void seep_dump_levels_init(struct seep_dump_levels *dump, struct seep_arena *arena);
void seep_dump_levels_add(struct seep_dump_levels *dump, const struct seep_compose_level *level);

/* Before the first file is read: which are, and at which event each was written. */
int seep_dump_series_plan(struct seep_import *import, struct seep_err *err);

/*
 * The file that is being read ends too early, for the reason in *err.  True: it is the last
 * of several, and the program was killed while it dumped; it is left out, which a note tells.
 */
bool seep_dump_series_forgive(struct seep_import *import, struct seep_err *err);

/*
 * The dump is that of the file which is being read, and was last written then (0: not
 * known).  period: bytes per sample, or 0.
 */
void seep_dump_series_add(struct seep_import *import, const struct seep_dump_levels *dump,
			  int64_t written_ns, uint64_t period);

int seep_dump_series_finish(struct seep_import *import, struct seep_err *err);

/* The order in which two of them were written, by the numbers in their names. */
int seep_dump_series_compare(const char *path, const char *other);

#endif
