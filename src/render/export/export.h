/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run in the format of another program.
 *
 * A format is one source file with one const entry.  It writes a stream, or files in a folder;
 * the caller makes sure that they appear complete or not at all.
 */
#ifndef SEEP_RENDER_EXPORT_EXPORT_H
#define SEEP_RENDER_EXPORT_EXPORT_H

#include "base/err.h"
#include "render/view.h"

#include <stddef.h>
#include <stdio.h>

/*
 * Where the files of a folder go.  open creates a file; the format writes it but does not close
 * it.
 */
struct seep_export_folder {
	FILE *(*open)(struct seep_export_folder *folder, const char *name, struct seep_err *err);
};

struct seep_export_format {
	const char *name;        /* the argument of --to */
	const char *what;        /* for the help: who reads it */
	bool needs_sites;        /* needs sites with names; fails for a run without sites */
	size_t names_sites;      /* the number of the verdict's sites that it names */
	bool binary;             /* not to be written to a terminal */

	/* Writes the run to view->out.  Returns -errno if the run has nothing for this format. */
	int (*write)(const struct seep_view *view, struct seep_err *err);

	/* Used instead of write by a format that is a folder of files. */
	int (*write_folder)(const struct seep_view *view, struct seep_export_folder *folder,
			    struct seep_err *err);
};

/* All formats, in the order of the help. */
extern const struct seep_export_format *const seep_export_formats[];
extern const size_t seep_export_n_formats;

/* NULL: there is no such format. */
const struct seep_export_format *seep_export_find(const char *name);

#endif
