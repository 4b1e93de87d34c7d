/* SPDX-License-Identifier: MIT */
#include "os/limit_tool.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 1 says "no limit" as the largest multiple of the page size; nothing real comes near. */
#define UNLIMITED_BYTES ((int64_t)1 << 60)

struct search {
	const char *root;
	char proc[64];           /* "/proc/self" or "/proc/123" */
	struct seep_limit_found *found;
	size_t n;
	size_t room;
};

/* One control group hierarchy that knows about memory. */
struct hierarchy {
	char mount[PATH_MAX];    /* where it is mounted */
	char mount_root[PATH_MAX]; /* which of its groups is mounted there */
	char group[PATH_MAX];    /* the group of the process */
	bool v2;
};

static FILE *open_below(const char *root, const char *path)
{
	char full[PATH_MAX];

	if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) >= sizeof(full))
		return NULL;
	return fopen(full, "re");
}

static void add(struct search *search, int64_t bytes, const char *source, const char *detail)
{
	struct seep_limit_found *limit;

	if (bytes <= 0 || bytes >= UNLIMITED_BYTES || search->n == search->room)
		return;
	limit = &search->found[search->n++];
	limit->bytes = bytes;
	if (detail)
		snprintf(limit->source, sizeof(limit->source), "%s %.200s", source, detail);
	else
		snprintf(limit->source, sizeof(limit->source), "%s", source);
}

/* -1 for "max", for nonsense and for a number that does not fit. */
static int64_t parse_bytes(const char *text)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || errno || value < 0)
		return -1;
	return value;
}

static int64_t read_number(const char *root, const char *path)
{
	char line[64];
	FILE *file = open_below(root, path);
	int64_t bytes = -1;

	if (!file)
		return -1;
	if (fgets(line, sizeof(line), file))
		bytes = parse_bytes(line);
	fclose(file);
	return bytes;
}

/* The value behind a word at the start of a line; factor is its unit. */
static int64_t read_keyword(const char *root, const char *path, const char *key, int64_t factor)
{
	char line[256];
	size_t n = strlen(key);
	int64_t bytes = -1;
	FILE *file = open_below(root, path);

	if (!file)
		return -1;
	while (bytes < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, n))
			bytes = parse_bytes(line + n);
	fclose(file);
	if (bytes > INT64_MAX / factor)
		return -1;
	return bytes < 0 ? -1 : bytes * factor;
}

/* mountinfo writes blanks in paths as \040. */
static void undo_octal(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
		    text[2] >= '0' && text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = 0;
}

/* True if the comma-separated list holds the word. */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (*list) {
		size_t step = strcspn(list, ",\n");

		if (step == n && !strncmp(list, word, n))
			return true;
		list += step;
		if (*list)
			list++;
	}
	return false;
}

/* A line of mountinfo: "36 35 98:0 ROOT MOUNT options - type source super-options". */
static bool parse_mount(char *line, struct hierarchy *into)
{
	char *tail = strstr(line, " - ");
	char type[32], super[512];

	if (!tail)
		return false;
	*tail = 0;
	if (sscanf(line, "%*s %*s %*s %4095s %4095s", into->mount_root, into->mount) != 2)
		return false;
	if (sscanf(tail + 3, "%31s %*s %511s", type, super) != 2)
		return false;
	undo_octal(into->mount_root);
	undo_octal(into->mount);
	if (into->v2)
		return !strcmp(type, "cgroup2");
	return !strcmp(type, "cgroup") && has_word(super, "memory");
}

static bool find_mount(const struct search *search, struct hierarchy *into)
{
	char path[96], *line = NULL;
	size_t room = 0;
	bool ok = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/mountinfo", search->proc);
	file = open_below(search->root, path);
	if (!file)
		return false;
	while (!ok && getline(&line, &room, file) > 0)
		ok = parse_mount(line, into);
	free(line);
	fclose(file);
	return ok;
}

/* A line of /proc/PID/cgroup: "4:memory:/a/b", or "0::/a/b" for version 2. */
static bool parse_group(char *line, struct hierarchy *into)
{
	char *list = strchr(line, ':');
	char *group = list ? strchr(list + 1, ':') : NULL;

	if (!group)
		return false;
	*group++ = 0;
	list++;
	group[strcspn(group, "\n")] = 0;
	if (into->v2 ? *list != 0 : !has_word(list, "memory"))
		return false;
	return (size_t)snprintf(into->group, sizeof(into->group), "%s", group) <
	       sizeof(into->group);
}

