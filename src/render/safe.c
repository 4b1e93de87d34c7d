/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/safe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t seep_safe_decode(const unsigned char *text, size_t n, uint32_t *code)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length;
	uint32_t c;

	if (!n)
		return 0;
	c = text[0];
	if (c < 0x80) {
		*code = c;
		return 1;
	}
	length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4 || length > n)
		return 0;
	c &= 0xffu >> (length + 1);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return length;
}

/* Characters that move the cursor, change colours or reorder the line. */
static bool is_unsafe(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

const char *seep_safe_text(struct seep_arena *arena, const char *text)
{
	size_t n = strlen(text), at = 0, out = 0;
	char *safe = seep_arena_alloc(arena, 4 * n + 1);

	while (at < n) {
		uint32_t code = 0;
		size_t length = seep_safe_decode((const unsigned char *)text + at, n - at, &code);

		if (length && !is_unsafe(code)) {
			memcpy(safe + out, text + at, length);
			out += length;
			at += length;
			continue;
		}
		for (size_t end = at + (length ? length : 1); at < end; at++)
			out += (size_t)snprintf(safe + out, 5, "\\x%02x",
						(unsigned char)text[at]);
	}
	return safe;
}

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t seep_safe_width(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += starts_character(*text);
	return columns;
}

/* Where the given column of the text starts. */
static const char *skip_columns(const char *text, size_t columns)
{
	for (; *text; text++) {
		if (!starts_character(*text))
			continue;
		if (!columns)
			break;
		columns--;
	}
	return text;
}

const char *seep_safe_shorten(struct seep_arena *arena, const char *text, size_t columns)
{
	size_t width = seep_safe_width(text);
	size_t front, back;
	const char *tail;

	if (width <= columns)
		return text;
	if (columns < 8)
		columns = 8;
	front = (columns - 3) / 2;
	back = columns - 3 - front;
	tail = skip_columns(text, width - back);
	return seep_arena_printf(arena, "%.*s...%s", (int)(skip_columns(text, front) - text), text,
				 tail);
}

const char *seep_safe_shell(struct seep_arena *arena, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./,:@%";
	size_t out = 0;
	char *word;

	if (*text && !text[strspn(text, plain)])
		return text;
	word = seep_arena_alloc(arena, 4 * strlen(text) + 3);
	word[out++] = '\'';
	for (; *text; text++) {
		if (*text == '\'') {
			memcpy(word + out, "'\\''", 4);
			out += 4;
		} else {
			word[out++] = *text;
		}
	}
	word[out] = '\'';
	return word;
}
