/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a NumPy file, which describes the array that follows. */
#ifndef SEEP_IMPORT_SERIES_NPY_HEAD_H
#define SEEP_IMPORT_SERIES_NPY_HEAD_H

#include "import/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_NPY_MAGIC "\x93NUMPY"
#define SEEP_NPY_DIMENSIONS 8

struct seep_npy_head {
	char kind;               /* 'i', 'u', 'f' */
	size_t item_bytes;
	bool swapped;            /* not in the byte order of this machine */
	char descr[16];          /* as it was written, for messages */
	size_t n_dims;
	int64_t dims[SEEP_NPY_DIMENSIONS];
	int64_t items;           /* their product */
};

/* Reads the header.  Fails for anything but a plain array in C order. */
int seep_npy_head_read(struct seep_npy_head *head, struct seep_source *source,
		       struct seep_err *err);

/* "int64 (7000, 3)", for messages. */
void seep_npy_head_name(const struct seep_npy_head *head, char *text, size_t room);

#endif
