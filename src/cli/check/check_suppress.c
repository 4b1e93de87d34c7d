/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/check/check_suppress.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *trim(struct seep_arena *arena, const char *text, size_t n)
{
	while (n && strchr(" \t\r\n", *text)) {
		text++;
		n--;
	}
	while (n && strchr(" \t\r\n", text[n - 1]))
		n--;
	return seep_arena_copy(arena, text, n);
}

/* Where the reason begins: at a # behind a blank. */
static size_t find_reason(const char *line)
{
	size_t at = 0;

	while (line[at] && !(line[at] == '#' && (!at || strchr(" \t", line[at - 1]))))
		at++;
	return at;
}

static bool read_line(struct seep_suppression *item, const char *line, struct seep_arena *arena)
{
	size_t at = find_reason(line);

	item->pattern = trim(arena, line, at);
	item->reason = NULL;
	if (line[at])
		item->reason = trim(arena, line + at + 1, strlen(line + at + 1));
	if (item->reason && !*item->reason)
		item->reason = NULL;
	return *item->pattern;
}

static int read_lines(struct seep_suppressions *list, FILE *file, struct seep_arena *arena,
		      struct seep_err *err)
{
	char *line = NULL;
	size_t room = 0, items_room = 0, number = 0;
	ssize_t n;
	int rc = 0;

	errno = 0;
	while (!rc && (n = getline(&line, &room, file)) >= 0) {
		struct seep_suppression item = { .line = ++number };

		if (memchr(line, 0, (size_t)n)) {
			rc = seep_err_set(err, EINVAL, "%.200s:%zu: this is not text", list->path,
					  number);
		} else if (read_line(&item, line, arena)) {
			list->items = seep_arena_grow(arena, list->items, list->n, &items_room,
						      sizeof(item));
			list->items[list->n++] = item;
		}
	}
	if (!rc && ferror(file))
		rc = seep_err_set(err, errno ? errno : EIO, "'%.200s' could not be read: %s",
				  list->path, strerror(errno));
	free(line);
	return rc;
}

int seep_suppress_read(struct seep_suppressions *list, const char *path, struct seep_arena *arena,
		       struct seep_err *err)
{
	FILE *file = fopen(path, "re");
	int rc;

	*list = (struct seep_suppressions){ .path = path };
	if (!file)
		return seep_err_set(err, errno, "the suppressions '%.200s' could not be opened: %s",
				    path, strerror(errno));
	rc = read_lines(list, file, arena, err);
	fclose(file);
	return rc;
}

/* A name with brackets, such as operator new[], matches itself, too. */
static bool matches(const char *pattern, const struct seep_stack *stack)
{
	for (size_t i = 0; i < stack->n_frames; i++)
		if (!strcmp(pattern, stack->frames[i].function) ||
		    !fnmatch(pattern, stack->frames[i].function, 0))
			return true;
	return false;
}

const struct seep_suppression *seep_suppress_find(struct seep_suppressions *list,
						  const struct seep_stack *stack)
{
	const struct seep_suppression *first = NULL;

	for (size_t i = 0; i < list->n; i++) {
		if (!matches(list->items[i].pattern, stack))
			continue;
		list->items[i].sites++;
		if (!first)
			first = &list->items[i];
	}
	return first;
}

void seep_suppress_reset(struct seep_suppressions *list)
{
	for (size_t i = 0; i < list->n; i++)
		list->items[i].sites = 0;
}

size_t seep_suppress_unused(const struct seep_suppressions *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += !list->items[i].sites;
	return n;
}
