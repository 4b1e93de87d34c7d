/* SPDX-License-Identifier: MIT */
/*
 * Control groups.  A process is in one group of each hierarchy, and the limit of
 * any ancestor of that group can end it, so every level is read:
 *
 *   /proc/PID/cgroup      4:memory:/batch/job      the group, version 1
 *                         0::/batch/job            the group, version 2
 *   /proc/PID/mountinfo   ... /  /sys/fs/cgroup/memory ... cgroup  ... rw,memory
 *                         ... /  /sys/fs/cgroup        ... cgroup2 ... rw
 *
 * A hybrid system has both, and the files for memory are in one of them.  Only a part of the
 * hierarchy may be mounted: a container sees its own group, or nothing above it.
 */
#include "os/tool/limit_search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LETTERS 190         /* of a group's path in the source of a limit */

/* One control group hierarchy that knows about memory. */
struct hierarchy {
	char mount[PATH_MAX];    /* where it is mounted */
	char mount_root[PATH_MAX]; /* which of its groups is mounted there */
	char own[PATH_MAX];      /* the group of the process, below the mount once that is known */
	char level[PATH_MAX];    /* the group that is being read: own, or above it */
	bool v2;
	int64_t swap_bytes;      /* that the process may use in addition; version 2 */
};

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

/* Whether the group is the mounted one or below it. */
static bool is_below(const char *group, const char *mount_root)
{
	size_t n = strlen(mount_root);

	if (!strcmp(mount_root, "/"))
		return !strstr(group, "/..");
	return !strncmp(group, mount_root, n) && (group[n] == '/' || !group[n]);
}

/* The best mount shows the most ancestors of the group; any mount is better than none. */
static bool is_better(const struct hierarchy *a, const struct hierarchy *b)
{
	bool fits = is_below(a->own, a->mount_root);

	if (fits != is_below(b->own, b->mount_root))
		return fits;
	return fits && strlen(a->mount_root) < strlen(b->mount_root);
}

static bool find_mount(const struct seep_limit_search *search, struct hierarchy *into)
{
	char path[96], *line = NULL;
	struct hierarchy *one = malloc(sizeof(*one));
	size_t room = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/mountinfo", search->proc);
	file = seep_limit_search_open(search, path);
	if (one)
		*one = *into;
	while (one && file && getline(&line, &room, file) > 0)
		if (parse_mount(line, one) && (!found || is_better(one, into))) {
			*into = *one;
			found = true;
		}
	free(line);
	free(one);
	if (file)
		fclose(file);
	return found;
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
	return (size_t)snprintf(into->own, sizeof(into->own), "%s", group) <
	       sizeof(into->own);
}

static bool find_group(const struct seep_limit_search *search, struct hierarchy *into)
{
	char path[96], *line = NULL;
	size_t room = 0;
	bool ok = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup", search->proc);
	file = seep_limit_search_open(search, path);
	if (!file)
		return false;
	while (!ok && getline(&line, &room, file) > 0)
		ok = parse_group(line, into);
	free(line);
	fclose(file);
	return ok;
}

/*
 * Cuts off the start of the group's path, up to what is mounted.  A mount from outside a
 * namespace has a root such as "/../..", and a group outside of it has such a path.  Then the
 * names in between are hidden, and only the mounted part itself can be read.
 */
static void cut_to_mount(struct hierarchy *h)
{
	size_t n = strlen(h->mount_root);

	if (strstr(h->own, "/..") || !strncmp(h->mount_root, "/..", 3)) {
		h->own[0] = 0;
		return;
	}
	if (n > 1 && is_below(h->own, h->mount_root))
		memmove(h->own, h->own + n, strlen(h->own + n) + 1);
	if (!strcmp(h->own, "/"))
		h->own[0] = 0;
}

