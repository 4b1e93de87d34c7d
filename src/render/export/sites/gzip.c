/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/export/sites/gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#define WINDOW (15 + 16) /* the largest window, with a gzip header */
#define MEMORY 8         /* zlib's default */

int seep_gzip_open(struct seep_gzip *gzip, FILE *out, struct seep_err *err)
{
	memset(gzip, 0, sizeof(*gzip));
	gzip->out = out;
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return seep_err_set(err, ENOMEM, "not enough memory for compression");
	return 0;
}

static void drive(struct seep_gzip *gzip, int flush)
{
	unsigned char packed[16384];

	do {
		gzip->stream.next_out = packed;
		gzip->stream.avail_out = sizeof(packed);
		deflate(&gzip->stream, flush);
		fwrite(packed, 1, sizeof(packed) - gzip->stream.avail_out, gzip->out);
	} while (!gzip->stream.avail_out);
}

void seep_gzip_write(struct seep_gzip *gzip, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n) {
		unsigned int part = n < UINT_MAX ? (unsigned int)n : UINT_MAX;

		gzip->stream.next_in = (unsigned char *)(uintptr_t)at;
		gzip->stream.avail_in = part;
		drive(gzip, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
}

void seep_gzip_close(struct seep_gzip *gzip)
{
	gzip->stream.next_in = NULL;
	gzip->stream.avail_in = 0;
	drive(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
}
