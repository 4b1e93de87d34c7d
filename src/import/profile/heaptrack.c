/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of heaptrack, packed or not.  All numbers are hexadecimal.  Strings, places, stacks and
 * infos are numbered in order of appearance, from 1 (infos from 0).
 *
 *	v VERSION FORMAT            first; FORMAT 0 to 3
 *	X COMMAND                   what was run
 *	I PAGE_BYTES PAGES          the machine
 *	s LENGTH TEXT               a string (no LENGTH before format 3)
 *	i ADDRESS MODULE FUNCTION FILE LINE [FUNCTION FILE LINE ...]    a place in the code
 *	t PLACE STACK               a stack: a place, and the stack that called it
 *	a BYTES STACK               a kind of block, an info
 *	+ INFO, - INFO              a block was allocated, freed
 *	c MILLISECONDS              since the start
 *	R PAGES                     resident
 *	S TEXT, A, # ...            suppressions, heaptrack was attached, comments
 *
 * Raw files, before the interpreter, have instead of s, i and a:
 *
 *	x LENGTH PATH               the program
 *	m LENGTH PATH BIAS [OFFSET BYTES ...]    a loaded object; path "-": all are unloaded
 *	t ADDRESS STACK
 *	+ BYTES STACK POINTER, - POINTER
 *
 * Format 0 mixes the two: blocks as in raw files, places as in the others.
 *
 * The run becomes time slices (heaptrack_slices).  A cut file is read as far as it goes: the
 * program was killed, or is still running.
 */
#include "import/import.h"
#include "import/number.h"
#include "import/profile/heaptrack_books.h"
#include "import/profile/heaptrack_slices.h"

#include <errno.h>
#include <string.h>

#define FORMAT_MAX 3u
#define FORMAT_1_VERSION 0x010200u /* of heaptrack, which then wrote no format number */
#define PAGE_USUAL 4096u
#define PAGE_MAX ((uint64_t)1 << 30)
#define RSS_MAX ((uint64_t)1 << 50)
#define FRAMES_MAX 256u
#define ARGUMENTS_MAX 256u

struct reading {
	struct seep_source *source;
	struct seep_compose *compose;
	struct seep_heaptrack_books books;
	struct seep_heaptrack_slices slices;
	uint64_t format;
	uint64_t page_bytes;
	uint64_t t_ms;
	bool pointers;           /* blocks are identified by their addresses */
	bool attached, cut, has_command;
	const char *exe;
};

static bool take_hex(const char **at, uint64_t *number)
{
	if (!seep_number_hexadecimal(at, number) || (**at && **at != ' '))
		return false;
	*at += **at == ' ';
	return true;
}

static bool starts_line(const char *at, const char *end)
{
	const char *next = memchr(at, '\n', (size_t)(end - at));

	return next && next + 2 < end && strchr("XxIiAmsS#ct", next[1]) && next[1] &&
	       (next[2] == ' ' || next[1] == '#' || next[1] == 'A');
}

static bool recognise(const struct seep_import_head *head)
{
	const char *text = (const char *)head->data, *at = text + 2;
	char line[64] = "";
	uint64_t number;

	if (head->bytes < 8 || memcmp(text, "v ", 2))
		return false;
	memcpy(line, at, head->bytes - 2 < sizeof(line) - 1 ? head->bytes - 2 : sizeof(line) - 1);
	line[strcspn(line, "\n")] = 0;
	at = line;
	if (!take_hex(&at, &number) || (*at && (!take_hex(&at, &number) || *at)))
		return false;
	return starts_line(text, text + head->bytes);
}

static const char *read_version(struct reading *reading, const char *at)
{
	uint64_t version;

	if (!take_hex(&at, &version))
		return "not a heaptrack version";
	if (!take_hex(&at, &reading->format))
		reading->format = version == FORMAT_1_VERSION ? 1 : 0;
	if (reading->format > FORMAT_MAX)
		return "the format is newer than 3, the last one that seep reads";
	reading->pointers = reading->format == 0;
	return NULL;
}

/* A text: of the given length if the format has lengths, otherwise up to a blank or to the end. */
static const char *take_text(const struct reading *reading, const char **at, bool all, size_t *n)
{
	const char *text;
	uint64_t length;

	if (reading->format < 3) {
		*n = all ? strlen(*at) : strcspn(*at, " ");
	} else {
		if (!take_hex(at, &length) || length > strlen(*at))
			return NULL;
		*n = (size_t)length;
	}
	text = *at;
	*at += *n;
	*at += **at == ' ';
	return text;
}

static const char *read_string(struct reading *reading, const char *at)
{
	const char *text;
	size_t n;

	text = take_text(reading, &at, true, &n);
	return text ? seep_heaptrack_add_string(&reading->books, text, n)
		    : "expected a string: 's LENGTH TEXT'";
}

