/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays for NumPy and for NP of Opticks: format 1.0, little-endian, row by row. */
#ifndef SEEP_RENDER_EXPORT_SERIES_NPY_WRITE_H
#define SEEP_RENDER_EXPORT_SERIES_NPY_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum seep_npy_type { SEEP_NPY_FLOAT32, SEEP_NPY_INT64 };

/* Writes the header; columns is 0 for an array of one dimension. */
void seep_npy_begin(FILE *out, enum seep_npy_type type, size_t rows, size_t columns);

void seep_npy_float32(FILE *out, float value);
void seep_npy_int64(FILE *out, int64_t value);

#endif
