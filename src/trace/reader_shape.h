/* SPDX-License-Identifier: MIT */
/* The kinds of records that this version knows, and how large each must be at least. */
#ifndef SEEP_TRACE_READER_SHAPE_H
#define SEEP_TRACE_READER_SHAPE_H

#include "trace/reader.h"

bool seep_reader_shape_known(uint16_t kind);

/* Whether the record has room for all that it says it holds.  Its kind must be known. */
bool seep_reader_shape_fits(const struct seep_reader_record *record);

#endif
