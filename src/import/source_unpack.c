/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Raw bytes of a file, and unpacking of gzip (several members too) and zstd. */
#include "import/source_unpack.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define INPUT_BYTES ((size_t)1 << 16)

struct seep_source_unpacker {
	z_stream gzip;
	ZSTD_DStream *zstd;      /* NULL: it is gzip */
	bool between;            /* between two packed members, where the file may end */
	uint64_t fed;            /* bytes read from the file, including those in in */
	ZSTD_inBuffer in;
	unsigned char input[INPUT_BYTES];
};

static int64_t take(void *to, size_t room, const void *from, size_t n)
{
	n = n < room ? n : room;
	memcpy(to, from, n);
	return (int64_t)n;
}

int64_t seep_source_raw_read(struct seep_source_raw *raw, void *to, size_t bytes,
			     struct seep_err *err)
{
	ssize_t n;

	if (raw->kept_at < raw->n_kept) {
		n = take(to, bytes, (char *)raw->kept + raw->kept_at, raw->n_kept - raw->kept_at);
		raw->kept_at += (size_t)n;
		return n;
	}
	if (raw->fd < 0) {
		n = raw->bytes > raw->at
			? take(to, bytes, raw->data + raw->at, raw->bytes - raw->at) : 0;
		raw->at += (size_t)n;
		return n;
	}
	do {
		n = read(raw->fd, to, bytes < SSIZE_MAX ? bytes : SSIZE_MAX);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return seep_err_set(err, errno, "%s: cannot be read: %s", raw->path,
				    strerror(errno));
	return n;
}

struct seep_source_unpacker *seep_source_unpacker_open(const void *head, size_t bytes)
{
	bool gzip = bytes >= 2 && !memcmp(head, "\037\213", 2);
	bool zstd = bytes >= 4 && !memcmp(head, "\050\265\057\375", 4);
	struct seep_source_unpacker *unpacker;

	if (!gzip && !zstd)
		return NULL;
	unpacker = calloc(1, sizeof(*unpacker));
	if (!unpacker)
		return NULL;
	unpacker->in.src = unpacker->input;
	unpacker->between = true;
	if (zstd)
		unpacker->zstd = ZSTD_createDStream();
	if (zstd ? !unpacker->zstd : inflateInit2(&unpacker->gzip, MAX_WBITS + 16) != Z_OK) {
		free(unpacker);
		return NULL;
	}
	return unpacker;
}

void seep_source_unpacker_close(struct seep_source_unpacker *unpacker)
{
	if (!unpacker)
		return;
	if (unpacker->zstd)
		ZSTD_freeDStream(unpacker->zstd);
	else
		inflateEnd(&unpacker->gzip);
	free(unpacker);
}

/* Returns 1 if there is input, 0 at the end of the file, or -errno. */
static int64_t feed(struct seep_source_unpacker *unpacker, struct seep_source_raw *raw,
		    struct seep_err *err)
{
	int64_t n;

	if (unpacker->in.pos < unpacker->in.size)
		return 1;
	n = seep_source_raw_read(raw, unpacker->input, INPUT_BYTES, err);
	unpacker->in.pos = 0;
	unpacker->in.size = n > 0 ? (size_t)n : 0;
	unpacker->fed += unpacker->in.size;
	return n > 0 ? 1 : n;
}

/* NULL, or what is wrong with the data. */
static const char *unpack_gzip(struct seep_source_unpacker *unpacker, void *to, size_t room,
			       size_t *done)
{
	z_stream *z = &unpacker->gzip;
	int rc;

	if (unpacker->between)
		inflateReset(z);
	z->next_in = unpacker->input + unpacker->in.pos;
	z->avail_in = (uInt)(unpacker->in.size - unpacker->in.pos);
	z->next_out = to;
	z->avail_out = (uInt)(room < UINT_MAX ? room : UINT_MAX);
	rc = inflate(z, Z_NO_FLUSH);
	unpacker->in.pos = unpacker->in.size - z->avail_in;
	*done = (size_t)((unsigned char *)z->next_out - (unsigned char *)to);
	unpacker->between = rc == Z_STREAM_END;
	if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR)
		return NULL;
	return z->msg ? z->msg : "not valid gzip data";
}

static const char *unpack_zstd(struct seep_source_unpacker *unpacker, void *to, size_t room,
			       size_t *done)
{
	ZSTD_outBuffer out = { .dst = to, .size = room };
	size_t rc = ZSTD_decompressStream(unpacker->zstd, &out, &unpacker->in);

	*done = out.pos;
	unpacker->between = rc == 0;
	return ZSTD_isError(rc) ? ZSTD_getErrorName(rc) : NULL;
}

/* The position in the packed file. */
static unsigned long long place(const struct seep_source_unpacker *unpacker)
{
	return unpacker->fed - (unpacker->in.size - unpacker->in.pos);
}

int64_t seep_source_unpack(struct seep_source_unpacker *unpacker, struct seep_source_raw *raw,
			   void *to, size_t bytes, struct seep_err *err)
{
	size_t done = 0;

	while (!done) {
		int64_t fed = feed(unpacker, raw, err);
		const char *wrong;

		if (fed < 0)
			return fed;
		raw->cut = !fed && !unpacker->between;
		if (raw->cut)
			return seep_err_set(err, EBADMSG, "%s: byte %llu: the compressed data ends "
					    "too early; was the file truncated?", raw->path,
					    place(unpacker));
		if (!fed)
			return 0;
		wrong = unpacker->zstd ? unpack_zstd(unpacker, to, bytes, &done)
				       : unpack_gzip(unpacker, to, bytes, &done);
		if (wrong)
			return seep_err_set(err, EBADMSG, "%s: byte %llu: the compressed data is "
					    "damaged: %s", raw->path, place(unpacker), wrong);
	}
	return (int64_t)done;
}
