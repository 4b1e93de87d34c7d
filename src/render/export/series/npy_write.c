/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/export/series/npy_write.h"

#include <endian.h>
#include <string.h>

/* A multiple of 64, as NumPy requires, and the size that NP uses for such shapes. */
#define HEADER_BYTES 128
#define MAGIC_BYTES 10

void seep_npy_begin(FILE *out, enum seep_npy_type type, size_t rows, size_t columns)
{
	static const unsigned char magic[MAGIC_BYTES] = {
		0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, HEADER_BYTES - MAGIC_BYTES, 0,
	};
	char shape[64], text[HEADER_BYTES];

	if (columns)
		snprintf(shape, sizeof(shape), "(%zu, %zu)", rows, columns);
	else
		snprintf(shape, sizeof(shape), "(%zu,)", rows);
	snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
		 type == SEEP_NPY_INT64 ? "<i8" : "<f4", shape);
	fwrite(magic, 1, sizeof(magic), out);
	fprintf(out, "%-*s\n", HEADER_BYTES - MAGIC_BYTES - 1, text);
}

void seep_npy_float32(FILE *out, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = htole32(bits);
	fwrite(&bits, sizeof(bits), 1, out);
}

void seep_npy_int64(FILE *out, int64_t value)
{
	uint64_t bits = htole64((uint64_t)value);

	fwrite(&bits, sizeof(bits), 1, out);
}
