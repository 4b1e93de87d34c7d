/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/import.h"

#include "import/directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct seep_import_options usual;

static const struct seep_import_format *find_format(struct seep_source *source)
{
	struct seep_import_head head = { .path = seep_source_path(source) };

	head.data = seep_source_head(source, &head.bytes);
	head.whole = head.bytes < SEEP_SOURCE_HEAD;
	for (size_t i = 0; i < seep_import_n_formats; i++)
		if (seep_import_formats[i]->recognise(&head))
			return seep_import_formats[i];
	return NULL;
}

static void begin(struct seep_import *import, const struct seep_import_options *options)
{
	*import = (struct seep_import){ .options = options ? options : &usual };
	seep_compose_init(&import->compose);
	seep_arena_init(&import->arena);
}

static int finish(struct seep_import *import, const struct seep_import_format *format, int rc,
		  struct seep_reader *reader, struct seep_err *err)
{
	if (!rc && format->finish)
		rc = format->finish(import, err);
	if (rc)
		seep_compose_release(&import->compose);
	else
		rc = seep_compose_finish(&import->compose, import->paths[0], reader, err);
	seep_arena_release(&import->arena);
	return rc;
}

static int read_one(struct seep_import *import, const struct seep_import_format *format,
		    struct seep_source *source, struct seep_err *err)
{
	int rc = format->read(import, source, err);

	if (!rc && seep_source_left_out(source))
		seep_compose_note(&import->compose, "the last line of the file does not end with a "
				  "newline and was left out because it may be truncated; was the "
				  "program killed?");
	seep_source_close(source);
	return rc;
}

/* A file that was opened and recognised before its turn to be read. */
struct known {
	struct seep_source *source; /* NULL: none, or it has been read */
	const struct seep_import_format *format;
};

/* All files of a series must have the format of the one that was recognised first. */
static int read_next(struct seep_import *import, struct known *known, struct seep_err *err)
{
	const char *path = import->paths[import->at];
	struct seep_source *source = known->source;
	int rc;

	if (source && seep_source_path(source) == path) {
		known->source = NULL;
		return read_one(import, known->format, source, err);
	}
	source = seep_source_open(path, err);
	if (!source)
		return err->code ? -err->code : -EIO;
	if (find_format(source) == known->format)
		return read_one(import, known->format, source, err);
	rc = seep_err_set(err, EINVAL, "%s: not the same format as %s, which is %s", path,
			  import->paths[0], known->format->name);
	seep_source_close(source);
	return rc;
}

static const struct seep_import_format *sorting;

static int by_order(const void *a, const void *b)
{
	return sorting->compare(*(const char *const *)a, *(const char *const *)b);
}

static int read_series(struct seep_reader *reader, struct known *known, const char **paths,
		       size_t n, const struct seep_import_options *options, struct seep_err *err)
{
	const struct seep_import_format *format = known->format;
	struct seep_import import;
	int rc = 0;

	if (!format->series && n > 1)
		return seep_err_set(err, EINVAL, "%s is %s: each file of this format is one run; "
				    "give one file at a time", paths[0], format->name);
	if (format->compare) {
		sorting = format;
		qsort(paths, n, sizeof(*paths), by_order);
	}
	begin(&import, options);
	import.paths = paths;
	import.n_paths = n;
	if (format->plan)
		rc = format->plan(&import, err);
	for (; import.at < import.n_paths && !rc; import.at++)
		rc = read_next(&import, known, err);
	return finish(&import, format, rc, reader, err);
}

/*
 * Opens the file and looks for its format.  known->format stays NULL for a trace, an unknown
 * format, and a file that cannot be read, for which *err says why.
 */
static void look(struct known *known, const char *path, struct seep_err *err)
{
	struct seep_source *source = seep_source_open(path, err);

	known->format = source ? find_format(source) : NULL;
	if (known->format)
		known->source = source;
	else
		seep_source_close(source);
}

static int open_files(struct seep_reader *reader, const char **paths, size_t n,
		      const struct seep_import_options *options, struct seep_err *err)
{
	struct seep_err wrong = { 0 }, ignored = { 0 };
	struct known known = { 0 };
	int rc;

	look(&known, paths[0], &wrong);
	for (size_t i = 1; i < n && !known.format; i++) /* the first may be empty */
		look(&known, paths[i], &ignored);
	if (known.format) {
		rc = read_series(reader, &known, paths, n, options, err);
		seep_source_close(known.source);
		return rc;
	}
	if (n > 1)
		return seep_err_set(err, EINVAL, "unexpected argument '%.100s': this command reads "
				    "one trace", paths[1]);
	if (wrong.code == EBADMSG)
		return seep_err_set(err, wrong.code, "%s", wrong.text);
	return seep_reader_open(reader, paths[0], err);
}

int seep_import_open(struct seep_reader *reader, const char *const *paths, size_t n,
		     const struct seep_import_options *options, struct seep_err *err)
{
	struct seep_arena arena;
	const char **files;
	size_t n_files;
	int rc;

	seep_arena_init(&arena);
	rc = seep_directory_list(paths, n, &files, &n_files, &arena, err);
	if (!rc)
		rc = open_files(reader, files, n_files, options, err);
	if (!rc)
		reader->path = paths[0];
	seep_arena_release(&arena);
	return rc;
}

int seep_import_open_bytes(struct seep_reader *reader, const struct seep_import_format *format,
			   const void *data, size_t bytes, struct seep_err *err)
{
	static const char *const paths[] = { "(memory)" };
	struct seep_source *source = seep_source_open_bytes(paths[0], data, bytes, err);
	struct seep_import import;

	if (!source)
		return err->code ? -err->code : -EIO;
	if (!format)
		format = find_format(source);
	if (!format) {
		seep_source_close(source);
		return seep_err_set(err, EINVAL, "(memory): unknown file format");
	}
	begin(&import, NULL);
	import.paths = paths;
	import.n_paths = 1;
	return finish(&import, format, read_one(&import, format, source, err), reader, err);
}