static int64_t read_file(const struct seep_limit_search *search, const struct hierarchy *h,
			 const char *name)
{
	char path[2 * PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s%s/%s", h->mount, h->level, name);
	return seep_limit_search_number(search, path);
}

static int64_t read_stat(const struct seep_limit_search *search, const struct hierarchy *h,
			 const char *word)
{
	char path[2 * PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s%s/memory.stat", h->mount, h->level);
	return seep_limit_search_word(search, path, word, 1);
}

/* What the group uses, without caches that the kernel can drop. */
static int64_t read_used(const struct seep_limit_search *search, const struct hierarchy *h,
			 const char *name)
{
	int64_t used = read_file(search, h, name);
	int64_t cache = read_stat(search, h, h->v2 ? "inactive_file " : "total_inactive_file ");

	if (used <= 0)
		return 0;
	return cache > 0 && cache < used ? used - cache : used;
}

/* swap: what may be used in addition; 0 for limits that include it (memsw in version 1). */
static void add_group(struct seep_limit_search *search, const struct hierarchy *h, int64_t bytes,
		      const char *file, int64_t swap, int64_t used)
{
	size_t n = strlen(h->level);
	const char *name = n > NAME_LETTERS ? h->level + n - NAME_LETTERS : h->level;
	struct seep_limit_found *limit;

	if (bytes <= 0 || bytes > INT64_MAX - swap)
		return;
	limit = seep_limit_search_add(search, bytes + swap, "cgroup %s%s %s%s",
				      n > NAME_LETTERS ? "..." : "", n ? name : "/", file,
				      swap ? " and swap" : "");
	if (!limit)
		return;
	limit->scope = SEEP_LIMIT_SCOPE_GROUP;
	limit->others_bytes = used;
}

static void read_level_2(struct seep_limit_search *search, const struct hierarchy *h)
{
	int64_t used = read_used(search, h, "memory.current");
	size_t n;

	add_group(search, h, read_file(search, h, "memory.max"), "memory.max", h->swap_bytes,
		  used);
	n = search->n;
	add_group(search, h, read_file(search, h, "memory.high"), "memory.high", 0, used);
	if (search->n > n)
		search->found[n].slows = true;
}

static void read_level_1(struct seep_limit_search *search, const struct hierarchy *h)
{
	add_group(search, h, read_file(search, h, "memory.limit_in_bytes"),
		  "memory.limit_in_bytes", search->swap_bytes,
		  read_used(search, h, "memory.usage_in_bytes"));
	if (search->swap_bytes)
		add_group(search, h, read_file(search, h, "memory.memsw.limit_in_bytes"),
			  "memory.memsw.limit_in_bytes", 0,
			  read_used(search, h, "memory.memsw.usage_in_bytes"));
}

/* Version 1 reports the smallest limit of all ancestors, including those that are hidden. */
static void read_hidden(struct seep_limit_search *search, const struct hierarchy *h, size_t first)
{
	int64_t bytes = read_stat(search, h, "hierarchical_memory_limit ");

	for (size_t i = first; i < search->n; i++)
		if (search->found[i].bytes - search->swap_bytes <= bytes)
			return;
	add_group(search, h, bytes, "hierarchical_memory_limit", search->swap_bytes,
		  read_used(search, h, "memory.usage_in_bytes"));
}

/* From the process's group up to what is mounted, level by level.  False after the last. */
static bool go_up(struct hierarchy *h)
{
	char *slash = strrchr(h->level, '/');

	if (slash)
		*slash = 0;
	return slash;
}

static void go_down(struct hierarchy *h)
{
	memcpy(h->level, h->own, sizeof(h->level));
}

/* The free swap of the machine, or less if one of the levels limits it. */
static void read_swap(const struct seep_limit_search *search, struct hierarchy *h)
{
	h->swap_bytes = search->swap_bytes;
	go_down(h);
	do {
		int64_t most = read_file(search, h, "memory.swap.max");
		int64_t used = read_file(search, h, "memory.swap.current");
		int64_t left = used > most ? 0 : most - (used > 0 ? used : 0);

		if (most >= 0 && left < h->swap_bytes)
			h->swap_bytes = left;
	} while (go_up(h));
}

static void read_levels(struct seep_limit_search *search, struct hierarchy *h)
{
	size_t first = search->n;

	cut_to_mount(h);
	if (h->v2)
		read_swap(search, h);
	go_down(h);
	do {
		if (h->v2)
			read_level_2(search, h);
		else
			read_level_1(search, h);
	} while (go_up(h));
	go_down(h);
	if (!h->v2)
		read_hidden(search, h, first);
}

static void search_hierarchy(struct seep_limit_search *search, bool v2)
{
	struct hierarchy *h = calloc(1, sizeof(*h));

	if (!h)
		return;
	h->v2 = v2;
	if (find_group(search, h) && find_mount(search, h))
		read_levels(search, h);
	free(h);
}

void seep_limit_search_groups(struct seep_limit_search *search)
{
	search_hierarchy(search, true);
	search_hierarchy(search, false);
}
