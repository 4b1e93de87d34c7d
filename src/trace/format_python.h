/* SPDX-License-Identifier: MIT */
/* Functions and lines of Python in stacks.  A part of trace/format.h. */
#ifndef SEEP_TRACE_FORMAT_PYTHON_H
#define SEEP_TRACE_FORMAT_PYTHON_H

#include <stdint.h>

/*
 * A function of Python, whose name is in the trace.  The letters of the name and of the file
 * follow.  Ids count from 1.
 */
struct seep_rec_function {
	uint32_t id;
	uint32_t first_line;     /* where it is defined */
	uint32_t name_bytes;
	uint32_t file_bytes;
};

/*
 * Lines of such functions, which stand in stacks: in a node, line n is SEEP_PC_NAMED + n, in
 * module 0.  A record holds the lines first .. first + count - 1, and lines count from 1.
 */
#define SEEP_PC_NAMED ((uint64_t)1 << 63)
struct seep_rec_lines {
	uint32_t first;
	uint32_t count;
};

struct seep_rec_line {
	uint32_t function;
	uint32_t line;           /* 0: not known */
};

/* A type of objects; its name follows.  Ids are those of the snapshot that the record is in. */
struct seep_rec_type {
	uint32_t id;
	uint32_t bytes;          /* of the name, without a zero */
};

/* Survivors from events by type, packed: site, type, blocks, bytes. */
struct seep_rec_site_types {
	uint64_t ordinal;
	uint32_t count;
	uint32_t bytes;
};

#endif
