/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/series/npy_head.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAGIC_BYTES 6
#define TEXT_MAX ((size_t)10000) /* NumPy itself does not read longer headers */

/* The text of the header, as far as it has been parsed. */
struct text {
	const char *at;
	bool descr, order, shape; /* which keys have been seen */
	bool fortran;
	const char *wrong;       /* what is wrong, for the message */
};

static void skip_blanks(struct text *text)
{
	while (*text->at == ' ' || *text->at == '\t' || *text->at == '\n')
		text->at++;
}

static bool take(struct text *text, char c)
{
	skip_blanks(text);
	if (*text->at != c)
		return false;
	text->at++;
	return true;
}

static bool take_word(struct text *text, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(text);
	if (strncmp(text->at, word, n))
		return false;
	text->at += n;
	return true;
}

/* A string in quotes of either kind, without escapes. */
static bool take_string(struct text *text, char *to, size_t room)
{
	char quote;
	size_t n = 0;

	skip_blanks(text);
	quote = *text->at;
	if (quote != '\'' && quote != '"')
		return false;
	for (text->at++; *text->at && *text->at != quote && *text->at != '\\'; text->at++) {
		if (n + 1 >= room)
			return false;
		to[n++] = *text->at;
	}
	to[n] = 0;
	return *text->at && *text->at++ == quote;
}

static bool take_dimension(struct text *text, int64_t *n)
{
	skip_blanks(text);
	if (*text->at < '0' || *text->at > '9')
		return false;
	for (*n = 0; *text->at >= '0' && *text->at <= '9'; text->at++)
		if (__builtin_mul_overflow(*n, 10, n) ||
		    __builtin_add_overflow(*n, *text->at - '0', n))
			return false;
	return true;
}

static bool take_shape(struct text *text, struct seep_npy_head *head)
{
	if (text->shape || !take(text, '('))
		return false;
	text->shape = true;
	while (!take(text, ')')) {
		if (head->n_dims == SEEP_NPY_DIMENSIONS ||
		    !take_dimension(text, &head->dims[head->n_dims++]))
			return false;
		if (!take(text, ',') && (skip_blanks(text), *text->at != ')'))
			return false;
	}
	return true;
}

static bool take_descr(struct text *text, struct seep_npy_head *head)
{
	skip_blanks(text);
	if (*text->at == '[')
		text->wrong = "it has named fields";
	if (text->descr || !take_string(text, head->descr, sizeof(head->descr)))
		return false;
	text->descr = true;
	return true;
}

static bool take_order(struct text *text)
{
	if (text->order)
		return false;
	text->order = true;
	text->fortran = take_word(text, "True");
	return text->fortran || take_word(text, "False");
}

static bool take_entry(struct text *text, struct seep_npy_head *head)
{
	char key[32];

	if (!take_string(text, key, sizeof(key)) || !take(text, ':'))
		return false;
	if (!strcmp(key, "descr"))
		return take_descr(text, head);
	if (!strcmp(key, "fortran_order"))
		return take_order(text);
	return !strcmp(key, "shape") && take_shape(text, head);
}

static bool parse(struct text *text, struct seep_npy_head *head)
{
	if (!take(text, '{'))
		return false;
	while (!take(text, '}')) {
		if (!take_entry(text, head))
			return false;
		if (!take(text, ',') && (skip_blanks(text), *text->at != '}'))
			return false;
	}
	skip_blanks(text);
	return !*text->at && text->descr && text->order && text->shape;
}

static bool understand_descr(struct seep_npy_head *head)
{
	const char *d = head->descr;

	if (strlen(d) != 3 || !strchr("<>=|", d[0]) || !strchr("iuf", d[1]) || d[2] < '1' ||
	    d[2] > '8')
		return false;
	head->kind = d[1];
	head->item_bytes = (size_t)(d[2] - '0');
	head->swapped = d[0] == '>';
	return true;
}

static bool multiply(struct seep_npy_head *head)
{
	int64_t bytes;

	head->items = 1;
	for (size_t i = 0; i < head->n_dims; i++)
		if (__builtin_mul_overflow(head->items, head->dims[i], &head->items))
			return false;
	return !__builtin_mul_overflow(head->items, (int64_t)head->item_bytes, &bytes);
}

/* The bytes before the text: magic, version, length. */
static int read_length(struct seep_source *source, size_t *length, struct seep_err *err)
{
	unsigned char start[MAGIC_BYTES + 2], size[4] = { 0 };
	int64_t n = seep_source_read(source, start, sizeof(start), err);
	size_t bytes;

	if (n < 0)
		return (int)n;
	if (n < (int64_t)sizeof(start) || memcmp(start, SEEP_NPY_MAGIC, MAGIC_BYTES))
		return seep_source_refuse_byte(source, EBADMSG, err, "not a NumPy file");
	if (start[MAGIC_BYTES] < 1 || start[MAGIC_BYTES] > 3)
		return seep_source_refuse_byte(source, ENOTSUP, err, "version %d of the NumPy "
					       "format; seep reads 1 to 3", start[MAGIC_BYTES]);
	bytes = start[MAGIC_BYTES] == 1 ? 2 : 4;
	n = seep_source_read(source, size, bytes, err);
	if (n < 0)
		return (int)n;
	*length = (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 |
		  (size_t)size[3] << 24;
	if (n < (int64_t)bytes || *length > TEXT_MAX)
		return seep_source_refuse_byte(source, EBADMSG, err, "a NumPy header that is "
					       "truncated, or has %zu bytes", *length);
	return 0;
}

int seep_npy_head_read(struct seep_npy_head *head, struct seep_source *source,
		       struct seep_err *err)
{
	char letters[TEXT_MAX + 1];
	struct text text = { .at = letters };
	size_t length = 0;
	int64_t n;
	int rc = read_length(source, &length, err);

	if (rc)
		return rc;
	*head = (struct seep_npy_head){ 0 };
	n = seep_source_read(source, letters, length, err);
	if (n < 0)
		return (int)n;
	if ((size_t)n < length)
		return seep_source_refuse_byte(source, EBADMSG, err, "the NumPy header is "
					       "truncated");
	letters[length] = 0;
	if (strlen(letters) != length || !parse(&text, head))
		return seep_source_refuse_byte(source, EBADMSG, err, "a NumPy header that seep "
					       "does not understand%s%s", text.wrong ? ": " : "",
					       text.wrong ? text.wrong : "");
	if (text.fortran)
		return seep_source_refuse_byte(source, ENOTSUP, err, "an array in Fortran order; "
					       "save numpy.ascontiguousarray(a) instead");
	if (!understand_descr(head))
		return seep_source_refuse_byte(source, ENOTSUP, err, "an array of '%s', which "
					       "holds no stamps", head->descr);
	if (!multiply(head))
		return seep_source_refuse_byte(source, EBADMSG, err, "an array of impossible size");
	return 0;
}

void seep_npy_head_name(const struct seep_npy_head *head, char *text, size_t room)
{
	size_t n = (size_t)snprintf(text, room, "%s%zu (", head->kind == 'i' ? "int" :
				    head->kind == 'u' ? "uint" : "float", head->item_bytes * 8);

	for (size_t i = 0; i < head->n_dims && n < room; i++)
		n += (size_t)snprintf(text + n, room - n, "%s%" PRId64, i ? ", " : "",
				      head->dims[i]);
	if (n < room)
		snprintf(text + n, room - n, ")");
}
