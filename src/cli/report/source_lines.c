/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report/source_lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AROUND 3                 /* lines before and after */
#define LINE_BYTES 200           /* longer lines are cut */
#define FILE_BYTES ((off_t)64 << 20) /* no source file is larger */

/* A relative path without a directory could be any file. */
static const char *path_of(const struct seep_frame *frame, struct seep_arena *arena)
{
	if (!frame->file || frame->line <= 0)
		return NULL;
	if (frame->file[0] == '/')
		return frame->file;
	if (!frame->directory || frame->directory[0] != '/')
		return NULL;
	return seep_arena_printf(arena, "%s/%s", frame->directory, frame->file);
}

/* Without waiting, as the path may lead to a pipe now. */
static FILE *open_file(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *file;

	if (fd < 0)
		return NULL;
	if (fstat(fd, st) || !S_ISREG(st->st_mode) || st->st_size > FILE_BYTES) {
		close(fd);
		return NULL;
	}
	file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

static size_t trim(const char *line, size_t n)
{
	while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
		n--;
	return n < LINE_BYTES ? n : LINE_BYTES;
}

static void read_lines(struct seep_excerpt *excerpt, FILE *file, struct seep_arena *arena)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	excerpt->lines = seep_arena_array(arena, 2 * AROUND + 1, sizeof(*excerpt->lines));
	excerpt->first = excerpt->line > AROUND ? excerpt->line - AROUND : 1;
	for (int i = 1; i <= excerpt->line + AROUND && (n = getline(&line, &room, file)) >= 0; i++)
		if (i >= excerpt->first)
			excerpt->lines[excerpt->n++] = seep_arena_copy(arena, line,
								       trim(line, (size_t)n));
	free(line);
}

const struct seep_excerpt *seep_source_lines_read(const struct seep_run *run,
						  const struct seep_frame *frame,
						  struct seep_arena *arena)
{
	const char *path = frame ? path_of(frame, arena) : NULL;
	struct seep_excerpt *excerpt;
	struct stat st;
	FILE *file = path ? open_file(path, &st) : NULL;

	if (!file)
		return NULL;
	excerpt = seep_arena_alloc(arena, sizeof(*excerpt));
	excerpt->path = path;
	excerpt->line = frame->line;
	excerpt->newer = (int64_t)st.st_mtim.tv_sec > run->started_real_ns / 1000000000 + 1;
	read_lines(excerpt, file, arena);
	fclose(file);
	return excerpt->first + (int)excerpt->n > excerpt->line ? excerpt : NULL;
}
