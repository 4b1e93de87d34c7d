/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes JSON directly to a stream, without a tree in memory.
 *
 * key is the name of a member, or NULL inside an array.  Text may be anything: invalid UTF-8
 * becomes U+FFFD, control characters are escaped.  A NULL string and a number that is not finite
 * become null.  Check for failures on the stream (ferror).
 */
#ifndef SEEP_RENDER_EMITTER_H
#define SEEP_RENDER_EMITTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SEEP_EMITTER_DEPTH 16

struct seep_emitter {
	FILE *out;
	int depth;
	bool filled[SEEP_EMITTER_DEPTH]; /* at this depth, something has been written */
	bool inlined[SEEP_EMITTER_DEPTH]; /* on one line */
};

/* The shortest text that reads back as the same finite number. */
struct seep_emitter_digits {
	char text[40];
};

struct seep_emitter_digits seep_emitter_digits(double value);

void seep_emitter_init(struct seep_emitter *emitter, FILE *out);
void seep_emitter_finish(struct seep_emitter *emitter); /* ends the last line */

void seep_emitter_open_object(struct seep_emitter *emitter, const char *key);
void seep_emitter_close_object(struct seep_emitter *emitter);
void seep_emitter_open_array(struct seep_emitter *emitter, const char *key);
void seep_emitter_close_array(struct seep_emitter *emitter);

/* The same, but everything inside stays on one line. */
void seep_emitter_open_short_object(struct seep_emitter *emitter, const char *key);
void seep_emitter_open_short_array(struct seep_emitter *emitter, const char *key);

void seep_emitter_string(struct seep_emitter *emitter, const char *key, const char *text);
void seep_emitter_number(struct seep_emitter *emitter, const char *key, double value);
void seep_emitter_integer(struct seep_emitter *emitter, const char *key, int64_t value);
void seep_emitter_unsigned(struct seep_emitter *emitter, const char *key, uint64_t value);
void seep_emitter_bool(struct seep_emitter *emitter, const char *key, bool value);
void seep_emitter_null(struct seep_emitter *emitter, const char *key);

#endif
