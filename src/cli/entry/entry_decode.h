/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first instructions of a function, taken apart so that the tracker can put a jump in their
 * place and execute them elsewhere (src/record/heap/entry/entry.h).
 */
#ifndef SEEP_CLI_ENTRY_ENTRY_DECODE_H
#define SEEP_CLI_ENTRY_ENTRY_DECODE_H

#include "record/heap/entry/entry.h"

#include <stddef.h>
#include <stdint.h>

/* The code of a file that is loaded in one piece. */
struct seep_entry_text {
	const unsigned char *bytes;
	uint64_t address;        /* of bytes[0] */
	uint64_t n;
};

/* A function in it. */
struct seep_entry_function {
	uint64_t address;
	uint64_t size;           /* 0: not known */
	uint64_t next;           /* where the next function starts, or the code ends */
};

struct seep_entry_code {
	uint64_t address;        /* of the first byte that is replaced */
	unsigned char bytes[SEEP_ENTRY_BYTES_MOST];
	size_t n_bytes;
	unsigned char code[SEEP_ENTRY_CODE_MOST];
	size_t n_code;
	struct seep_entry_fixup fixups[SEEP_ENTRY_FIXUPS_MOST];
	size_t n_fixups;
};

/* NULL, or why the function cannot get a jump: the end of a sentence that begins with its name. */
const char *seep_entry_decode(const struct seep_entry_text *text,
			      const struct seep_entry_function *function,
			      struct seep_entry_code *code);

#endif
