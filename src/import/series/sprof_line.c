/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/series/sprof_line.h"

#include "import/quantity.h"

#include <errno.h>
#include <string.h>

#define TIME_DIGITS 16
#define NS_PER_US 1000

static void trim(const char **text, const char **end)
{
	while (*text < *end && (**text == ' ' || **text == '\t'))
		(*text)++;
	while (*end > *text && ((*end)[-1] == ' ' || (*end)[-1] == '\t'))
		(*end)--;
}

/* A number of the triplet, and its terminator. */
static int parse_bytes(const char **at, const char *end, int64_t unit_bytes, int64_t *bytes)
{
	const char *from = *at;
	int64_t n = 0;
	int rc = seep_quantity_digits(at, end, &n);

	if (rc == -ERANGE)
		while (*at < end && **at >= '0' && **at <= '9')
			(*at)++;
	if (*at == from)
		return -EINVAL;
	return rc ? rc : seep_quantity_bytes(n, unit_bytes, bytes) ? 0 : -ERANGE;
}

static int parse_triplet(const char *at, const char *end, int64_t unit_bytes,
			 struct seep_stamp_lines_line *line)
{
	const char *from = at;
	int vm, rss;

	if (seep_quantity_digits(&at, end, &line->t_ns) || at - from != TIME_DIGITS ||
	    at == end || *at++ != ',')
		return -EINVAL;
	vm = parse_bytes(&at, end, unit_bytes, &line->vm_bytes);
	if (vm == -EINVAL || at == end || *at++ != ',')
		return -EINVAL;
	rss = parse_bytes(&at, end, unit_bytes, &line->rss_bytes);
	if (rss == -EINVAL || at != end)
		return -EINVAL;
	if (vm || rss || __builtin_mul_overflow(line->t_ns, NS_PER_US, &line->t_ns) ||
	    line->t_ns > SEEP_QUANTITY_TIME_MAX)
		return -ERANGE;
	return 0;
}

int seep_sprof_line(const char *text, size_t n, int64_t unit_bytes,
		    struct seep_stamp_lines_line *line)
{
	const char *end = text + n, *colon = memchr(text, ':', n), *name_end = colon;
	const char *value, *value_end, *mark;

	if (!colon)
		return -EINVAL;
	trim(&text, &name_end);
	if (name_end == text || *text == '#')
		return -EINVAL;
	value = colon + 1;
	mark = memchr(value, '#', (size_t)(end - value));
	value_end = mark ? mark : end;
	trim(&value, &value_end);
	line->name = text;
	line->n_name = (size_t)(name_end - text);
	line->comment = mark ? mark + 1 : NULL;
	line->n_comment = mark ? (size_t)(end - mark) - 1 : 0;
	return parse_triplet(value, value_end, unit_bytes, line);
}

const char *seep_sprof_value(const char *text, size_t n, const char *key)
{
	size_t bytes = strlen(key);

	return n > bytes && text[bytes] == ':' && !memcmp(text, key, bytes) ? text + bytes + 1 :
									      NULL;
}

bool seep_sprof_head_line(const struct seep_import_head *head, size_t *at, const char **line,
			  size_t *n)
{
	const unsigned char *from = head->data + *at, *end;
	size_t left = head->bytes - *at;

	if (!left)
		return false;
	end = memchr(from, '\n', left);
	if (!end && !head->whole)
		return false;
	*line = (const char *)from;
	*n = end ? (size_t)(end - from) : left;
	*at += *n + (end ? 1 : 0);
	while (*n && (*line)[*n - 1] == '\r')
		(*n)--;
	return true;
}
