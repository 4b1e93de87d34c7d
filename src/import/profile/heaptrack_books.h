/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What has been read from a heaptrack file so far: strings, places in the code, stacks, and the
 * live blocks of each stack.
 *
 * All numbers are those of the file.  Memory grows with the number of distinct stacks, and in
 * raw files with the number of live blocks, but not with the length of the file.  Each has a
 * ceiling.
 */
#ifndef SEEP_IMPORT_PROFILE_HEAPTRACK_BOOKS_H
#define SEEP_IMPORT_PROFILE_HEAPTRACK_BOOKS_H

#include "base/hash_map.h"
#include "base/shelf.h"
#include "import/compose.h"
#include "import/profile/heaptrack_live.h"

struct seep_heaptrack_frame {
	uint32_t function, file, line; /* strings; 0: unknown */
};

struct seep_heaptrack_ip {
	uint64_t pc;
	uint32_t module;         /* in raw files the number in the trace, otherwise a string */
	uint32_t first_frame, n_frames;
};

struct seep_heaptrack_stack {
	uint32_t ip, caller;     /* a stack; 0: none */
	uint32_t depth, site, node; /* 0: none yet */
};

struct seep_heaptrack_info {
	uint64_t bytes;
	uint32_t site;
};

struct seep_heaptrack_site {
	uint32_t stack, composed; /* in the trace; 0: not yet */
	uint64_t blocks, bytes, born_blocks, born_bytes;
};

struct seep_heaptrack_module {
	uint64_t start, end, bias;
	const char *path;
};

struct seep_heaptrack_books {
	struct seep_arena arena;
	struct seep_compose *compose;
	bool raw;
	struct seep_shelf strings; /* const char * */
	size_t string_bytes;
	struct seep_shelf ips, frames, stacks, infos, sites;
	struct seep_hash_map known_ips; /* of raw files, by address */
	struct seep_table modules; /* of raw files, by address */
	struct seep_heaptrack_live live; /* of raw files */
	uint32_t no_stack;       /* the site of blocks without one; 0: none yet */
	uint64_t blocks, bytes;  /* alive */
	uint64_t unknown_frees;
};

void seep_heaptrack_books_init(struct seep_heaptrack_books *books, struct seep_compose *compose);
void seep_heaptrack_books_release(struct seep_heaptrack_books *books);

/* Each returns NULL, or what is wrong. */
const char *seep_heaptrack_add_string(struct seep_heaptrack_books *books, const char *text,
				      size_t n);
const char *seep_heaptrack_add_module(struct seep_heaptrack_books *books,
				      const struct seep_heaptrack_module *module);
const char *seep_heaptrack_add_ip(struct seep_heaptrack_books *books, uint64_t pc,
				  uint64_t module, const struct seep_heaptrack_frame *frames,
				  size_t n);
const char *seep_heaptrack_add_stack(struct seep_heaptrack_books *books, uint64_t ip,
				     uint64_t caller);
const char *seep_heaptrack_add_info(struct seep_heaptrack_books *books, uint64_t bytes,
				    uint64_t stack);

/* A block of an info was allocated or freed. */
const char *seep_heaptrack_count(struct seep_heaptrack_books *books, uint64_t info, bool made);

/* The same in raw files. */
const char *seep_heaptrack_make(struct seep_heaptrack_books *books, uint64_t bytes,
				uint64_t stack, uint64_t address);
void seep_heaptrack_free(struct seep_heaptrack_books *books, uint64_t address);

/* The site in the trace; 0: there are too many stacks. */
uint32_t seep_heaptrack_compose_site(struct seep_heaptrack_books *books, size_t site);

#endif
