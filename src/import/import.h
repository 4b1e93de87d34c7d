/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any file that seep can read, as a trace.  What a file is its content tells, not its name.
 *
 * A format is one file of code with one const entry; it reads its file from the front to
 * the end and composes a trace of it.  Damage is an error that names the file and the place.
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
	int64_t unit_bytes;      /* of memory in files that do not tell; 0: what is usual there */
};

/* Files that are being read into one trace. */
struct seep_import {
	const struct seep_import_options *options;
	struct seep_compose compose;
	struct seep_arena arena; /* for what must be kept until the end */
	const char *const *paths; /* all files, in the order in which they are read */
	size_t n_paths, at;      /* which one is being read */
	const void *plan;        /* what the format's plan() found out; NULL: it was not called */
	void *state;             /* of the format, from file to file; in the arena */
};

/*
 * What is looked at to tell a format: the first bytes of the file, unpacked.  The path is "" for
 * bytes in memory and must not decide anything but where contents are alike.
 */
struct seep_import_head {
	const char *path;
	const unsigned char *data;
	size_t bytes;
	bool whole;              /* the file has no more bytes than these */
};

static inline bool seep_import_begins(const struct seep_import_head *head, const char *text)
{
	size_t n = strlen(text);

	return head->bytes >= n && !memcmp(head->data, text, n);
}

struct seep_import_format {
	const char *name;        /* for messages: "SProf.txt", "prmon.txt" */
	bool (*recognise)(const struct seep_import_head *head);

	/* Called before the first file is read; may leave some out of paths.  NULL: all are. */
	int (*plan)(struct seep_import *import, struct seep_err *err);

	/* One file, or the next of several.  0 or -errno; nothing is given back then. */
	int (*read)(struct seep_import *import, struct seep_source *source, struct seep_err *err);

	/* Called after the last one; NULL: there is nothing to do. */
	int (*finish)(struct seep_import *import, struct seep_err *err);

	bool series;             /* several files are one run */
	int (*compare)(const char *path, const char *other); /* their order; NULL: as given */
};

/*
 * Opens a trace, or a foreign file as a trace.  Several paths, or a directory of files, must be
 * of one format that makes a series of them.  *reader lives until seep_reader_close; the
 * first path is kept, not copied, and names the run.
 */
int seep_import_open(struct seep_reader *reader, const char *const *paths, size_t n,
		     const struct seep_import_options *options, struct seep_err *err);

/* One file in memory as that format, or as the one that it looks like if that is NULL. */
int seep_import_open_bytes(struct seep_reader *reader, const struct seep_import_format *format,
			   const void *data, size_t bytes, struct seep_err *err);

/* All formats, in the order in which they are tried: the surest first. */
extern const struct seep_import_format *const seep_import_formats[];
extern const size_t seep_import_n_formats;

#endif
