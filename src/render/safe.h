/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names in a trace are untrusted data; this makes them safe to show.
 *
 * Control characters (C0 and C1), invalid UTF-8 and characters that reorder a line are written
 * as \xNN, so that no name can control the terminal or disguise the text beside it.
 */
#ifndef SEEP_RENDER_SAFE_H
#define SEEP_RENDER_SAFE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

/* The length in bytes of the character at text, of which n bytes are readable; 0: it is invalid. */
size_t seep_safe_decode(const unsigned char *text, size_t n, uint32_t *code);

const char *seep_safe_text(struct seep_arena *arena, const char *text);

/* The width of a safe text in columns; every character counts as one. */
size_t seep_safe_width(const char *text);

/* The text itself if it fits; otherwise its two ends with "..." between them. */
const char *seep_safe_shorten(struct seep_arena *arena, const char *text, size_t columns);

/* A safe text as one shell word, quoted if necessary. */
const char *seep_safe_shell(struct seep_arena *arena, const char *text);

#endif
