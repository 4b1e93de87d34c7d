/* SPDX-License-Identifier: MIT */
/* The file under a writer: bytes at offsets.  Every function returns 0 or -errno. */
#ifndef SEEP_TRACE_WRITER_FILE_H
#define SEEP_TRACE_WRITER_FILE_H

#include "trace/writer.h"

/* Opens the file again if the program has closed our descriptor. */
int seep_writer_file_ensure(struct seep_writer *writer);

int seep_writer_file_put(struct seep_writer *writer, const void *data, size_t bytes, uint64_t at);
int seep_writer_file_get(const struct seep_writer *writer, void *data, size_t bytes, uint64_t at);

/* After a failure: removes what was written behind the last whole record. */
void seep_writer_file_cut(struct seep_writer *writer, int failure);

#endif
