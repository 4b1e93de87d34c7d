/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From records to facts.
 */
#ifndef SEEP_MODEL_LOAD_LOAD_H
#define SEEP_MODEL_LOAD_LOAD_H

#include "base/arena.h"
#include "base/err.h"
#include "model/run.h"
#include "trace/reader.h"

/* Reads the whole trace.  Everything in *run lives in the arena; path is copied. */
int seep_load_run(struct seep_run *run, const char *path, struct seep_arena *arena,
		  struct seep_err *err);

/* The same from an open reader. */
void seep_load_records(struct seep_run *run, struct seep_reader *reader, struct seep_arena *arena);

/* The same, with the sites of the last snapshot, also where the program cleaned up before it. */
void seep_load_records_at_end(struct seep_run *run, struct seep_reader *reader,
			      struct seep_arena *arena);

#endif