static const char *read_exe(struct reading *reading, const char *at)
{
	const char *text;
	size_t n;

	reading->books.raw = reading->pointers = true;
	text = take_text(reading, &at, true, &n);
	if (!text || reading->exe)
		return "expected the path of the program, and only once: 'x LENGTH PATH'";
	reading->exe = seep_arena_copy(&reading->books.arena, text, n);
	return NULL;
}

static const char *read_module(struct reading *reading, const char *at)
{
	struct seep_heaptrack_module module = { .start = UINT64_MAX };
	uint64_t offset, bytes;
	const char *path;
	size_t n;

	reading->books.raw = reading->pointers = true;
	path = take_text(reading, &at, false, &n);
	if (!path)
		return "expected a loaded object: 'm LENGTH PATH BIAS ...'";
	if (n == 1 && *path == '-') {
		seep_table_clear(&reading->books.modules);
		return NULL;
	}
	if (!take_hex(&at, &module.bias))
		return "a loaded object without an address";
	while (take_hex(&at, &offset) && take_hex(&at, &bytes)) {
		uint64_t start = module.bias + offset;

		if (start < module.start)
			module.start = start;
		if (start + bytes > module.end)
			module.end = start + bytes;
	}
	if (module.end <= module.start)
		return NULL;
	module.path = n == 1 && *path == 'x' && reading->exe
		? reading->exe : seep_arena_copy(&reading->books.arena, path, n);
	return seep_heaptrack_add_module(&reading->books, &module);
}

static const char *read_ip(struct reading *reading, const char *at)
{
	struct seep_heaptrack_frame frames[FRAMES_MAX];
	uint64_t pc, module, numbers[3];
	size_t n = 0;

	if (!take_hex(&at, &pc) || !take_hex(&at, &module))
		return "expected a code location: 'i ADDRESS MODULE ...'";
	while (n < FRAMES_MAX && *at) {
		for (int i = 0; i < 3; i++) {
			numbers[i] = 0;
			if (*at && (!take_hex(&at, &numbers[i]) || numbers[i] > INT32_MAX))
				return "expected a frame: 'FUNCTION FILE LINE'";
		}
		frames[n++] = (struct seep_heaptrack_frame){ (uint32_t)numbers[0],
							     (uint32_t)numbers[1],
							     (uint32_t)numbers[2] };
	}
	return seep_heaptrack_add_ip(&reading->books, pc, module, frames, n);
}

static const char *read_stack(struct reading *reading, const char *at)
{
	uint64_t ip, caller;

	if (!take_hex(&at, &ip) || !take_hex(&at, &caller))
		return "expected a stack: 't LOCATION STACK'";
	return seep_heaptrack_add_stack(&reading->books, ip, caller);
}

static const char *read_info(struct reading *reading, const char *at)
{
	uint64_t bytes, stack;

	if (!take_hex(&at, &bytes) || !take_hex(&at, &stack))
		return "expected a kind of block: 'a BYTES STACK'";
	return seep_heaptrack_add_info(&reading->books, bytes, stack);
}

static const char *read_block(struct reading *reading, const char *at, bool made)
{
	uint64_t numbers[3];

	if (!take_hex(&at, &numbers[0]))
		return "a block with a missing number";
	if (!reading->pointers)
		return seep_heaptrack_count(&reading->books, numbers[0], made);
	if (!made) {
		seep_heaptrack_free(&reading->books, numbers[0]);
		return NULL;
	}
	if (!take_hex(&at, &numbers[1]) || !take_hex(&at, &numbers[2]))
		return "expected a block: '+ BYTES STACK POINTER'";
	return seep_heaptrack_make(&reading->books, numbers[0], numbers[1], numbers[2]);
}

static const char *read_time(struct reading *reading, const char *at)
{
	uint64_t t_ms;

	if (!take_hex(&at, &t_ms) || t_ms > SEEP_HEAPTRACK_TIME_MAX)
		return "not a time: 'c MILLISECONDS'";
	if (t_ms < reading->t_ms)
		return "time goes backwards";
	reading->t_ms = t_ms;
	seep_heaptrack_slices_advance(&reading->slices, (int64_t)t_ms);
	return NULL;
}

static const char *read_rss(struct reading *reading, const char *at)
{
	uint64_t pages;

	if (!take_hex(&at, &pages) || pages > RSS_MAX / reading->page_bytes)
		return "expected a number of resident pages: 'R PAGES'";
	reading->slices.rss_bytes = pages * reading->page_bytes;
	reading->slices.has_rss = true;
	return NULL;
}

