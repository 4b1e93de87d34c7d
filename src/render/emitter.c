/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/emitter.h"
#include "render/safe.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void seep_emitter_init(struct seep_emitter *emitter, FILE *out)
{
	memset(emitter, 0, sizeof(*emitter));
	emitter->out = out;
}

void seep_emitter_finish(struct seep_emitter *emitter)
{
	fputc('\n', emitter->out);
}

/* Characters above ASCII stay as they are; invalid bytes are replaced. */
static void write_string(FILE *out, const char *text)
{
	size_t n = strlen(text), at = 0;

	fputc('"', out);
	while (at < n) {
		uint32_t code = 0;
		size_t length = seep_safe_decode((const unsigned char *)text + at, n - at, &code);

		if (!length)
			fputs("\\ufffd", out);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else if (code == '\n')
			fputs("\\n", out);
		else if (code == '\t')
			fputs("\\t", out);
		else if (code < 0x20 || (code >= 0x7f && code < 0xa0) ||
			 code == 0x2028 || code == 0x2029)
			fprintf(out, "\\u%04" PRIx32, code);
		else
			fwrite(text + at, 1, length, out);
		at += length ? length : 1;
	}
	fputc('"', out);
}

static void start_line(struct seep_emitter *emitter)
{
	fputc('\n', emitter->out);
	for (int i = 0; i < emitter->depth; i++)
		fputs("  ", emitter->out);
}

static void start_value(struct seep_emitter *emitter, const char *key)
{
	if (emitter->filled[emitter->depth])
		fputc(',', emitter->out);
	if (!emitter->depth)
		;
	else if (!emitter->inlined[emitter->depth])
		start_line(emitter);
	else if (emitter->filled[emitter->depth])
		fputc(' ', emitter->out);
	emitter->filled[emitter->depth] = true;
	if (key) {
		write_string(emitter->out, key);
		fputs(": ", emitter->out);
	}
}

static void open_level(struct seep_emitter *emitter, const char *key, char bracket, bool on_line)
{
	start_value(emitter, key);
	fputc(bracket, emitter->out);
	if (emitter->depth + 1 >= SEEP_EMITTER_DEPTH)
		abort();
	on_line = on_line || emitter->inlined[emitter->depth];
	emitter->depth++;
	emitter->filled[emitter->depth] = false;
	emitter->inlined[emitter->depth] = on_line;
}

static void close_level(struct seep_emitter *emitter, char bracket)
{
	bool open_lines = emitter->filled[emitter->depth] && !emitter->inlined[emitter->depth];

	emitter->depth--;
	if (open_lines)
		start_line(emitter);
	fputc(bracket, emitter->out);
}

void seep_emitter_open_object(struct seep_emitter *emitter, const char *key)
{
	open_level(emitter, key, '{', false);
}

void seep_emitter_open_short_object(struct seep_emitter *emitter, const char *key)
{
	open_level(emitter, key, '{', true);
}

void seep_emitter_close_object(struct seep_emitter *emitter)
{
	close_level(emitter, '}');
}

void seep_emitter_open_array(struct seep_emitter *emitter, const char *key)
{
	open_level(emitter, key, '[', false);
}

void seep_emitter_open_short_array(struct seep_emitter *emitter, const char *key)
{
	open_level(emitter, key, '[', true);
}

void seep_emitter_close_array(struct seep_emitter *emitter)
{
	close_level(emitter, ']');
}

void seep_emitter_string(struct seep_emitter *emitter, const char *key, const char *text)
{
	start_value(emitter, key);
	if (text)
		write_string(emitter->out, text);
	else
		fputs("null", emitter->out);
}

struct seep_emitter_digits seep_emitter_digits(double value)
{
	struct seep_emitter_digits digits;
	size_t room = sizeof(digits.text);

	if (fabs(value) < 9e15 && value == floor(value)) {
		snprintf(digits.text, room, "%.0f", value);
		return digits;
	}
	for (int n = 10; n <= 17; n++) {
		snprintf(digits.text, room, "%.*g", n, value);
		if (strtod(digits.text, NULL) == value)
			break;
	}
	return digits;
}

void seep_emitter_number(struct seep_emitter *emitter, const char *key, double value)
{
	start_value(emitter, key);
	fputs(isfinite(value) ? seep_emitter_digits(value).text : "null", emitter->out);
}

void seep_emitter_integer(struct seep_emitter *emitter, const char *key, int64_t value)
{
	start_value(emitter, key);
	fprintf(emitter->out, "%" PRId64, value);
}

void seep_emitter_unsigned(struct seep_emitter *emitter, const char *key, uint64_t value)
{
	start_value(emitter, key);
	fprintf(emitter->out, "%" PRIu64, value);
}

void seep_emitter_bool(struct seep_emitter *emitter, const char *key, bool value)
{
	start_value(emitter, key);
	fputs(value ? "true" : "false", emitter->out);
}

void seep_emitter_null(struct seep_emitter *emitter, const char *key)
{
	start_value(emitter, key);
	fputs("null", emitter->out);
}
