/* SPDX-License-Identifier: MIT */
#include "os/smaps.h"

#include "os/fd.h"
#include "os/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEXT_BYTES 16384
#define LINE_BYTES 256 /* longer lines contain the path of a file, whose end does not matter */
#define KIB 1024

/* The file is fed letter by letter; a line is parsed when it is complete. */
struct parser {
	char line[LINE_BYTES];
	size_t n;
	bool in_area;
	struct seep_smaps_area area;
	void (*visit)(const struct seep_smaps_area *area, void *context);
	void *context;
};

static uintptr_t take_hex(const char **at)
{
	uintptr_t number = 0;

	for (;; ++*at) {
		if (**at >= '0' && **at <= '9')
			number = number * 16 + (uintptr_t)(**at - '0');
		else if (**at >= 'a' && **at <= 'f')
			number = number * 16 + (uintptr_t)(**at - 'a' + 10);
		else
			return number;
	}
}

static const char *skip_word(const char *at)
{
	while (*at && *at != ' ')
		at++;
	while (*at == ' ')
		at++;
	return at;
}

static void finish_area(struct parser *parser)
{
	if (parser->in_area)
		parser->visit(&parser->area, parser->context);
	parser->in_area = false;
}

/* "55d0a000-55d0b000 rw-p 00000000 00:00 0     [heap]" */
static void begin_area(struct parser *parser)
{
	struct seep_smaps_area area = {0};
	const char *at = parser->line, *access, *inode, *name;

	finish_area(parser);
	area.start = take_hex(&at);
	at += *at == '-';
	area.end = take_hex(&at);
	access = skip_word(at);
	inode = skip_word(skip_word(skip_word(access)));
	name = skip_word(inode);
	area.is_accessible = access[0] == 'r' || access[1] == 'w';
	area.is_plain = !strncmp(access, "rw", 2) && access[3] == 'p' && inode[0] == '0' &&
			(!*name || !strncmp(name, "[heap]", 6) || !strncmp(name, "[anon:", 6));
	parser->area = area;
	parser->in_area = true;
}

/* "Swap:       123 kB", where kB means KiB; -1 if the line has another name. */
static int64_t find_bytes(const char *line, const char *name)
{
	size_t n = strlen(name);
	int64_t number = 0;

	if (strncmp(line, name, n))
		return -1;
	for (line += n; *line == ' '; line++)
		;
	for (; *line >= '0' && *line <= '9'; line++)
		number = number * 10 + (*line - '0');
	return number * KIB;
}

static void read_amount(struct seep_smaps_area *area, const char *line)
{
	int64_t bytes;

	if ((bytes = find_bytes(line, "Anonymous:")) > 0 ||
	    (bytes = find_bytes(line, "Swap:")) > 0)
		area->anonymous_bytes += bytes;
	else if ((bytes = find_bytes(line, "LazyFree:")) > 0)
		area->anonymous_bytes -= bytes;
	else if (find_bytes(line, "Locked:") > 0)
		area->is_locked = true;
}

static void end_line(struct parser *parser)
{
	parser->line[parser->n] = '\0';
	parser->n = 0;
	if (parser->line[0] >= 'A' && parser->line[0] <= 'Z')
		read_amount(&parser->area, parser->line);
	else
		begin_area(parser);
}

static void feed(struct parser *parser, const char *text, long n)
{
	long i;

	for (i = 0; i < n; i++)
		if (text[i] == '\n')
			end_line(parser);
		else if (parser->n + 1 < sizeof(parser->line))
			parser->line[parser->n++] = text[i];
}

bool seep_smaps_visit(void (*visit)(const struct seep_smaps_area *area, void *context),
		      void *context)
{
	static char text[TEXT_BYTES];
	struct parser parser = {.visit = visit, .context = context};
	int saved = errno;
	int fd = (int)seep_syscall(SYS_openat, AT_FDCWD, "/proc/self/smaps", O_RDONLY | O_CLOEXEC);
	long n = -1;

	while (fd >= 0 && (n = seep_syscall(SYS_read, fd, text, sizeof(text))) > 0)
		feed(&parser, text, n);
	if (fd >= 0)
		seep_syscall(SYS_close, fd);
	finish_area(&parser);
	errno = saved;
	return !n;
}

/* In the text of smaps_rollup, where each name begins a line. */
static int64_t find_amount(const char *text, const char *name)
{
	int64_t bytes = -1;

	for (; text && bytes < 0; text = strchr(text, '\n')) {
		text += *text == '\n';
		bytes = find_bytes(text, name);
	}
	return bytes;
}

int64_t seep_smaps_anonymous(void)
{
	static char text[4096];
	int64_t anonymous, swapped, lazy;

	if (seep_fd_read_file("/proc/self/smaps_rollup", text, sizeof(text)) <= 0)
		return -1;
	anonymous = find_amount(text, "Anonymous:");
	swapped = find_amount(text, "Swap:");
	lazy = find_amount(text, "LazyFree:");
	if (anonymous < 0)
		return -1;
	return anonymous + (swapped > 0 ? swapped : 0) - (lazy > 0 ? lazy : 0);
}
