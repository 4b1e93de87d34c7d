/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table.h"
#include "cli/profiler/run_dumps.h"
#include "render/safe.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EVENTS_NAMED 12
#define CLOCK_SLACK_NS 1000000000 /* the clock of a file server may be behind */

/* "49" of "0.m0.event49.heap", 0 if there is none. */
static uint64_t read_event(const char *name)
{
	const char *at = strstr(name, ".event");

	return at ? strtoull(at + 6, NULL, 10) : 0;
}

/* "7.f.heap" */
static bool is_jemalloc_final(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && !strcmp(name + digits, ".f.heap");
}

/* What of the name is behind that of the run, or NULL: it is no dump of it. */
static const char *find_tail(const char *name, const char *stem,
			     const struct seep_run_dumps_of *run)
{
	size_t n = strlen(stem), length = strlen(name);
	char pid[32];

	if (strncmp(name, stem, n) || name[n] != '.' || length < n + 6 ||
	    strcmp(name + length - 5, ".heap"))
		return NULL;
	if (!seep_profiler_names_pid(run->profiler))
		return name + n + 1;
	n++;
	snprintf(pid, sizeof(pid), "%ld.", (long)run->pid);
	return strncmp(name + n, pid, strlen(pid)) ? NULL : name + n + strlen(pid);
}

static void add(struct seep_table *found, int directory, const char *folder, const char *name,
		const char *tail, const struct seep_run_dumps_of *run)
{
	struct seep_run_dump *dump;
	struct stat st;
	int64_t written;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return;
	written = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	if (written < run->started_real_ns - CLOCK_SLACK_NS)
		return;
	dump = seep_table_add(found);
	*dump = (struct seep_run_dump){
		.path = seep_arena_printf(found->arena, "%s/%s", folder, name),
		.event = read_event(tail),
		.final = seep_profiler_names_pid(run->profiler) && is_jemalloc_final(tail),
		.written_ns = written,
	};
}

/* Several may be from the same moment, as clocks of files go. */
static int compare(const void *a, const void *b)
{
	const struct seep_run_dump *x = a, *y = b;

	if (x->final != y->final)
		return x->final ? 1 : -1;
	if (x->written_ns != y->written_ns)
		return x->written_ns < y->written_ns ? -1 : 1;
	if (x->event && y->event && x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* tcmalloc does not say which is the last; it is at no event, and nothing comes after it. */
static void mark_final(struct seep_run_dumps *dumps, const struct seep_run_dumps_of *run)
{
	struct seep_run_dump *last = dumps->n ? &dumps->items[dumps->n - 1] : NULL;

	if (last && !last->event && run->ended && !seep_profiler_names_pid(run->profiler))
		last->final = true;
	if (last && last->final)
		last->event = run->events;
}

void seep_run_dumps_find(struct seep_run_dumps *dumps, const struct seep_run_dumps_of *run,
			 struct seep_arena *arena)
{
	const char *prefix = run->profiler->prefix, *slash = strrchr(prefix, '/');
	const char *folder = seep_arena_copy(arena, prefix, (size_t)(slash - prefix));
	struct seep_table found = SEEP_TABLE(arena, struct seep_run_dump);
	DIR *dir = opendir(*folder ? folder : "/");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *tail = find_tail(entry->d_name, slash + 1, run);

		if (tail)
			add(&found, dirfd(dir), folder, entry->d_name, tail, run);
	}
	if (dir)
		closedir(dir);
	dumps->items = found.items;
	dumps->n = found.n;
	if (found.n)
		qsort(dumps->items, dumps->n, sizeof(*dumps->items), compare);
	mark_final(dumps, run);
}

/* "the events 49, 59 and the end" */
static const char *list_events(const struct seep_run_dumps *dumps, struct seep_arena *arena)
{
	const char *text = "";
	size_t named = 0;

	for (size_t i = 0; i < dumps->n && named < EVENTS_NAMED; i++) {
		if (!dumps->items[i].event || dumps->items[i].final)
			continue;
		text = seep_arena_printf(arena, "%s%s%" PRIu64, text,
					 named++ ? ", " : ", from events ",
					 dumps->items[i].event);
	}
	if (named == EVENTS_NAMED)
		text = seep_arena_printf(arena, "%s, ...", text);
	if (dumps->items[dumps->n - 1].final)
		text = seep_arena_printf(arena, "%s%s the end", text, named ? " and" : ", from");
	return text;
}

/* The trace was x.seep, and so it is x.dumps. */
const char *seep_run_dumps_folder(const struct seep_run_dumps_of *run, struct seep_arena *arena)
{
	size_t n = strlen(run->trace);

	if (!run->profiler->own_folder)
		return NULL;
	if (n > 5 && !strcmp(run->trace + n - 5, ".seep"))
		n -= 5;
	return seep_arena_printf(arena, "%.*s.dumps", (int)n, run->trace);
}

void seep_run_dumps_tell(const struct seep_run_dumps *dumps, const struct seep_run_dumps_of *run,
			 struct seep_arena *arena)
{
	const char *prefix = run->profiler->prefix, *folder = seep_run_dumps_folder(run, arena);

	if (!folder)
		folder = seep_arena_copy(arena, prefix, (size_t)(strrchr(prefix, '/') - prefix));
	folder = seep_safe_text(arena, folder);
	if (!dumps->n) {
		fprintf(stderr, "seep: %s wrote no dumps to %s (%" PRIu64 " events)\n",
			seep_profiler_name(run->profiler), folder, run->events);
		return;
	}
	fprintf(stderr, "seep: %zu dump%s in %s%s\n", dumps->n, dumps->n == 1 ? "" : "s", folder,
		list_events(dumps, arena));
}
