/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/newest.h"
#include "cli/common/self.h"
#include "trace/reader.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct candidate {
	char *name;
	struct timespec written;
};

static bool is_trace_name(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && name[0] != '.' && !strcmp(name + n - 5, ".seep");
}

static int compare_newest(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->written.tv_sec != y->written.tv_sec)
		return x->written.tv_sec < y->written.tv_sec ? 1 : -1;
	if (x->written.tv_nsec != y->written.tv_nsec)
		return x->written.tv_nsec < y->written.tv_nsec ? 1 : -1;
	return 0;
}

static size_t list_candidates(struct seep_arena *arena, struct candidate **candidates)
{
	DIR *directory = opendir(".");
	struct dirent *entry;
	size_t n = 0, room = 0;

	*candidates = NULL;
	while (directory && (entry = readdir(directory))) {
		const char *name = entry->d_name;
		struct stat st;

		if (!is_trace_name(name) || stat(name, &st) || !S_ISREG(st.st_mode))
			continue;
		*candidates = seep_arena_grow(arena, *candidates, n, &room, sizeof(**candidates));
		(*candidates)[n].name = seep_arena_copy(arena, name, strlen(name));
		(*candidates)[n++].written = st.st_mtim;
	}
	if (directory)
		closedir(directory);
	if (n)
		qsort(*candidates, n, sizeof(**candidates), compare_newest);
	return n;
}

static bool is_readable(const char *path)
{
	struct seep_reader reader;
	struct seep_err ignored = { 0 };

	if (seep_reader_open(&reader, path, &ignored))
		return false;
	seep_reader_close(&reader);
	return true;
}

char *seep_newest_trace(struct seep_arena *arena, struct seep_err *err)
{
	struct candidate *candidates;
	size_t n = list_candidates(arena, &candidates);

	for (size_t i = 0; i < n; i++)
		if (is_readable(candidates[i].name))
			return candidates[i].name;
	seep_err_set(err, ENOENT, "there is no trace in this directory; name one, or record one "
		     "with %.200s run -- CMD", seep_self());
	return NULL;
}
