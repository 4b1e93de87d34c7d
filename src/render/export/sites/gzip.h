/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes gzip-compressed bytes to a stream.  Check for failures on the stream (ferror). */
#ifndef SEEP_RENDER_EXPORT_SITES_GZIP_H
#define SEEP_RENDER_EXPORT_SITES_GZIP_H

#include "base/err.h"

#include <stdio.h>
#include <zlib.h>

struct seep_gzip {
	z_stream stream;
	FILE *out;
};

int seep_gzip_open(struct seep_gzip *gzip, FILE *out, struct seep_err *err);
void seep_gzip_write(struct seep_gzip *gzip, const void *bytes, size_t n);
void seep_gzip_close(struct seep_gzip *gzip); /* writes the rest */

#endif
