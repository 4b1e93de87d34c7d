/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lines/lines_tail.h"
#include "cli/watch/watch_events.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS_MAX 15
#define SHOWN_MAX 200 /* letters of an expression in a message */
#define LINE_BYTES 4096 /* of a line that are looked at */
#define RECENT_S 2

static int compile(struct seep_watch_events *events, const char *option, size_t n,
		   struct seep_err *err)
{
	struct seep_lines_pattern pattern = { "--events-file", option, n };
	int rc = seep_lines_regex_init(&events->regex, pattern, err);

	if (rc || seep_lines_regex_main_group(&events->regex))
		return rc;
	seep_lines_regex_release(&events->regex);
	return seep_err_set(err, EINVAL, "--events-file: '%.*s' has no group; put the number of "
			    "events into one, such as '([0-9]+) events done'",
			    (int)(n < SHOWN_MAX ? n : SHOWN_MAX), option);
}

int seep_watch_events_init(struct seep_watch_events *events, const char *option,
			   struct seep_err *err)
{
	size_t n = seep_lines_tail_split(option);
	const char *path = option + n + 1;
	struct stat st;
	int rc;

	memset(events, 0, sizeof(*events));
	if (!n)
		return seep_err_set(err, EINVAL, "--events-file: '%.200s' is not REGEX:PATH, such "
				    "as '([0-9]+) events read:heartbeat.txt'", option);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return seep_err_set(err, EINVAL, "--events-file: '%.200s' is not a regular file",
				    path);
	rc = compile(events, option, n, err);
	if (rc)
		return rc;
	events->path = path;
	events->wanted = true;
	return 0;
}

void seep_watch_events_release(struct seep_watch_events *events)
{
	if (events->wanted)
		seep_lines_regex_release(&events->regex);
	events->wanted = false;
}

/* The number of the group in the last match; -1 if the line has none. */
static int64_t match(const struct seep_watch_events *events, const char *line, bool *touches_end)
{
	const struct seep_lines_regex *regex = &events->regex;
	size_t bytes = strlen(line), group = bytes, at = 0, digits;
	int64_t number = -1;

	while ((at = seep_lines_regex_find(regex, line, bytes, at, &group))) {
		digits = strspn(line + group, "0123456789");
		if (digits && digits <= DIGITS_MAX) {
			number = strtoll(line + group, NULL, 10);
			*touches_end = !line[group + digits];
		}
	}
	return number;
}

/*
 * A number at the very end of the file may be half written, and so be too small.  One that is
 * smaller than the last and whole is of a loop that began anew.
 */
static void take(struct seep_watch_events *events, int64_t number, bool whole)
{
	if (events->seen && number < events->number) {
		if (!whole)
			return;
		events->before += events->number;
	}
	events->number = number;
	events->seen = true;
}

/* Where a line begins; of a very long one the end, without a number that was cut in two. */
static char *find_line(char *text, char *end)
{
	char *line = end;

	while (line > text && line[-1] != '\n' && end - line < LINE_BYTES)
		line--;
	if (line > text && line[-1] != '\n')
		line += strspn(line, "0123456789");
	return line;
}

/* From the last line on upwards: most of them need not be looked at. */
void seep_watch_events_read(struct seep_watch_events *events, char *text, size_t bytes)
{
	bool whole = bytes && text[bytes - 1] == '\n', touches_end = false;
	char *end = text + bytes;

	for (size_t i = 0; i < bytes; i++)
		if (!text[i])
			text[i] = ' ';
	while (end > text) {
		int64_t number;
		char *line;

		end -= end[-1] == '\n';
		*end = 0;
		line = find_line(text, end);
		number = match(events, line, &touches_end);
		if (number >= 0) {
			take(events, number, whole || !touches_end);
			return;
		}
		while (line > text && line[-1] != '\n')
			line--;
		end = line;
		whole = true;
	}
}

static bool is_as_before(const struct seep_watch_events *events, const struct stat *st)
{
	return events->looked && events->device == st->st_dev && events->inode == st->st_ino &&
	       events->bytes == st->st_size && events->changed.tv_sec == st->st_mtim.tv_sec &&
	       events->changed.tv_nsec == st->st_mtim.tv_nsec;
}

/* Where what is new begins, in whole lines if they are short; the end of it, if it is too much. */
static off_t find_start(const struct seep_watch_events *events, const struct stat *st)
{
	off_t from = 0;

	if (events->looked && events->device == st->st_dev && events->inode == st->st_ino &&
	    events->bytes < st->st_size && events->bytes > LINE_BYTES)
		from = events->bytes - LINE_BYTES;
	if (st->st_size - from > SEEP_WATCH_EVENTS_TAIL)
		from = st->st_size - SEEP_WATCH_EVENTS_TAIL;
	return from;
}

/* The line in whose middle reading began is left out; if there is no other, its first number. */
static void read_from(struct seep_watch_events *events, int fd, off_t from)
{
	ssize_t n = pread(fd, events->text, SEEP_WATCH_EVENTS_TAIL, from);
	char *text = events->text, *line;

	if (n <= 0)
		return;
	text[n] = 0;
	if (from) {
		line = memchr(text, '\n', (size_t)n);
		line = line ? line + 1 : text + strspn(text, "0123456789");
		n -= line - text;
		text = line;
	}
	seep_watch_events_read(events, text, (size_t)n);
}

/* What was written a moment ago may be written again before the clock of files has moved. */
static void remember(struct seep_watch_events *events, const struct stat *st)
{
	events->looked = true;
	events->device = st->st_dev;
	events->inode = st->st_ino;
	events->bytes = st->st_size;
	events->changed = st->st_mtim;
	if (seep_clock_real_ns() / 1000000000 - st->st_mtim.tv_sec < RECENT_S)
		events->changed.tv_sec = 0;
}

void seep_watch_events_look(struct seep_watch_events *events)
{
	int fd = open(events->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !is_as_before(events, &st)) {
		read_from(events, fd, find_start(events, &st));
		remember(events, &st);
	}
	close(fd);
}