static bool find_group(const struct search *search, struct hierarchy *into)
{
	char path[96], *line = NULL;
	size_t room = 0;
	bool ok = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup", search->proc);
	file = open_below(search->root, path);
	if (!file)
		return false;
	while (!ok && getline(&line, &room, file) > 0)
		ok = parse_group(line, into);
	free(line);
	fclose(file);
	return ok;
}

static int64_t read_level(const struct search *search, const struct hierarchy *h,
			  const char *group)
{
	char path[2 * PATH_MAX + 64];
	int64_t bytes;

	if (h->v2) {
		snprintf(path, sizeof(path), "%s%s/memory.max", h->mount, group);
		return read_number(search->root, path);
	}
	snprintf(path, sizeof(path), "%s%s/memory.stat", h->mount, group);
	bytes = read_keyword(search->root, path, "hierarchical_memory_limit ", 1);
	if (bytes > 0 && bytes < UNLIMITED_BYTES)
		return bytes;
	snprintf(path, sizeof(path), "%s%s/memory.limit_in_bytes", h->mount, group);
	return read_number(search->root, path);
}

/*
 * What is mounted may be a part of the hierarchy (a container): the front of the
 * group's path that leads to it is cut off.  A path that leads out of it is
 * replaced by the mounted part itself, the nearest level that can be read.
 */
static void cut_to_mount(struct hierarchy *h)
{
	size_t n = strlen(h->mount_root);

	if (strstr(h->group, "/..")) {
		h->group[0] = 0;
		return;
	}
	if (n > 1 && !strncmp(h->group, h->mount_root, n) &&
	    (h->group[n] == '/' || !h->group[n]))
		memmove(h->group, h->group + n, strlen(h->group + n) + 1);
	if (!strcmp(h->group, "/"))
		h->group[0] = 0;
}

static void search_hierarchy(struct search *search, bool v2)
{
	struct hierarchy *h = calloc(1, sizeof(*h));
	char smallest_at[PATH_MAX] = "";
	int64_t smallest = INT64_MAX;

	if (!h)
		return;
	h->v2 = v2;
	if (!find_mount(search, h) || !find_group(search, h)) {
		free(h);
		return;
	}
	cut_to_mount(h);
	for (;;) {
		int64_t bytes = read_level(search, h, h->group);
		char *slash = strrchr(h->group, '/');

		if (bytes > 0 && bytes < smallest) {
			smallest = bytes;
			snprintf(smallest_at, sizeof(smallest_at), "%s", h->group);
		}
		if (!slash)
			break;
		*slash = 0;
	}
	add(search, smallest, "cgroup", *smallest_at ? smallest_at : "/");
	free(h);
}

static void search_rlimits(struct search *search)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/limits", search->proc);
	add(search, read_keyword(search->root, path, "Max address space", 1), "RLIMIT_AS", NULL);
	add(search, read_keyword(search->root, path, "Max data size", 1), "RLIMIT_DATA", NULL);
}

static void search_machine(struct search *search)
{
	int64_t ram = read_keyword(search->root, "/proc/meminfo", "MemAvailable:", 1024);
	int64_t swap = read_keyword(search->root, "/proc/meminfo", "SwapFree:", 1024);

	if (ram > 0)
		add(search, ram + (swap > 0 ? swap : 0), swap > 0 ? "RAM and swap" : "RAM", NULL);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct seep_limit_found *x = a, *y = b;

	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

size_t seep_limit_find(const char *root, pid_t pid, struct seep_limit_found *found, size_t room)
{
	struct search search = { .root = root, .found = found, .room = room };

	if (pid)
		snprintf(search.proc, sizeof(search.proc), "/proc/%ld", (long)pid);
	else
		snprintf(search.proc, sizeof(search.proc), "/proc/self");
	search_hierarchy(&search, true);
	search_hierarchy(&search, false);
	search_rlimits(&search);
	search_machine(&search);
	qsort(found, search.n, sizeof(found[0]), compare_bytes);
	return search.n;
}
