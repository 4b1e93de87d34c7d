/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/directory.h"

#include "base/table.h"
#include "import/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Files with stamps in the folders that Opticks writes, the best first. */
static const char *const arrays[] = { "runprof.npy", "run_meta.txt", "SProf.txt" };

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

static void add(struct seep_table *files, const char *path)
{
	*(const char **)seep_table_add(files) = path;
}

/* The names of jemalloc and gperftools dumps, and of pprof profiles. */
static bool is_dump(const char *name)
{
	return name[0] != '.' && (ends_with(name, ".heap") || ends_with(name, ".pb") ||
				  ends_with(name, ".pb.gz"));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_dumps(struct seep_table *files, const char *path, struct seep_err *err)
{
	DIR *directory = opendir(path);
	size_t before = files->n;
	struct dirent *entry;

	if (!directory)
		return seep_err_set(err, errno, "%s: %s", path, strerror(errno));
	while ((entry = readdir(directory))) {
		const char *file = seep_arena_printf(files->arena, "%s/%s", path, entry->d_name);

		if (is_dump(entry->d_name) && is_file(file))
			add(files, file);
	}
	closedir(directory);
	if (files->n == before)
		return seep_err_set(err, ENOENT, "%s: this directory contains no file that seep "
				    "can read: no *.heap, *.pb.gz, %s or %s; name a file", path,
				    arrays[0], arrays[2]);
	qsort((const char **)files->items + before, files->n - before, sizeof(char *), by_name);
	return 0;
}

/*
 * An Opticks folder lists its arrays in an index, one key per line; other files in it may belong
 * to another run.  NULL: there is no index, or it lists no array of stamps.
 */
static const char *find_in_index(struct seep_table *files, const char *path)
{
	struct seep_err ignored = { 0 };
	struct seep_source *source =
		seep_source_open(seep_arena_printf(files->arena, "%s/NPFold_index.txt", path),
				 &ignored);
	const char *found = NULL;
	char *key;
	size_t n;

	while (source && !found && seep_source_line(source, &key, &n, &ignored) > 0) {
		const char *file = seep_arena_printf(files->arena, "%s/%s", path, key);

		if (ends_with(key, "prof.npy") || ends_with(key, "Prof_txt.npy"))
			found = !strchr(key, '/') && is_file(file) ? file : NULL;
	}
	seep_source_close(source);
	return found;
}

static int add_directory(struct seep_table *files, const char *path, struct seep_err *err)
{
	const char *indexed = find_in_index(files, path);

	if (indexed) {
		add(files, indexed);
		return 0;
	}
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		const char *file = seep_arena_printf(files->arena, "%s/%s", path, arrays[i]);

		if (is_file(file)) {
			add(files, file);
			return 0;
		}
	}
	return add_dumps(files, path, err);
}

int seep_directory_list(const char *const *paths, size_t n, const char ***files, size_t *n_files,
			struct seep_arena *arena, struct seep_err *err)
{
	struct seep_table found = SEEP_TABLE(arena, const char *);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		if (is_directory(paths[i]))
			rc = add_directory(&found, paths[i], err);
		else
			add(&found, paths[i]);
	}
	*files = found.items;
	*n_files = found.n;
	return rc;
}
