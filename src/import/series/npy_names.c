/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/series/npy_names.h"

#include "base/table.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAMPS_MAX 1024          /* most stamps of one event that have names */
#define NAME_MAX_BYTES 1000

struct seep_npy_names {
	struct seep_source *source;
	char path[PATH_MAX];
};

/* Returns false if there is no such file beside the array. */
static bool find_beside(char *beside, const char *path, const char *what)
{
	static const char end[] = ".npy";
	size_t n = strlen(path), m = sizeof(end) - 1;

	if (n <= m || strcmp(path + n - m, end) ||
	    snprintf(beside, PATH_MAX, "%.*s_%s.txt", (int)(n - m), path, what) >= PATH_MAX)
		return false;
	return !access(beside, F_OK);
}

/* Checks that the labels start with the letters of time, VM and RSS. */
static int check_labels(const char *path, struct seep_err *err)
{
	static const char *const columns[] = { "st", "vm", "rs" };
	char beside[PATH_MAX], *line;
	struct seep_source *source;
	size_t n;
	int rc = 1;

	if (!find_beside(beside, path, "labels"))
		return 0;
	source = seep_source_open(beside, err);
	if (!source)
		return err->code ? -err->code : -EIO;
	for (size_t i = 0; i < 3 && rc > 0; i++) {
		rc = seep_source_line(source, &line, &n, err);
		if (rc > 0 && strncmp(line, columns[i], strlen(columns[i])))
			rc = seep_source_refuse(source, ENOTSUP, err, "the column is '%.60s', but "
						"should be time, VM or RSS: %s", line, columns[i]);
	}
	seep_source_close(source);
	return rc < 0 ? rc : 0;
}

int seep_npy_names_open(struct seep_npy_names **names, const char *path, struct seep_err *err)
{
	int rc = check_labels(path, err);
	struct seep_npy_names *found;

	*names = NULL;
	if (rc)
		return rc;
	found = malloc(sizeof(*found));
	if (!found)
		return seep_err_set(err, ENOMEM, "%s: out of memory while reading its names", path);
	if (!find_beside(found->path, path, "names")) {
		free(found);
		return 0;
	}
	found->source = seep_source_open(found->path, err);
	if (!found->source) {
		free(found);
		return err->code ? -err->code : -EIO;
	}
	*names = found;
	return 0;
}

void seep_npy_names_close(struct seep_npy_names *names)
{
	if (!names)
		return;
	seep_source_close(names->source);
	free(names);
}

static int refuse_count(const struct seep_npy_names *names, int64_t rows, const char *how,
			struct seep_err *err)
{
	return seep_source_refuse(names->source, EBADMSG, err, "%s names than the array has rows "
				  "(%" PRId64 ")", how, rows);
}

int seep_npy_names_next(struct seep_npy_names *names, struct seep_stamp_lines_line *line,
			int64_t rows,
			struct seep_err *err)
{
	char *text, *mark;
	size_t n;
	int rc;

	if (!names)
		return 0;
	rc = seep_source_line(names->source, &text, &n, err);
	if (rc < 0)
		return rc;
	if (!rc)
		return refuse_count(names, rows, "fewer", err);
	mark = memchr(text, '#', n);
	if (mark) {
		line->comment = mark + 1;
		line->n_comment = n - (size_t)(line->comment - text);
		n = (size_t)(mark - text);
	}
	while (n && text[n - 1] == ' ')
		n--;
	line->name = n ? text : "(no name)";
	line->n_name = n ? n : strlen(line->name);
	return 0;
}

int seep_npy_names_check_end(struct seep_npy_names *names, int64_t rows, struct seep_err *err)
{
	char *text;
	size_t n;
	int rc = names ? seep_source_line(names->source, &text, &n, err) : 0;

	return rc > 0 ? refuse_count(names, rows, "more", err) : rc;
}

static int read_names(struct seep_table *table, const char *beside, struct seep_err *err)
{
	struct seep_source *source = seep_source_open(beside, err);
	char *line;
	size_t n;
	int rc;

	if (!source)
		return err->code ? -err->code : -EIO;
	while ((rc = seep_source_line(source, &line, &n, err)) > 0 && table->n <= STAMPS_MAX) {
		const char **name = seep_table_add(table);

		*name = seep_arena_copy(table->arena, line,
					n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES);
	}
	seep_source_close(source);
	return rc < 0 ? rc : 0;
}

int seep_npy_names_of_stamps(const char *const **names, const char *path, int64_t n,
			     struct seep_arena *arena, struct seep_err *err)
{
	static const char *const files[] = { "names", "labels" };
	char beside[PATH_MAX];
	int rc = 0;

	*names = NULL;
	for (size_t i = 0; i < 2 && !rc && !*names && n <= STAMPS_MAX; i++) {
		struct seep_table table = SEEP_TABLE(arena, const char *);

		if (!find_beside(beside, path, files[i]))
			continue;
		rc = read_names(&table, beside, err);
		if ((int64_t)table.n == n)
			*names = table.items;
	}
	return rc;
}
