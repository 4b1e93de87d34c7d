/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names out of a trace are data: this makes them fit to be shown.
 *
 * Control characters (of both sets), bytes that are not UTF-8 and the characters
 * that reorder a line are written as \xNN, so that no name can drive a terminal
 * or lie about what stands next to it.
 */
#ifndef SEEP_RENDER_SAFE_H
#define SEEP_RENDER_SAFE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the valid character at text, which has n bytes; 0: none is valid. */
size_t seep_safe_decode(const unsigned char *text, size_t n, uint32_t *code);

const char *seep_safe_text(struct seep_arena *arena, const char *text);

/* Columns of a safe text; every character counts as one. */
size_t seep_safe_width(const char *text);

/* The text itself if it fits the columns; else its ends with "..." between them. */
const char *seep_safe_shorten(struct seep_arena *arena, const char *text, size_t columns);

/* A safe text as one word for the shell: quoted if it has to be. */
const char *seep_safe_shell(struct seep_arena *arena, const char *text);

#endif