static const char *read_machine(struct reading *reading, const char *at)
{
	uint64_t bytes;

	if (!take_hex(&at, &bytes) || !bytes || bytes > PAGE_MAX)
		return "expected the page size: 'I PAGE_BYTES PAGES'";
	reading->page_bytes = bytes;
	return NULL;
}

/* An argument with blanks looks like several arguments. */
static const char *read_command(struct reading *reading, char *at)
{
	const char *arguments[ARGUMENTS_MAX + 1] = { NULL };
	size_t n = 0;
	char *rest = NULL;

	if (reading->has_command)
		return "a second command: the file holds more than one run";
	reading->has_command = true;
	for (char *word = strtok_r(at, " ", &rest); word && n < ARGUMENTS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		arguments[n++] = word;
	if (n)
		seep_compose_command(reading->compose, reading->exe ? reading->exe : arguments[0],
				     arguments);
	return NULL;
}

/* Returns NULL, or what is wrong with the line. */
static const char *read_line(struct reading *reading, char *line, size_t n)
{
	char *at = line + (n > 2 ? 2 : n);

	if (n > 1 && line[1] != ' ' && line[0] != '#')
		return "not a heaptrack line";
	switch (line[0]) {
	case '+':
	case '-':
		return read_block(reading, at, line[0] == '+');
	case 'a':
		return read_info(reading, at);
	case 't':
		return read_stack(reading, at);
	case 'i':
		return read_ip(reading, at);
	case 's':
		return read_string(reading, at);
	case 'c':
		return read_time(reading, at);
	case 'R':
		return read_rss(reading, at);
	case 'm':
		return read_module(reading, at);
	case 'x':
		return read_exe(reading, at);
	case 'X':
		return read_command(reading, at);
	case 'I':
		return read_machine(reading, at);
	case 'v':
		return read_version(reading, at);
	case 'A':
		reading->attached = true;
		return NULL;
	case 'S':
	case '#':
	case 0:
		return NULL;
	default:
		return "not a heaptrack line";
	}
}

static int read_lines(struct reading *reading, struct seep_err *err)
{
	const char *wrong;
	char *line;
	size_t n;
	int rc;

	while ((rc = seep_source_line(reading->source, &line, &n, err)) > 0) {
		reading->cut = seep_source_line_open(reading->source);
		if (reading->cut) /* its numbers may be cut, too */
			return 0;
		wrong = read_line(reading, line, n);
		if (wrong)
			return seep_source_refuse(reading->source, EBADMSG, err, "%s", wrong);
	}
	if (rc < 0 && seep_source_was_cut(reading->source)) {
		*err = (struct seep_err){ 0 };
		reading->cut = true;
		rc = 0;
	}
	return rc;
}

static void tell(struct reading *reading)
{
	if (reading->cut)
		seep_compose_note(reading->compose, "the file ends in the middle of a line or of "
				  "its compressed data and was read up to there; was the program "
				  "killed?");
	if (reading->attached)
		seep_compose_note(reading->compose, "heaptrack was attached to the running "
				  "program: blocks allocated before that are not in the file");
	else if (reading->books.unknown_frees)
		seep_compose_note(reading->compose, "%llu freed blocks have no allocation in "
				  "the file",
				  (unsigned long long)reading->books.unknown_frees);
}

static int compose(struct reading *reading, struct seep_err *err)
{
	int64_t written_ns = seep_source_written_ns(reading->source);
	int64_t t_ns = (int64_t)reading->t_ms * 1000000;

	if (!reading->books.sites.n)
		return seep_source_refuse(reading->source, EBADMSG, err, "the file has no blocks; "
					  "was it truncated?");
	tell(reading);
	if (written_ns > t_ns)
		seep_compose_started(reading->compose, written_ns - t_ns);
	if (!seep_heaptrack_slices_finish(&reading->slices, (int64_t)reading->t_ms))
		return seep_source_refuse(reading->source, EFBIG, err, "too many stack frames to "
					  "fit in memory");
	return 0;
}

static int read_file(struct seep_import *import, struct seep_source *source, struct seep_err *err)
{
	struct reading *reading = seep_arena_alloc(&import->arena, sizeof(*reading));
	int rc;

	reading->source = source;
	reading->compose = &import->compose;
	reading->page_bytes = PAGE_USUAL;
	seep_heaptrack_books_init(&reading->books, &import->compose);
	seep_heaptrack_slices_init(&reading->slices, &reading->books);
	rc = read_lines(reading, err);
	if (!rc)
		rc = compose(reading, err);
	seep_heaptrack_slices_release(&reading->slices);
	seep_heaptrack_books_release(&reading->books);
	return rc;
}

const struct seep_import_format seep_import_heaptrack = {
	.name = "a heaptrack file",
	.recognise = recognise,
	.read = read_file,
};
