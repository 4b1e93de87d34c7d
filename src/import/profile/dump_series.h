/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Composes a trace from the heap profiles of one process, read one after the other.  Each
 * profile becomes one event, with what every site held at that moment.
 */
#ifndef SEEP_IMPORT_PROFILE_DUMP_SERIES_H
#define SEEP_IMPORT_PROFILE_DUMP_SERIES_H

#include "import/import.h"
#include "import/profile/dump_levels.h"

/*
 * Call this if the current file ends too early; *err holds the reason.  If the file is the last
 * of several, the program was probably killed while it wrote the dump: the file is skipped
 * with a note, *err is cleared and the result is true.
 */
bool seep_dump_series_forgive(struct seep_import *import, struct seep_err *err);

/*
 * Adds the dump of the current file.  written_ns is when the file was last modified (0: unknown),
 * period the mean number of bytes per sample (0: every block was counted).
 */
void seep_dump_series_add(struct seep_import *import, const struct seep_dump_levels *dump,
			  int64_t written_ns, uint64_t period);

int seep_dump_series_finish(struct seep_import *import, struct seep_err *err);

/* Compares two file names by the numbers in them, which give the order of writing. */
int seep_dump_series_compare(const char *path, const char *other);

#endif
