/* SPDX-License-Identifier: MIT */
/* Finds the place where a trace that others have written goes on. */
#ifndef SEEP_TRACE_WRITER_END_H
#define SEEP_TRACE_WRITER_END_H

#include "trace/writer.h"

/* Reads the header and goes behind the last whole record.  -ESTALE: the file has no header. */
int seep_writer_end_find(struct seep_writer *writer, struct seep_trace_header *header);

/*
 * Writes the records that wait, except those that are in the file already: the process that put
 * them there may have died before it said so.  0 or -errno.
 */
int seep_writer_end_recover(struct seep_writer *writer, struct seep_pending *pending);

#endif
