/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lines/lines_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

size_t seep_lines_tail_split(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon[1] ? (size_t)(colon - text) : 0;
}

/* The file under the path, if there is one that can be read. */
static void open_file(struct seep_lines_tail *tail)
{
	struct stat st;

	tail->at = 0;
	tail->fd = open(tail->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (tail->fd >= 0 && (fstat(tail->fd, &st) || !S_ISREG(st.st_mode))) {
		close(tail->fd);
		tail->fd = -1;
	}
	if (tail->fd >= 0 && tail->notify >= 0)
		tail->watched = inotify_add_watch(tail->notify, tail->path, IN_MODIFY);
}

static void close_file(struct seep_lines_tail *tail)
{
	if (tail->watched >= 0)
		inotify_rm_watch(tail->notify, tail->watched);
	tail->watched = -1;
	if (tail->fd >= 0)
		close(tail->fd);
	tail->fd = -1;
}

static void make_directory(char directory[PATH_MAX], const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(directory, PATH_MAX, "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
}

int seep_lines_tail_init(struct seep_lines_tail *tail, const char *path, struct seep_err *err)
{
	char directory[PATH_MAX];
	struct stat st;

	*tail = (struct seep_lines_tail){ .path = path, .fd = -1, .notify = -1, .watched = -1 };
	make_directory(directory, path);
	if (stat(directory, &st))
		return seep_err_set(err, errno, "--event: the directory of '%.200s' cannot be "
				    "read: %s", path, strerror(errno));
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return seep_err_set(err, EINVAL, "--event: '%.200s' is not a regular file", path);
	tail->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (tail->notify >= 0)
		inotify_add_watch(tail->notify, directory, IN_CREATE | IN_MOVED_TO);
	open_file(tail);
	if (tail->fd >= 0 && !fstat(tail->fd, &st))
		tail->at = st.st_size;
	tail->reader.may_burst = true;
	return 0;
}

void seep_lines_tail_release(struct seep_lines_tail *tail)
{
	close_file(tail);
	if (tail->notify >= 0)
		close(tail->notify);
	tail->notify = -1;
}

static void begin_again(struct seep_lines_tail *tail)
{
	tail->at = 0;
	tail->reader.held = 0;
	tail->reader.after_return = false;
}

static void read_added(struct seep_lines_tail *tail)
{
	static char text[SEEP_LINES_READ_BYTES];
	struct stat st;
	ssize_t n;

	if (fstat(tail->fd, &st))
		return;
	if (st.st_size < tail->at)
		begin_again(tail);
	while ((n = pread(tail->fd, text, sizeof(text), tail->at)) > 0) {
		seep_lines_reader_take(&tail->reader, text, (size_t)n);
		tail->at += n;
	}
}

/* Whether the path now leads to another file. */
static bool is_replaced(const struct seep_lines_tail *tail)
{
	struct stat old, now;

	return !fstat(tail->fd, &old) && !stat(tail->path, &now) &&
	       (old.st_dev != now.st_dev || old.st_ino != now.st_ino);
}

void seep_lines_tail_look(struct seep_lines_tail *tail)
{
	char events[4096];

	while (tail->notify >= 0 && read(tail->notify, events, sizeof(events)) > 0)
		;
	if (tail->fd >= 0) {
		bool replaced = is_replaced(tail);

		read_added(tail);
		if (!replaced)
			return;
		close_file(tail);
		begin_again(tail);
	}
	open_file(tail);
	if (tail->fd >= 0)
		read_added(tail);
}
