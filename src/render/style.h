/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How text may look on a stream: width, colours and character set. */
#ifndef SEEP_RENDER_STYLE_H
#define SEEP_RENDER_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SEEP_STYLE_WIDTH 100 /* if there is no terminal to ask */

enum seep_style_ink {
	SEEP_INK_PLAIN,
	SEEP_INK_BAD,
	SEEP_INK_GOOD,
	SEEP_INK_DOUBT,
	SEEP_INK_QUIET,
};

struct seep_style {
	size_t width;
	bool colour;
	bool utf8;               /* according to the environment; otherwise use only ASCII */
};

struct seep_style seep_style_of(FILE *out);

/* The escape sequences that switch an ink on and off; "" without colours. */
const char *seep_style_on(const struct seep_style *style, enum seep_style_ink ink);
const char *seep_style_off(const struct seep_style *style, enum seep_style_ink ink);

#endif
