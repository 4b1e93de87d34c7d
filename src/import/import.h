/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens any file that seep can read as a trace.  The format is recognised by the content, not by
 * the name.
 *
 * A format is one source file with one const entry.  It reads its input once, from front to end,
 * and composes a trace from it.  Damage is an error that names the file and the place.
 */
#ifndef SEEP_IMPORT_IMPORT_H
#define SEEP_IMPORT_IMPORT_H

#include "base/err.h"
#include "import/compose.h"
#include "import/source.h"
#include "trace/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct seep_import_options {
	int64_t unit_bytes;      /* of memory, for files without a unit; 0: the usual one */
};

/* Files that are being read into one trace. */
struct seep_import {
	const struct seep_import_options *options;
	struct seep_compose compose;
	struct seep_arena arena; /* for data that is needed until the end */
	const char *const *paths; /* all files, in the order in which they are read */
	size_t n_paths, at;      /* ... and the one being read */
	const void *plan;        /* what the format's plan() found out; NULL: it was not called */
	void *state;             /* of the format, from file to file; in the arena */
};

/*
 * What a format is recognised by: the first bytes of the file, uncompressed.  The path is "" for
 * bytes in memory.  It may decide only between formats whose contents look alike.
 */
struct seep_import_head {
	const char *path;
	const unsigned char *data;
	size_t bytes;
	bool whole;              /* these are all bytes of the file */
};

static inline bool seep_import_begins(const struct seep_import_head *head, const char *text)
{
	size_t n = strlen(text);

	return head->bytes >= n && !memcmp(head->data, text, n);
}

struct seep_import_format {
	const char *name;        /* for messages: "SProf.txt", "prmon.txt" */
	bool (*recognise)(const struct seep_import_head *head);

	/* Called before the first file is read; may drop files from paths.  NULL: all are read. */
	int (*plan)(struct seep_import *import, struct seep_err *err);

	/*
	 * Reads one file, or the next of several.  Returns 0 or -errno; on an error there is no
	 * trace.
	 */
	int (*read)(struct seep_import *import, struct seep_source *source, struct seep_err *err);

	/* Called after the last file; may be NULL. */
	int (*finish)(struct seep_import *import, struct seep_err *err);

	bool series;             /* several files can make one run */
	int (*compare)(const char *path, const char *other); /* their order; NULL: as given */
};

/*
 * Opens a trace, or foreign files as one trace.  Several paths, or the files of a directory,
 * must all have the same format, and the format must allow a series.  *reader is valid until
 * seep_reader_close.  The first path names the run; it is kept, not copied.
 */
int seep_import_open(struct seep_reader *reader, const char *const *paths, size_t n,
		     const struct seep_import_options *options, struct seep_err *err);

/* Reads one file in memory; format NULL means to recognise it. */
int seep_import_open_bytes(struct seep_reader *reader, const struct seep_import_format *format,
			   const void *data, size_t bytes, struct seep_err *err);

/* All formats in the order in which they are tried, the most specific first. */
extern const struct seep_import_format *const seep_import_formats[];
extern const size_t seep_import_n_formats;

#endif
