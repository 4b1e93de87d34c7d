/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run in the form that another program reads.
 *
 * A format is one file of code with one const entry.  It writes a stream, or files of its
 * own in a folder; who calls it sees to it that they appear whole or not at all.
 */
#ifndef SEEP_RENDER_EXPORT_EXPORT_H
#define SEEP_RENDER_EXPORT_EXPORT_H

#include "base/err.h"
#include "render/view.h"

#include <stddef.h>
#include <stdio.h>

/* Where the files of a folder go.  open makes one, which is written and not closed. */
struct seep_export_folder {
	FILE *(*open)(struct seep_export_folder *folder, const char *name, struct seep_err *err);
};

struct seep_export_format {
	const char *name;        /* behind --to */
	const char *what;        /* for the help: who reads it */
	bool needs_sites;        /* with names; refused for a run that has none */
	size_t names_sites;      /* so many of the verdict's, where it has some */
	bool binary;             /* not for a terminal */

	/* The run of the view to view->out; -errno where the run has nothing for this format. */
	int (*write)(const struct seep_view *view, struct seep_err *err);

	/* Instead of write, for a format that is a folder of files. */
	int (*write_folder)(const struct seep_view *view, struct seep_export_folder *folder,
			    struct seep_err *err);
};

/* All formats, in the order of the help. */
extern const struct seep_export_format *const seep_export_formats[];
extern const size_t seep_export_n_formats;

/* NULL: there is none of that name. */
const struct seep_export_format *seep_export_find(const char *name);

#endif
